"""
``--podsource-against``: two implementations over generated scenarios.
"""

from __future__ import annotations

import pytest

from tests.plugin.conftest import RunPytest

REFERENCE = "pytest_podsource.reference"
CHANGED = """
from pytest_podsource import reference

def new_pod_config(config, env):
    return reference.new_pod_config(config, Silent(env))

class Silent:
    def __init__(self, env):
        self._env = env

    def __getattr__(self, name):
        return getattr(self._env, name)

    def send(self, update, taken=None):
        if update.op != "REMOVE":
            self._env.send(update, taken)
        elif taken is not None:
            taken()
"""


def test_equal_implementations_pass(run_pytest: RunPytest) -> None:
    """Each component that both offer is compared; the header says how."""
    result = run_pytest(
        f"--podsource-impl={REFERENCE}",
        f"--podsource-against={REFERENCE}",
        "--podsource-examples=5",
        "--podsource-seed=3",
    )

    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(
        [f"podsource: {REFERENCE} against {REFERENCE}, 5 scenarios *, seed 3"]
    )


def test_difference_is_written_out_as_a_case(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """And the case fails on the one that is wrong."""
    pytester.makepyfile(changed=CHANGED)

    found = run_pytest(
        "--podsource-impl=changed",
        f"--podsource-against={REFERENCE}",
        "--podsource-component=podconfig",
        "--podsource-examples=200",
    )
    case = pytester.path / "podsource-difference-podconfig.yaml"
    folder = pytester.mkdir("mine") / "podconfig"
    folder.mkdir()
    case.rename(folder / "difference.yaml")
    own = ("podsource/own", "--podsource-cases=mine")

    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["*REMOVE*", "*written to *podsource-difference-*"])
    assert "pytest_podsource/comparison.py" not in found.stdout.str()
    run_pytest("--podsource-impl=changed", *own).assert_outcomes(failed=1)
    run_pytest(f"--podsource-impl={REFERENCE}", *own).assert_outcomes(passed=1)


def test_nothing_in_common_is_not_green(run_pytest: RunPytest) -> None:
    """Skipped comparisons alone are exit code 5."""
    result = run_pytest("--podsource-impl=right", f"--podsource-against={REFERENCE}")

    result.assert_outcomes(skipped=3)
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
