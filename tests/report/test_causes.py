"""
Failures that name one fact are told together.
"""

from __future__ import annotations

from pytest_podsource.report.causes import causes
from pytest_podsource.report.told import also, told_causes
from tests.report.samples import a_report, a_result


def test_fact_all_of_whose_cases_failed_is_the_cause() -> None:
    """Not the one that most failures happen to name."""
    results = [
        a_result("file/a", "failed", facts=("FILE-1", "FILE-9")),
        a_result("file/b", "failed", facts=("FILE-1", "FILE-9")),
        a_result("file/c", "crashed", facts=("FILE-2", "FILE-9")),
        *(a_result(f"file/p{n}", facts=("FILE-9",)) for n in range(5)),
    ]

    found = [(cause.fact, cause.failed, cause.of) for cause in causes(results)]

    assert found == [("FILE-1", ("file/a", "file/b"), 2), ("FILE-2", ("file/c",), 1)]


def test_cases_that_were_not_run_have_no_part_in_it() -> None:
    """Unsupported ones and faults of the harness say nothing about a fact."""
    results = [a_result("file/a", "unsupported"), a_result("file/b", "harness error")]

    assert causes(results) == []


def test_failure_without_a_fact_has_no_cause() -> None:
    """A case of one's own may name none."""
    assert causes([a_result(verdict="failed", facts=())]) == []


def test_story_names_those_that_failed_alike_first() -> None:
    """Five at most."""
    others = [a_result(f"file/{n}", "failed", reason="else") for n in range(6)]
    alike = a_result("file/z", "failed")
    mine = a_result("file/y", "failed")
    results = {each.id: each for each in (*others, alike, mine)}
    (cause,) = causes(results.values())

    (line,) = also("file/y", cause, results)

    assert line == (
        "  also      probably of one cause, FILE-10: "
        "file/z, file/0, file/1, file/2, file/3 and 2 more"
    )


def test_failure_on_its_own_has_no_line() -> None:
    """There is nothing to tell."""
    report = a_report(a_result(verdict="failed"))
    results = report.runs[next(iter(report.runs))]
    (cause,) = causes(results.values())

    assert list(also("file/x", cause, results)) == []
    assert list(told_causes(report)) == []
