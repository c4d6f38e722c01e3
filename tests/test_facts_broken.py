"""
Each fact that a case names has a broken reference, which a case of that fact fails on.
"""

from __future__ import annotations

import functools

import pytest

from pytest_podsource.driver.load import driver_of
from pytest_podsource.suite.case import Case, bundled_root, load_cases
from pytest_podsource.suite.runner import run_case
from pytest_podsource.suite.verdict import FAILURES
from pytest_podsource.world.simulated import SimulatedWorld
from tests.broken_reference import Patch, broken_reference
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
    """A reference in which only this fact is broken fails a case of the fact."""
    patch = FACTS[fact]

    with broken_reference(patch) as reference:
        verdicts = _verdicts(fact, patch, reference)

    assert set(verdicts.values()) & FAILURES, verdicts


def _verdicts(fact: str, patch: Patch, reference: object) -> dict[str, str]:
    driver = driver_of(reference, "broken", kubelet=patch.kubelet)
    return {
        case.id: run_case(case, driver, SimulatedWorld, kubelet=patch.kubelet).verdict
        for case in cases()
        if fact in case.facts and case.holds_for(patch.kubelet)
    }
