"""
The bundled cases as plain tests, for IDEs and for those who want no collector.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_podsource import suite
from pytest_podsource.suite.case import Case


@pytest.mark.parametrize("case", suite.cases())
def test_case(podsource_check: Callable[[Case], None], case: Case) -> None:
    """Its verdict is the case's."""
    podsource_check(case)
