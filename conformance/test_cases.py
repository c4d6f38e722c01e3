"""
The bundled cases as plain tests, for IDEs and for those who want no collector.
"""

import pytest

from pytest_podsource import suite


@pytest.mark.parametrize("case", suite.cases())
def test_case(podsource_check, case):
    podsource_check(case)
