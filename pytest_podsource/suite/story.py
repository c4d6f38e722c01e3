"""
The story of a failed case, in plain text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from itertools import zip_longest
from typing import Any

from pytest_podsource.suite.durations import text_of
from pytest_podsource.suite.show import given
from pytest_podsource.suite.verdict import Moment, Outcome

_GO_PLACE = re.compile(r"([\w-]+\.go) ([\w.]+)")
_MOST_MOMENTS = 8
_MOST_LINES = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Origins:
    """
    Where cases come from: the tables of facts and of reports.
    """

    facts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    reports: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def load_origins() -> Origins:
    """
    Return the tables that came with this package.
    """
    data = resources.files("pytest_podsource.data")
    return Origins(
        facts=json.loads((data / "facts.json").read_text("utf-8")),
        reports=json.loads((data / "reports.json").read_text("utf-8")),
    )


def tell(
    outcome: Outcome,
    origins: Origins,
    *,
    again: str = "",
    confirmed: Sequence[str] = (),
) -> str:
    """
    Return the story of *outcome*: what was done, where it parts, the rule, the origin.

    Args:
        outcome: What running a case has shown.
        origins: The tables of facts and reports.
        again: The command that runs this case again.
        confirmed: The kubelets whose record confirms the case.
    """
    return "\n".join(
        (
            _headline(outcome),
            *timeline(outcome.moments),
            *_notes(outcome),
            *_labelled("given", [given(outcome.case.given)] if outcome.moments else []),
            *_labelled("kubelet", _rules(outcome, origins, confirmed)),
            *_labelled("met by", _met_by(outcome, origins)),
            *_labelled("again", [again] if again else []),
        )
    )


def _headline(outcome: Outcome) -> str:
    head = f"{outcome.verdict.upper()} {outcome.case.id}"
    if not outcome.moments:
        return head
    last = outcome.moments[-1]
    steps = len(outcome.case.steps)
    return (
        f"{head}   step {last.step} of {steps}: {last.done}, at {text_of(last.at_ns)}"
    )


def timeline(moments: Sequence[Moment], most: int = _MOST_MOMENTS) -> Iterator[str]:
    """
    Return a table of the last *most* steps: what was done, expected, got.
    """
    shown = moments[-most:]
    rows = [("done", "expected", "", "got", "")]
    for moment in shown:
        rows += _rows(moment)
    if not shown:
        return
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    for index, row in enumerate(rows):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=False))
        done, expected, mark, got = cells
        yield f"  {done}   {expected}  {mark:1}  {got}   {row[4]}".rstrip()
        if index == 0 and len(moments) > len(shown):
            yield f"  ... {len(moments) - len(shown)} earlier steps"


def _rows(moment: Moment) -> list[tuple[str, str, str, str, str]]:
    start = _window(moment)
    rows = []
    pairs = list(zip_longest(moment.expected, moment.got, fillvalue=""))
    for index, (expected, got) in enumerate(pairs[start : start + _MOST_LINES], start):
        parts = moment.parts_at == index
        mark, note = (">", "<- they part here") if parts else ("", "")
        rows.append(("", expected, mark, got, note))
    if moment.parts_at is not None and moment.parts_at >= len(pairs):
        rows.append(("", "", ">", "", "<- they part here"))
    hidden = len(pairs) - start - _MOST_LINES
    if hidden > 0:
        rows.append(("", f"... {hidden} more lines", "", "", ""))
    done = f"{text_of(moment.at_ns)} {moment.done}"
    first = rows[0] if rows else ("", "", "", "", "")
    return [(done, *first[1:]), *rows[1:]]


def _window(moment: Moment) -> int:
    """
    Return the first line to show, so that the place where they part is among them.
    """
    parts_at = moment.parts_at or 0
    return max(0, parts_at - _MOST_LINES // 2) if parts_at >= _MOST_LINES else 0


def _notes(outcome: Outcome) -> Iterator[str]:
    last = outcome.moments[-1] if outcome.moments else None
    if (
        outcome.reason and (last is None or last.parts_at is None)
    ) or outcome.reason.startswith("something came"):
        yield f"  {outcome.reason}"
    for line in outcome.trace.splitlines():
        yield f"    {line}"


def _rules(
    outcome: Outcome, origins: Origins, confirmed: Sequence[str]
) -> Iterator[str]:
    case = outcome.case
    holds = f"kubelets {case.versions}" if case.versions else "all kubelets"
    if confirmed:
        holds += f", confirmed by {', '.join(confirmed)}"
    title = case.title[:1].upper() + case.title[1:].rstrip(".")
    yield f"{title}: {', '.join(case.facts)} ({holds})."
    for fact in case.facts:
        known = origins.facts.get(fact)
        if known:
            yield f"{fact}: {known['rule']} ({_place(known['from'])}{_since(known)})."


def _place(origin: str) -> str:
    """
    Return file and symbol of a fact's origin, without the folders.
    """
    found = _GO_PLACE.search(origin)
    return f"{found[1]} {found[2]}" if found else origin


def _since(fact: Mapping[str, Any]) -> str:
    """
    Return the versions of a fact that doesn't hold for all.
    """
    versions = str(fact.get("versions", "all"))
    return "" if versions in ("all", "as said") else f"; {versions}"


def _met_by(outcome: Outcome, origins: Origins) -> Iterator[str]:
    for number in outcome.case.reports:
        report = origins.reports.get(number)
        if report:
            yield f"{report['source'].removeprefix('kubernetes/')}: {report['symptom']}"
    if not outcome.case.reports:
        yield outcome.case.why


def _labelled(label: str, lines: Iterator[str] | list[str]) -> Iterator[str]:
    for index, line in enumerate(filter(None, lines)):
        yield f"  {label if index == 0 else '':<9} {line}"
