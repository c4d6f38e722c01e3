"""
Each fact that a case names has a broken reference, which a case of that fact fails on.
"""

from __future__ import annotations

import functools

import pytest

from pytest_podsource.driver.base import Driver
from pytest_podsource.driver.load import driver_of
from pytest_podsource.suite.bundled import bundled_root
from pytest_podsource.suite.case import Case, load_cases
from pytest_podsource.suite.runner import run_case
from pytest_podsource.world.simulated import SimulatedWorld
from tests.broken_reference import broken_reference
from tests.facts_broken import FACTS


@functools.cache
def cases() -> tuple[Case, ...]:
    return tuple(load_cases(bundled_root() / "cases"))


def test_every_fact_of_a_case_has_a_broken_reference() -> None:
    """No case names a fact that nothing proves it can see."""
    named = {fact for case in cases() for fact in case.facts}

    assert named - FACTS.keys() == set()


@pytest.mark.parametrize("fact", FACTS)
def test_a_case_fails_when_its_fact_is_broken(fact: str) -> None:
    """With only this fact broken its case fails; of most components another passes."""
    patch = FACTS[fact]
    about = [case for case in cases() if fact in case.facts]
    apart = [case for case in cases() if fact not in case.facts]
    others = list({case.component: case for case in apart}.values())

    with broken_reference(patch) as reference:
        driver = driver_of(reference, "broken", kubelet=patch.kubelet)
        of_the_fact = _verdicts(about, driver, patch.kubelet)
        of_others = _verdicts(others, driver, patch.kubelet)

    assert "failed" in of_the_fact.values(), of_the_fact
    assert list(of_others.values()).count("passed") > len(of_others) / 3, of_others


def _verdicts(cases: list[Case], driver: Driver, kubelet: str) -> dict[str, str]:
    return {
        case.id: run_case(case, driver, SimulatedWorld, kubelet=kubelet).verdict
        for case in cases
        if case.holds_for(kubelet)
    }
