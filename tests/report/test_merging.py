"""
Shards add up; what can't be compared is refused.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_podsource.exceptions import UnusableReport
from pytest_podsource.report.merging import merge
from pytest_podsource.report.model import CaseSet, Result
from tests.report.samples import a_report, a_result, a_run

A, B = Path("a.jsonl"), Path("b.jsonl")


def test_shards_of_one_run_become_one() -> None:
    """Each has some of the cases."""
    merged = merge({A: a_report(a_result()), B: a_report(a_result("file/y"))})

    assert [sorted(results) for results in merged.runs.values()] == [
        ["file/x", "file/y"]
    ]


def test_environments_stand_side_by_side() -> None:
    """A run of tox on two Pythons is two columns."""
    other = a_run(environment=(("python", "CPython 3.10.1"), ("tox", "py310-tests")))

    merged = merge({A: a_report(), B: a_report(run=other)})

    assert list(merged.runs) == [a_run(), other]


@pytest.mark.parametrize("order", [1, -1])
def test_worse_of_two_verdicts_counts(order: int) -> None:
    """Whichever file comes first; a case that was run and one that wasn't too."""
    reports = {A: a_report(), B: a_report(a_result(verdict="failed"))}

    merged = merge(dict(list(reports.items())[::order]))

    assert _only(merged.runs[a_run()]).verdict == "failed"


def test_case_that_was_run_outweighs_one_that_was_not() -> None:
    """A shard that doesn't offer it says nothing against it."""
    merged = merge({A: a_report(a_result(verdict="unsupported")), B: a_report()})

    assert _only(merged.runs[a_run()]).verdict == "passed"


def test_other_case_sets_are_refused() -> None:
    """With both sets, and what to do."""
    other = a_run(cases=CaseSet(suite="0.2.0", name="2026.1", digest="bb"))

    with pytest.raises(UnusableReport) as caught:
        merge({A: a_report(), B: a_report(run=other)})

    assert str(caught.value).startswith("b.jsonl: its case set is another ")
    assert "(suite 0.2.0, set 2026.1, cases bb)" in str(caught.value)
    assert "a.jsonl (suite 0.1.0, cases aa)" in str(caught.value)


def test_other_case_of_one_name_is_refused() -> None:
    """Its hash tells."""
    with pytest.raises(UnusableReport, match=r"case file/x is another .* in a\.jsonl"):
        merge({A: a_report(), B: a_report(a_result(hash="h2"))})


def _only(results: dict[str, Result]) -> Result:
    (result,) = results.values()
    return result
