"""
What a run says on the terminal: a header, and a summary per component.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_podsource.contract import SECOND_NS
from pytest_podsource.driver.base import Offer
from pytest_podsource.known import COMPONENTS
from pytest_podsource.report.tally import Score, Tally
from pytest_podsource.settings import Settings
from pytest_podsource.suite.forecast import Forecast


def header(settings: Settings, offer: Offer) -> list[str]:
    """
    Return what is said before the first case.
    """
    lacking = [name for name in COMPONENTS if name not in offer.components]
    return [
        f"podsource: {_name(offer)}, against kubelet {settings.kubelet}, "
        + _world(settings),
        f"podsource: it offers {_list(name for name in COMPONENTS if name in offer.components)}"
        + (f"; not {_list(lacking)}" if lacking else ""),
        *(f"podsource: {remark}" for remark in offer.remarks),
    ]


def length(expected: Forecast, settings: Settings) -> str:
    """
    Return how long a run in real time takes, and what is left out for its length.
    """
    limit = settings.real_limit_ns / SECOND_NS
    return (
        f"podsource: in real time, so it takes about {_time(expected.length_ns)} on one "
        f"worker; {_count(expected.left_out, 'row')} of more than {limit:g} s left out "
        "(--podsource-real-limit)"
    )


def selected(cases: int, rows: int) -> str:
    """
    Return how many cases were selected.
    """
    return f"podsource: {_count(cases, 'case')} in {_count(rows, 'row')}"


def summary(tally: Tally) -> Iterator[str]:
    """
    Return what is said after the last case, a line for each component.
    """
    for score in tally.scores():
        yield _line(score)
    offered, lacking = tally.offered, tally.lacking
    yield (
        f"{len(offered)} of {len(offered) + len(lacking)} components offered"
        + (f"; not {_list(lacking)}" if lacking else "")
    )


def _line(score: Score) -> str:
    verdicts = "".join(f", {n} {word}" for word, n in sorted(score.verdicts.items()))
    whole = (
        f"{score.passed} of {score.scored} cases" if score.scored else "none is scored"
    )
    return f"{score.component:<10} {whole:<18} {_count(score.rows, 'row')}{verdicts}"


def _name(offer: Offer) -> str:
    return f"{offer.name} {offer.version}".strip() + f" ({offer.language})"


def _world(settings: Settings) -> str:
    if settings.world == "real":
        return "in the real world"
    seed = f", seed {settings.seed}" if settings.seed else ""
    return f"in the simulated world, time {settings.time}, files {settings.fs}{seed}"


def _time(length_ns: int) -> str:
    seconds = round(length_ns / SECOND_NS)
    minutes, rest = divmod(seconds, 60)
    return f"{minutes} min {rest} s" if minutes else f"{seconds} s"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _list(names: Iterator[str] | list[str]) -> str:
    return ", ".join(names) or "nothing"
