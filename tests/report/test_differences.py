"""
What is otherwise from one report to the next.
"""

from __future__ import annotations

from typing import Any

import pytest

from pytest_podsource.report.differences import Kind, differences
from tests.report.samples import a_report, a_result, a_run


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("passed", "failed", "worse"),
        ("passed", "harness error", "worse"),
        ("failed", "passed", "better"),
        ("crashed", "failed", "other"),
        ("passed", "unsupported", "other"),
        ("unsupported", "failed", "worse"),
        ("failed", "unsupported", "better"),
    ],
)
def test_verdicts_get_worse_or_better(before: Any, after: Any, kind: Kind) -> None:
    """Failing and not failing is what counts."""
    (found,) = differences(
        a_report(a_result(verdict=before)), a_report(a_result(verdict=after))
    )

    assert (found.kind, found.old, found.new) == (kind, before, after)
    assert found.bad is (kind == "worse")


def test_equal_reports_have_no_difference() -> None:
    """Durations don't count."""
    assert differences(a_report(), a_report(a_result(seconds=9))) == []


def test_cases_come_and_go_and_change() -> None:
    """A new case that fails is as bad as one that got worse."""
    old = a_report(a_result("file/gone"), a_result("file/x"))
    new = a_report(a_result("file/new", "failed"), a_result("file/x", hash="h2"))

    found = differences(old, new)

    assert [(each.id, each.kind, each.bad) for each in found] == [
        ("file/x", "changed case", False),
        ("file/new", "new", True),
        ("file/gone", "gone", False),
    ]


def test_single_runs_are_compared_whatever_they_are_called() -> None:
    """A new version of what is tested is what one wants to compare."""
    old, new = a_report(run=a_run(version="1")), a_report(run=a_run(version="2"))

    assert differences(old, new) == []


def test_several_runs_are_compared_by_name() -> None:
    """One that is lacking in the old report is new as a whole."""
    old, new = a_report(), a_report(a_result(verdict="failed"))
    new.add(a_run("other"), a_result())

    found = differences(old, new)

    assert [(each.run, each.kind) for each in found] == [
        ("mine 1.0", "worse"),
        ("other 1.0", "new"),
    ]
