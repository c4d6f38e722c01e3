"""
A project of a user's, with implementations that are right, wrong and broken.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

RIGHT = """
def diff_snapshots(old, new):
    added = sorted(new.keys() - old.keys())
    updated = sorted(key for key in new.keys() & old.keys() if new[key] != old[key])
    return added, updated, sorted(old.keys() - new.keys())
"""
WRONG = """
def diff_snapshots(old, new):
    return sorted(new), [], []
"""
BROKEN = """
def diff_snapshots(old, new):
    raise RuntimeError("out of order")
"""

RunPytest = Callable[..., pytest.RunResult]


@pytest.fixture
def run_pytest(pytester: pytest.Pytester) -> RunPytest:
    """What runs pytest in a folder with the modules right, wrong and broken."""
    pytester.makepyfile(right=RIGHT, wrong=WRONG, broken=BROKEN)

    def run(*arguments: str) -> pytest.RunResult:
        options = ("-p", "no:randomly", "-W", "error", "--strict-markers")
        return pytester.runpytest_subprocess(*options, *arguments)

    return run
