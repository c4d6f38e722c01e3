"""
How long a run in real time takes is known before it begins.
"""

from __future__ import annotations

from collections.abc import Callable

from pytest_podsource.contract import SECOND_NS
from pytest_podsource.driver.base import Offer
from pytest_podsource.suite.case import Case
from pytest_podsource.suite.forecast import forecast

MakeCase = Callable[..., Case]

OFFER = Offer(name="x", components=frozenset({"file"}))


def test_steps_and_the_silence_after_each_count(a_case: MakeCase) -> None:
    """Three steps of which one takes 4 s, each over after 200 ms without news."""
    case = a_case({"start": None}, {"advance": "4s"}, {"write": "a"}, component="file")

    found = forecast(
        [case, case],
        OFFER,
        kubelet="1.37",
        limit_ns=5 * SECOND_NS,
        quiet_ns=200_000_000,
    )

    assert found.length_ns == 2 * (4 * SECOND_NS + 3 * 200_000_000)
    assert found.left_out == 0


def test_what_is_not_run_takes_no_time(a_case: MakeCase) -> None:
    """Longer ones are counted; other kubelets' and components' cases aren't."""
    cases = [
        a_case({"advance": "5001ms"}, component="file"),
        a_case({"advance": "9s"}, component="file", versions="<1.36"),
        a_case({"advance": "9s"}, component="podconfig"),
        a_case({"advance": "9s"}, component="file", level="logs"),
        a_case({"march": "9s"}, component="file"),
    ]
    offer = Offer(
        name="x", components=frozenset({"file"}), features=frozenset({"base"})
    )

    found = forecast(
        cases, offer, kubelet="1.37", limit_ns=5 * SECOND_NS, quiet_ns=200_000_000
    )

    assert (found.length_ns, found.left_out) == (0, 1)
