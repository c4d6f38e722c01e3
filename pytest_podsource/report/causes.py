"""
Which failures probably have one cause.

Rule 1: a cause is a fact. Rule 2: of the facts that a failed case names, that one is
taken of whose cases the largest share failed, and of those the one with most of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from pytest_podsource.report.model import Result
from pytest_podsource.suite.verdict import FAILURES


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """
    A fact that failed cases have in common.

    Attributes:
        fact: Its id.
        failed: Ids of the failed cases.
        of: How many cases name the fact and were run.
    """

    fact: str
    failed: tuple[str, ...]
    of: int


def causes(results: Iterable[Result]) -> list[Cause]:
    """
    Return the probable causes of all failures, those with most cases first.
    """
    naming: dict[str, set[str]] = defaultdict(set)
    facts_of: dict[str, tuple[str, ...]] = {}
    for result in results:
        if result.verdict == "passed" or result.verdict in FAILURES:
            for fact in result.facts:
                naming[fact].add(result.id)
        if result.verdict in FAILURES:
            facts_of[result.id] = result.facts
    open_ = {id_ for id_, facts in facts_of.items() if facts}
    found = []
    while open_:
        fact = max(naming, key=lambda name: _weight(naming[name], facts_of, open_))
        failed = naming[fact] & open_
        found.append(
            Cause(fact=fact, failed=tuple(sorted(failed)), of=len(naming[fact]))
        )
        open_ -= failed
    return sorted(found, key=lambda cause: (-len(cause.failed), cause.fact))


def _weight(
    naming: set[str], failed: Iterable[str], open_: set[str]
) -> tuple[float, int]:
    left = len(naming & open_)
    return (len(naming & set(failed)) / len(naming) if left else 0.0, left)
