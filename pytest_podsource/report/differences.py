"""
What changed from one report to another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pytest_podsource.report.model import Report, Result, RunInfo, badness
from pytest_podsource.suite.verdict import ERRORS, FAILURES

Kind: TypeAlias = Literal["worse", "better", "other", "new", "gone", "changed case"]
KINDS: tuple[Kind, ...] = ("worse", "better", "other", "changed case", "new", "gone")


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """
    One case that is otherwise in the second report.

    Attributes:
        run: The name of the implementation.
        id: The case.
        kind: ``worse`` and ``better`` are about failing and not failing.
        old: The verdict before, empty for a new case.
        new: The verdict now, empty for one that is gone.
        reason: The reason now.
    """

    run: str
    id: str
    kind: Kind
    old: str = ""
    new: str = ""
    reason: str = ""

    @property
    def bad(self) -> bool:
        """Return whether it fails now, and didn't before."""
        return self.kind == "worse" or (
            self.kind in ("new", "changed case") and self.new in FAILURES | ERRORS
        )


def differences(old: Report, new: Report) -> list[Difference]:
    """
    Return what is otherwise in *new*, run by run, the worse first.

    Runs are compared by the name of their implementation; where each report has one
    run only, these two are compared whatever they are called.
    """
    found = [each for pair in _pairs(old, new) for each in _of_pair(*pair)]
    return sorted(found, key=lambda each: (each.run, KINDS.index(each.kind), each.id))


def _pairs(
    old: Report, new: Report
) -> Iterator[tuple[str, dict[str, Result], dict[str, Result]]]:
    if len(old.runs) == len(new.runs) == 1:
        (run, after), (before,) = next(iter(new.runs.items())), old.runs.values()
        yield run.name, before, after
        return
    by_name = {_key(run): results for run, results in old.runs.items()}
    for run, results in new.runs.items():
        yield run.name, by_name.pop(_key(run), {}), results
    for key, results in by_name.items():
        yield key[0], results, {}


def _key(run: RunInfo) -> tuple[str, str, str, str]:
    where = dict(run.environment)
    tox_or_python = where.get("tox") or where.get("python", "")
    return run.implementation, run.kubelet, run.world, tox_or_python


def _of_pair(
    run: str, old: dict[str, Result], new: dict[str, Result]
) -> Iterator[Difference]:
    for id_ in sorted(old.keys() | new.keys()):
        before, after = old.get(id_), new.get(id_)
        kind = _kind(before, after)
        if kind:
            yield Difference(
                run=run,
                id=id_,
                kind=kind,
                old=before.verdict if before else "",
                new=after.verdict if after else "",
                reason=after.reason if after else "",
            )


def _kind(before: Result | None, after: Result | None) -> Kind | None:
    if before is None or after is None:
        return "new" if before is None else "gone"
    if before.hash != after.hash:
        return "changed case"
    if before.verdict == after.verdict:
        return None
    bad = FAILURES | ERRORS
    if (before.verdict in bad) is (after.verdict in bad):
        return "other"
    return "worse" if badness(after.verdict) > badness(before.verdict) else "better"
