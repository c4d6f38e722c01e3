"""
What a run has shown, counted.

Rule 1: cases count by file: a file has passed when each of its rows that was run has.
Rule 2: what is scored and couldn't be run here is neither passed nor failed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from pytest_podsource.known import COMPONENTS
from pytest_podsource.report.judged import Judged

_NOT_SCORED = frozenset({"unsupported", "not applicable", "disabled"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """
    How one component did.

    Attributes:
        component: Its name.
        passed: Scored cases that passed.
        scored: Scored cases.
        rows: Rows that were run, of all levels.
        verdicts: How many rows had each verdict other than passed.
    """

    component: str
    passed: int
    scored: int
    rows: int
    verdicts: dict[str, int]


class Tally:
    """
    All verdicts of a run.
    """

    def __init__(self) -> None:
        self._judged: dict[str, Judged] = {}

    def add(self, judged: Judged) -> None:
        """Count *judged*; a case that is run again counts once."""
        self._judged[judged.id] = judged

    @property
    def executed(self) -> int:
        """Return how many cases, by file, had a row that was run."""
        return len({each.file_id for each in self._judged.values() if each.executed})

    @property
    def failures(self) -> dict[str, str]:
        """Return verdict and reason of what failed and of what was known to, by id."""
        return {
            each.id: each.reason if each.verdict == "known" else _shortly(each)
            for each in self._judged.values()
            if each.executed and each.verdict != "passed" and not each.stale
        }

    @property
    def offered(self) -> list[str]:
        """Return the components that had a case which was supported."""
        seen = {
            each.component
            for each in self._judged.values()
            if each.verdict not in ("unsupported", "not applicable")
        }
        return [name for name in COMPONENTS if name in seen]

    @property
    def lacking(self) -> list[str]:
        """Return the components that had cases, none of them supported."""
        seen = {each.component for each in self._judged.values()}
        offered = self.offered
        return [name for name in COMPONENTS if name in seen and name not in offered]

    def scores(self) -> list[Score]:
        """Return how each component that is offered did."""
        by_component: dict[str, list[Judged]] = defaultdict(list)
        for each in self._judged.values():
            by_component[each.component].append(each)
        return [_score(name, by_component[name]) for name in self.offered]


def _score(component: str, judged: list[Judged]) -> Score:
    files: dict[str, bool] = {}
    for each in judged:
        if each.scored and each.verdict not in _NOT_SCORED:
            passed = each.verdict == "passed"
            files[each.file_id] = files.get(each.file_id, True) and passed
    return Score(
        component=component,
        passed=sum(files.values()),
        scored=len(files),
        rows=sum(each.executed for each in judged),
        verdicts=dict(Counter(e.verdict for e in judged if e.verdict != "passed")),
    )


def _shortly(judged: Judged) -> str:
    return f"{judged.verdict}: {judged.reason}"
