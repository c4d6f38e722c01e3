"""
``--podsource-report``: what a run writes, and that it never changes the run.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from pytest_podsource.exceptions import UnusableReport
from pytest_podsource.report.jsonlines import read
from pytest_podsource.report.model import Report, Result, RunInfo

MINE = """
def diff_snapshots(old, new):
    added = sorted(new.keys() - old.keys())
    removed = sorted(old.keys() - new.keys())
    return added, sorted(new.keys() & old.keys()), removed
"""
ASK = ("--podsource-impl=mine", "podsource/diff", "-p", "no:randomly")


@pytest.fixture(autouse=True)
def mine(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(mine=MINE)


def _only(report: Report) -> tuple[RunInfo, dict[str, Result]]:
    ((run, results),) = report.runs.items()
    return run, results


def test_report_has_the_run_and_each_verdict(pytester: pytest.Pytester) -> None:
    """Who, with what, where; verdicts, durations, timelines, stories."""
    pytester.runpytest_subprocess(*ASK, "--podsource-report=out/r.jsonl")

    run, results = _only(read(pytester.path / "out/r.jsonl"))
    failed = results["diff/equal-gives-nothing"]
    assert len(results) == 18
    assert (run.implementation, run.language) == ("mine", "python")
    assert (run.kubelet, run.components) == ("1.37", ("diff",))
    assert run.cases.suite
    assert {name for name, _ in run.environment} >= {"python", "platform", "pytest"}
    assert failed.moments[-1].parts_at == 0
    assert failed.story.startswith("FAILED diff/equal-gives-nothing")
    assert failed.seconds > 0


def test_workers_write_one_report_and_tell_one_story(
    pytester: pytest.Pytester,
) -> None:
    """All forms, in one run of two processes; JUnit is pytest's own, with properties."""
    result = pytester.runpytest_subprocess(
        *ASK,
        "-n2",
        "--podsource-report=a.md,b.html",
        "--podsource-report=c.jsonl",
        "--junitxml=j.xml",
        "--color=yes",
    )

    report = read(pytester.path / "c.jsonl")
    verdicts = Counter(each.verdict for each in _only(report)[1].values())
    assert verdicts == {"failed": 9, "passed": 9}
    assert "| 18 | 9 failed |" in (pytester.path / "a.md").read_text("utf-8")
    assert "<title>Pod sources" in (pytester.path / "b.html").read_text("utf-8")
    _check_junit(pytester.path / "j.xml")
    parted = [line for line in result.outlines if "they part here" in line]
    also = [line for line in result.outlines if "probably of one cause" in line]
    assert len(parted) == 9
    assert all("\x1b[31m" in line for line in parted)
    assert len(also) > 1
    result.stdout.fnmatch_lines(
        ["diff *", "CONFIG-*: * failures name it, of * that do*"]
    )


def _check_junit(path: Path) -> None:
    properties = [
        {each.get("name"): each.get("value") for each in test.iter("property")}
        for test in ET.parse(path).iterfind(".//testcase")
    ]
    (equal,) = [
        each
        for each in properties
        if each["podsource_case"] == "diff/equal-gives-nothing"
    ]
    assert equal["podsource_verdict"] == "failed"
    assert equal["podsource_implementation"] == "mine"
    assert equal["podsource_kubelet"] == "1.37"
    assert equal["podsource_facts"]


def test_reports_that_can_not_be_written_change_no_verdict(
    pytester: pytest.Pytester,
) -> None:
    """A full disk, a folder, a path below a file: each told, and the run goes on."""
    for name in ("full.jsonl", "full.md"):
        (pytester.path / name).symlink_to("/dev/full")
    (pytester.path / "folder.jsonl").mkdir()
    bad = ["full.jsonl", "full.md", "folder.jsonl", "mine.py/r.jsonl"]

    result = pytester.runpytest_subprocess(
        *ASK, f"--podsource-report={','.join([*bad, 'good.jsonl'])}"
    )

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(failed=9, passed=9)
    for name in bad:
        result.stdout.fnmatch_lines(
            [f"podsource: {name}: the report could not be written: *"]
        )
    assert "INTERNALERROR" not in result.stdout.str() + result.stderr.str()
    assert len(read(pytester.path / "good.jsonl").ids) == 18


def test_disk_that_is_full_does_not_turn_a_green_run_red(
    pytester: pytest.Pytester,
) -> None:
    """The exit code is that of the verdicts."""
    (pytester.path / "full.jsonl").symlink_to("/dev/full")

    result = pytester.runpytest_subprocess(
        "--podsource-impl=pytest_podsource.reference",
        "podsource/diff/equal-gives-nothing.yaml",
        "--podsource-report=full.jsonl",
    )

    assert result.ret == pytest.ExitCode.OK


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("r.xml", "*JUnit reports are pytest's own. Say --junitxml=r.xml*"),
        ("r.txt", "*Right would be one of .jsonl, .md, .html.*"),
    ],
)
def test_form_that_is_not_known_is_refused(
    pytester: pytest.Pytester, path: str, said: str
) -> None:
    """Before anything is run."""
    result = pytester.runpytest_subprocess(*ASK, f"--podsource-report={path}")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([said])


def test_test_file_of_ones_own_is_reported_too(pytester: pytest.Pytester) -> None:
    """The four lines, without our collection."""
    pytester.makepyfile(
        test_it="""
        import pytest
        from pytest_podsource import suite

        @pytest.mark.parametrize("case", suite.cases())
        def test_case(case, podsource_check):
            podsource_check(case)
        """
    )

    pytester.runpytest_subprocess(
        "--podsource-impl=mine",
        "--podsource-report=r.jsonl",
        "test_it.py",
        "-k",
        "diff/equal",
    )

    assert "diff/equal-gives-nothing" in read(pytester.path / "r.jsonl").ids


def test_run_that_is_ended_leaves_a_report_that_tells_it(
    pytester: pytest.Pytester,
) -> None:
    """Lines are written as they come; the footer is what is missing."""
    pytester.makepyfile(
        killer="""
        import os

        def pytest_runtest_logreport(report):
            if report.when == "setup" and "equal" in report.nodeid:
                os._exit(9)
        """
    )

    pytester.runpytest_subprocess(*ASK, "-pkiller", "--podsource-report=r.jsonl")

    with pytest.raises(UnusableReport, match="cut off after"):
        read(pytester.path / "r.jsonl")
