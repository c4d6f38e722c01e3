"""
Cases: load, run, judge, tell.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def cases(root: Path | None = None) -> list[pytest.ParameterSet]:
    """
    Return all cases as parameters for a test of one's own.

    Args:
        root: A folder of one's own cases; ``None`` for the bundled ones.
    """
    import pytest  # noqa: PLC0415 - the suite runs without pytest too

    # Not above: who imports the suite reads no case yet.
    from pytest_podsource.suite.bundled import bundled_root  # noqa: PLC0415
    from pytest_podsource.suite.case import load_cases  # noqa: PLC0415

    found = (
        load_cases(bundled_root() / "cases")
        if root is None
        else load_cases(root, own=True)
    )
    return [pytest.param(case, id=case.id) for case in found]
