"""
The fixtures; what they give lives in ``doubles``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_podsource.suite.case import Case


@pytest.fixture(scope="session")
def podsource_impl(request: pytest.FixtureRequest) -> Any:
    """
    The implementation that --podsource-impl names: an object, or "cmd:..." as it is.

    Override it in the root conftest.py to test an object that you make yourself.
    """
    from pytest_podsource.run import run_of  # noqa: PLC0415 - only if asked

    return run_of(request.config).implementation


@pytest.fixture
def podsource_check(
    podsource_impl: Any, request: pytest.FixtureRequest
) -> Callable[[Case], None]:
    """
    What runs a case on podsource_impl: call it with the case.
    """
    from pytest_podsource.run import run_of  # noqa: PLC0415 - only if asked

    run = run_of(request.config)
    return lambda case: run.check(podsource_impl, request.node, case)
