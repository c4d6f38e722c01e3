"""
Differential testing finds what was planted, and nothing where nothing was.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_podsource.differential import Difference, case_text, compare
from pytest_podsource.driver.base import Driver
from pytest_podsource.driver.load import load_driver
from pytest_podsource.suite.case import load_file
from pytest_podsource.suite.runner import run_case
from pytest_podsource.world.simulated import SimulatedWorld
from tests.differential.planted import FAULTS, Fault, by_component

EXAMPLES = 2_000
SEED = 1


@pytest.fixture(scope="module")
def right() -> Driver:
    return load_driver("pytest_podsource.reference")


def found(fault: Fault, right: Driver) -> Difference:
    difference = compare(fault.driver(), right, fault.component, EXAMPLES, SEED)
    assert difference is not None
    return difference


def test_at_least_twenty_faults_are_planted() -> None:
    """They are of all the components that have scenarios."""
    assert len(FAULTS) >= 20
    assert min(by_component().values()) >= 4


@pytest.mark.parametrize("component", ["podconfig", "manifest", "file"])
def test_an_implementation_does_not_differ_from_itself(
    component: str, right: Driver
) -> None:
    """Equality is not too strict: no false alarm."""
    assert compare(right, right, component, 100, SEED) is None


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_planted_fault_is_found_and_its_case_tells_the_two_apart(
    fault: Fault, right: Driver, tmp_path: Path
) -> None:
    """The case that is written out passes on the right one and fails on the other."""
    difference = found(fault, right)

    path = tmp_path / fault.component / "found.yaml"
    path.parent.mkdir()
    path.write_text(case_text(difference))
    (case,) = load_file(path, tmp_path)
    verdicts = [
        run_case(case, driver, SimulatedWorld, kubelet="1.37").verdict
        for driver in (right, fault.driver())
    ]
    assert len(difference.document["steps"]) <= 5
    assert verdicts in (["passed", "failed"], ["passed", "crashed"]), path.read_text()


def test_the_same_seed_finds_the_same(right: Driver) -> None:
    """A difference can be found again by its seed."""
    first, second = found(FAULTS[0], right), found(FAULTS[0], right)

    assert first.document == second.document
    assert str(first) == str(second)


def test_a_component_without_scenarios_says_which_have_some(right: Driver) -> None:
    """The message names what would have been right."""
    with pytest.raises(ValueError, match="Components with some: file, manifest"):
        compare(right, right, "backoff", 1, SEED)
