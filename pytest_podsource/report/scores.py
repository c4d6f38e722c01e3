"""
How each component did, of the results of a report.
"""

from __future__ import annotations

from collections.abc import Iterable

from pytest_podsource.report.judged import Judged
from pytest_podsource.report.model import Result
from pytest_podsource.report.tally import Score, Tally


def tally_of(results: Iterable[Result]) -> Tally:
    """
    Return *results* counted as a run counts them.
    """
    tally = Tally()
    for each in results:
        tally.add(
            Judged(
                id=each.id,
                verdict=each.verdict,
                reason=each.reason,
                scored=each.scored,
            )
        )
    return tally


def scores_of(results: Iterable[Result]) -> list[Score]:
    """
    Return the score of each component that was offered.
    """
    return tally_of(results).scores()
