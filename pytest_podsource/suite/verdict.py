"""
What running a case has shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from pytest_podsource.suite.case import Case

Verdict: TypeAlias = Literal[
    "passed",
    "failed",
    "crashed",
    "timeout",
    "setup failed",
    "harness error",
    "unsupported",
    "not applicable",
    "disabled",
    "known",
]
FAILURES: frozenset[Verdict] = frozenset({"failed", "crashed", "timeout"})
ERRORS: frozenset[Verdict] = frozenset({"setup failed", "harness error"})
SKIPS: frozenset[Verdict] = frozenset(
    {"unsupported", "not applicable", "disabled", "known"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """
    One step as a story tells it.

    Attributes:
        step: Number of the step, from 1.
        at_ns: When it was begun, on the monotonic clock of the case.
        done: What was done, such as ``place a.yaml``.
        expected: What was expected, a line each.
        got: What came, a line each.
        got_at_ns: When each line of *got* came, ``None`` where it has no time.
        parts_at: Index of the line where the two part, ``None`` if they agree.
    """

    step: int
    at_ns: int
    done: str
    expected: tuple[str, ...] = ()
    got: tuple[str, ...] = ()
    got_at_ns: tuple[int | None, ...] = ()
    parts_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """
    The verdict on one case, and how it came about.

    Attributes:
        case: The case.
        verdict: One word of the table of verdicts.
        reason: Why, in one sentence; empty if passed.
        kubelet: The kubelet that it was judged by, as major.minor.
        seed: The seed that it was run with.
        moments: The steps that were done, in order; the last one decided.
        trace: The implementation's traceback, if it crashed.
    """

    case: Case
    verdict: Verdict
    reason: str = ""
    kubelet: str
    seed: int = 0
    moments: tuple[Moment, ...] = ()
    trace: str = ""
