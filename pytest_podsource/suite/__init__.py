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

    from pytest_podsource.suite.case import (  # noqa: PLC0415 - reads no case before
        bundled_root,
        load_cases,
    )

    found = (
        load_cases(bundled_root() / "cases")
        if root is None
        else load_cases(root, own=True)
    )
    return [pytest.param(case, id=case.id) for case in found]
