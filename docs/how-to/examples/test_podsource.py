import pytest

from pytest_podsource.suite import cases


@pytest.mark.parametrize("case", cases())
def test_podsource(case, podsource_check):
    podsource_check(case)
