"""
The reference does what the real kubelets do, also where no case looks.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_podsource.differential import case_text, compare
from pytest_podsource.driver.base import Driver
from pytest_podsource.driver.load import load_driver

BUILT = Path(__file__).parents[2] / "adapters" / "kubelet" / "bin"
EXAMPLES = 50
SEED = 2


@pytest.fixture(params=["1.37", "1.36", "1.34", "1.30", "1.20", "1.1"], scope="module")
def kubelet(request: pytest.FixtureRequest) -> str:
    minor: str = request.param
    if not (BUILT / f"kubelet-{minor}").exists():
        pytest.skip(f"kubelet-{minor} isn't built; adapters/kubelet/build does it")
    return minor


@pytest.fixture(scope="module")
def real(kubelet: str) -> Iterator[Driver]:
    driver = load_driver(f"cmd:{BUILT / f'kubelet-{kubelet}'}", kubelet=kubelet)
    yield driver
    driver.close()


@pytest.mark.parametrize("component", ["podconfig", "manifest", "file"])
def test_the_reference_does_not_differ_from_the_kubelet(
    component: str, kubelet: str, real: Driver
) -> None:
    """A short comparison; docs/how-to/compare-two-implementations.md has long ones."""
    reference = load_driver("pytest_podsource.reference", kubelet=kubelet)

    found = compare(reference, real, component, EXAMPLES, SEED, kubelet=kubelet)

    assert found is None, f"{found}\n{case_text(found)}"
