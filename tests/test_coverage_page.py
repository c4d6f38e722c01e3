"""
Every fact, every scenario of the kubelet's own tests and every report has its cases.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

from pytest_podsource.suite.bundled import bundled_root
from pytest_podsource.suite.case import Case, load_cases

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return load_cases(bundled_root() / "cases")


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    monkeypatch.delitem(sys.modules, "make_coverage", raising=False)
    return importlib.import_module("make_coverage")


def test_the_page_is_as_the_script_makes_it(
    script: ModuleType, cases: list[Case]
) -> None:
    """A new case, fact or report comes with the table of it."""
    made = script.page(cases)

    assert script.PAGE.read_text("utf-8") == made, "run scripts/make_coverage.py"


def test_no_row_is_empty(script: ModuleType, cases: list[Case]) -> None:
    """Each row of the three tables names a case or a reason."""
    rows = [line for line in script.page(cases).splitlines() if line.startswith("| ")]

    assert [row for row in rows if row.endswith("|  |")] == []


def test_a_fact_has_cases_or_a_reason_and_not_both(
    script: ModuleType, cases: list[Case]
) -> None:
    """The page of what isn't covered holds nothing that a case shows."""
    reasons = script.not_covered(script.NOT_COVERED.read_text("utf-8"))
    shown = {fact for case in cases for fact in case.facts}

    assert reasons & shown == set()


def test_the_scenarios_name_cases_that_are_there(
    script: ModuleType, cases: list[Case]
) -> None:
    """Each scenario on the page has an entry, and what it names is a case."""
    files = {case.file_id for case in cases}
    named = {
        each
        for by in script.SCENARIOS.values()
        if not isinstance(by, str)
        for each in by
    }
    count = len(list(script.scenarios(script.BEHAVIOUR.read_text("utf-8"))))

    assert named - files == set()
    assert list(script.SCENARIOS) == list(range(1, count + 1))
