"""
How long a run takes in real time, where nothing is skipped over.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pytest_podsource.driver.base import Offer
from pytest_podsource.exceptions import CaseError
from pytest_podsource.suite.case import Case
from pytest_podsource.suite.runner import lacking
from pytest_podsource.suite.steps import length_ns, steps_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """
    What is known before the first case.

    Attributes:
        length_ns: About how long the cases take one after the other.
        left_out: How many are longer than the limit.
    """

    length_ns: int
    left_out: int


def forecast(
    cases: Iterable[Case], offer: Offer, *, kubelet: str, limit_ns: int, quiet_ns: int
) -> Forecast:
    """
    Return how long those of *cases* take that will be run.

    Args:
        cases: The cases that are selected.
        offer: What the implementation offers.
        kubelet: The kubelet to judge by, as major.minor.
        limit_ns: Longer cases are left out.
        quiet_ns: How long nothing must happen before a step is over.
    """
    whole_ns = left_out = 0
    for case in cases:
        try:
            steps = steps_of(case)
        except CaseError:  # its verdict takes no time
            continue
        if not case.holds_for(kubelet) or lacking(case, steps, offer):
            continue
        if length_ns(steps) > limit_ns:
            left_out += 1
        else:
            whole_ns += length_ns(steps) + len(steps) * quiet_ns
    return Forecast(length_ns=whole_ns, left_out=left_out)
