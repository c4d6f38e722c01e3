"""
The verdict on a case as reports carry it, from the process that ran it to the summary.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pytest_podsource.suite.verdict import ERRORS, SKIPS, Verdict

_PREFIX = "podsource_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """
    What the summary needs to know of a case.

    Attributes:
        id: The case, with its row.
        verdict: One word of the table of verdicts.
        reason: Why, in one sentence; empty if passed.
        scored: Every implementation of its component owes it.
        remark: What is to be said of it beside its story.
    """

    id: str
    verdict: Verdict
    reason: str = ""
    scored: bool = True
    remark: str = ""

    @property
    def file_id(self) -> str:
        """Return the id without the row."""
        return self.id.partition(":")[0]

    @property
    def component(self) -> str:
        """Return the component that it belongs to."""
        return self.id.removeprefix("own/").partition("/")[0]

    @property
    def skipped(self) -> bool:
        """Return whether pytest shows it as skipped."""
        return self.verdict in SKIPS

    @property
    def error(self) -> bool:
        """Return whether pytest shows it as an error: no fault of what is tested."""
        return self.verdict in ERRORS

    @property
    def executed(self) -> bool:
        """Return whether its steps were run, whatever came of it."""
        return self.verdict == "known" or not (self.skipped or self.error)

    @property
    def stale(self) -> bool:
        """Return whether it passed in spite of the baseline."""
        return self.verdict == "failed" and not self.reason

    def known(self, baseline: Mapping[str, str]) -> Judged:
        """Return it as *baseline* sees it: a known failure, or one no longer."""
        why = baseline.get(self.id)
        if why is None or self.skipped or self.error:
            return self
        if self.verdict == "passed":
            remark = f"{self.id} is in the baseline, but it passes. Take it out there."
            return replace(self, verdict="failed", remark=remark)
        return replace(self, verdict="known", reason=why)

    def required(self, components: Iterable[str]) -> Judged:
        """Return it failed if its component must be offered."""
        if self.component not in components:
            return self
        remark = f"--podsource-require names {self.component}: {self.reason}."
        return replace(self, verdict="failed", remark=remark)

    def properties(self) -> list[tuple[str, str]]:
        """Return it as properties of a test, which reports carry between processes."""
        return [
            (f"{_PREFIX}case", self.id),
            (f"{_PREFIX}verdict", self.verdict),
            (f"{_PREFIX}reason", self.reason),
            (f"{_PREFIX}scored", "yes" if self.scored else "no"),
        ]


def judged_of(properties: Iterable[tuple[str, Any]]) -> Judged | None:
    """
    Return what :meth:`Judged.properties` gave, ``None`` for other tests.
    """
    found = dict(properties)
    if f"{_PREFIX}verdict" not in found:
        return None
    return Judged(
        id=found[f"{_PREFIX}case"],
        verdict=found[f"{_PREFIX}verdict"],
        reason=found[f"{_PREFIX}reason"],
        scored=found[f"{_PREFIX}scored"] == "yes",
    )
