"""
The suite fails each miniature on the case of its mistake, and says which rule it broke.
"""

from __future__ import annotations

import functools
import json
import re
from importlib import resources

import pytest

from pytest_podsource import reference
from pytest_podsource.driver.load import driver_of
from pytest_podsource.suite.bundled import bundled_root
from pytest_podsource.suite.case import Case, load_cases
from pytest_podsource.suite.runner import run_case
from pytest_podsource.suite.story import load_origins, tell
from pytest_podsource.suite.verdict import Outcome
from pytest_podsource.world.simulated import SimulatedWorld
from tests.miniature import Miniature
from tests.miniatures import MINIATURES

DERIVED = [each for each in MINIATURES if each.sound is not None]
each_miniature = pytest.mark.parametrize(
    "miniature", MINIATURES, ids=lambda each: each.made.__name__
)


@functools.cache
def cases() -> dict[str, Case]:
    return {case.id: case for case in load_cases(bundled_root() / "cases")}


def run(implementation: object, case: str) -> Outcome:
    driver = driver_of(implementation, "miniature")
    return run_case(cases()[case], driver, SimulatedWorld, kubelet="1.37")


@each_miniature
def test_miniature_fails_the_case_of_its_mistake(miniature: Miniature) -> None:
    """The verdict is failed, not crashed, and the story names the rule."""
    outcome = run(miniature.implementation, miniature.case)

    assert outcome.verdict == "failed", outcome.reason
    assert miniature.fact in tell(outcome, load_origins())


@each_miniature
def test_reference_passes_the_case_of_a_mistake(miniature: Miniature) -> None:
    """The same case passes where the mistake isn't made."""
    outcome = run(reference, miniature.case)

    assert outcome.verdict == "passed", tell(outcome, load_origins())


@pytest.mark.parametrize("miniature", DERIVED, ids=lambda each: each.made.__name__)
def test_what_a_miniature_is_derived_from_passes(miniature: Miniature) -> None:
    """It is the mistake that fails, not that the implementation is small."""
    outcome = run(miniature.sound, miniature.case)

    assert outcome.verdict == "passed", tell(outcome, load_origins())


@each_miniature
def test_miniature_says_what_it_stands_for(miniature: Miniature) -> None:
    """A docstring tells the mistake; the reports that it names are known ones."""
    data = resources.files("pytest_podsource.data")
    known = json.loads((data / "reports.json").read_text("utf-8"))
    mistake = miniature.made.__doc__ or ""

    assert mistake
    assert set(re.findall(r"\bR\d\d\b", mistake)) <= known.keys()
