"""
What real kubelets answered: written by ``podsource record`` and by nothing else.

Rule 1: an answer is bound to its case by the case's hash; when the case changes, the
answer is stale. Rule 2: a case is confirmed by a kubelet only where its record says
``passed`` for that hash. Rule 3: every case is run several times; an answer that isn't
the same each time is no answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pytest_podsource.driver.base import Driver
from pytest_podsource.exceptions import UsageError
from pytest_podsource.suite.case import Case
from pytest_podsource.suite.runner import MakeWorld, run_case
from pytest_podsource.suite.verdict import FAILURES, Outcome

RUNS = 3
_LEFT_OUT = frozenset({"not applicable"})
_OWN_FOLDER = re.compile(r"/\S*?/podsource-[^/\s\"']*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """
    What a kubelet answered to one case.

    Attributes:
        hash: Of the case as it was then.
        verdict: As in a run of the suite.
        reason: Why, where it isn't ``passed``.
        step: The step that decided, where it isn't ``passed``.
        got: What came in that step, a line each.
    """

    hash: str
    verdict: str
    reason: str = ""
    step: int = 0
    got: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """
    The answers of one kubelet.

    Attributes:
        kubelet: Its version as major.minor.
        version: Its whole version.
        components: The components that its adapter offers.
        answers: By the id of the case.
    """

    kubelet: str
    version: str
    components: tuple[str, ...]
    answers: Mapping[str, Answer]

    def confirms(self, case: Case) -> bool:
        """Return whether the kubelet has answered as *case*, as it is now, says."""
        answer = self.answers.get(case.id)
        return (
            answer is not None
            and answer.hash == case.hash
            and answer.verdict == "passed"
        )


def load_records(root: Path) -> dict[str, Record]:
    """
    Return the records in the folder *root*, by major.minor.

    Raises:
        UsageError: A file there isn't a record.
    """
    paths = sorted(root.glob("*.yaml"))
    return {record.kubelet: record for record in map(load_record, paths)}


def load_record(path: Path) -> Record:
    """
    Return the record of one file.

    Raises:
        UsageError: It isn't a record.
    """
    from pytest_podsource.suite.core_yaml import Document  # noqa: PLC0415 - yaml is slow

    value = Document(path).value
    try:
        return Record(
            kubelet=value["kubelet"],
            version=value["version"],
            components=tuple(value["components"]),
            answers={id_: _answer(each) for id_, each in value["cases"].items()},
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise UsageError(
            f"{path}: this is no record: {error!r}. Only podsource record writes here."
        ) from None


def confirmed_by(case: Case, records: Mapping[str, Record]) -> tuple[str, ...]:
    """
    Return the whole versions of the kubelets that confirm *case*.
    """
    return tuple(each.version for each in records.values() if each.confirms(case))


def take_record(
    cases: Iterable[Case],
    driver: Driver,
    make_world: MakeWorld,
    kubelet: str,
    on_outcome: Callable[[Outcome], None],
) -> Record:
    """
    Return the answers of the kubelet behind *driver* to all *cases*.

    Args:
        cases: What to ask; those that don't hold for the kubelet are left out.
        driver: Its adapter.
        make_world: Makes the world of a scene.
        kubelet: Its version as major.minor.
        on_outcome: Told the outcome of each case.
    """
    answers = {}
    for case in cases:
        outcomes = [
            run_case(case, driver, make_world, kubelet=kubelet) for _ in range(RUNS)
        ]
        on_outcome(outcomes[0])
        if outcomes[0].verdict not in _LEFT_OUT:
            answers[case.id] = _agreed([_answer_of(each) for each in outcomes])
    offer = driver.offer
    return Record(
        kubelet=kubelet,
        version=offer.version,
        components=tuple(sorted(offer.components)),
        answers=answers,
    )


def changed(old: Record, new: Record) -> list[str]:
    """
    Return the ids of the cases that are as they were and whose answer is another.
    """
    return [
        id_
        for id_, answer in new.answers.items()
        if id_ in old.answers
        and old.answers[id_].hash == answer.hash
        and old.answers[id_] != answer
    ]


def contradicted(record: Record) -> list[str]:
    """
    Return the ids of the cases whose answer is another than they expect.
    """
    return [id_ for id_, each in record.answers.items() if each.verdict in FAILURES]


def stale(record: Record, cases: Iterable[Case]) -> list[str]:
    """
    Return the ids of the cases that have changed since, or have no answer yet.
    """
    return [
        case.id
        for case in cases
        if case.holds_for(record.kubelet)
        and record.answers.get(case.id, _NO_ANSWER).hash != case.hash
    ]


def share_confirmed(record: Record, cases: Sequence[Case]) -> dict[str, float]:
    """
    Return which share of the cases is confirmed, for each component that is offered.

    Cases are files here: one is confirmed if all its rows are.
    """
    shares = {}
    for component in record.components:
        confirmed: dict[str, bool] = {}
        for case in cases:
            if case.component == component and case.holds_for(record.kubelet):
                before = confirmed.get(case.file_id, True)
                confirmed[case.file_id] = before and record.confirms(case)
        if confirmed:
            shares[component] = sum(confirmed.values()) / len(confirmed)
    return shares


def text_of(record: Record) -> str:
    """
    Return *record* as the text of its file.
    """
    lines = [
        "# What this kubelet answered. Only podsource record writes here.",
        f"kubelet: {json.dumps(record.kubelet)}",
        f"version: {json.dumps(record.version)}",
        f"components: {json.dumps(record.components)}",
        "cases:",
    ]
    for id_, answer in sorted(record.answers.items()):
        told = {name: value for name, value in asdict(answer).items() if value}
        lines.append(f"  {json.dumps(id_)}: {json.dumps(told, ensure_ascii=False)}")
    return "\n".join(lines) + "\n"


_NO_ANSWER = Answer(hash="", verdict="")


def _answer(value: Mapping[str, Any]) -> Answer:
    return Answer(**{**value, "got": tuple(value.get("got", ()))})


def _answer_of(outcome: Outcome) -> Answer:
    if outcome.verdict == "passed" or not outcome.moments:
        reason = _without_own_folder(outcome.reason)
        return Answer(hash=outcome.case.hash, verdict=outcome.verdict, reason=reason)
    last = outcome.moments[-1]
    return Answer(
        hash=outcome.case.hash,
        verdict=outcome.verdict,
        reason=_without_own_folder(outcome.reason),
        step=last.step,
        got=tuple(_without_own_folder(line) for line in last.got),
    )


def _agreed(answers: Sequence[Answer]) -> Answer:
    first = answers[0]
    verdicts = sorted({each.verdict for each in answers})
    if len(verdicts) == 1:
        return first
    reason = f"it answers differently from run to run: {', '.join(verdicts)}"
    return Answer(hash=first.hash, verdict="harness error", reason=reason)


def _without_own_folder(text: str) -> str:
    """
    Leave out the world's own temporary folder, which is another in each run.
    """
    return _OWN_FOLDER.sub("", text)
