"""
``podsource report``: several reports as one, one against another.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from pytest_podsource.cli import commands
from pytest_podsource.exceptions import UnusableReport
from pytest_podsource.report.jsonlines import read, write
from pytest_podsource.report.model import CaseSet, Report
from tests.report.samples import a_report, a_result, a_run


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _put(name: str, report: Report) -> str:
    with Path(name).open("w", encoding="utf-8") as stream:
        write(report, stream)
    return name


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(commands, ["report", *arguments])


def test_shards_are_merged() -> None:
    """Into a report that is read like any other."""
    a = _put("a.jsonl", a_report(a_result()))
    b = _put("b.jsonl", a_report(a_result("file/y")))

    done = _run("merge", a, b, "-o", "sub/all.jsonl")

    assert done.exit_code == 0
    assert read(Path("sub/all.jsonl")).ids == ["file/x", "file/y"]


def test_other_case_sets_are_refused_with_the_reason() -> None:
    """By each command that takes several."""
    a = _put("a.jsonl", a_report())
    other = a_run(cases=CaseSet(suite="2", digest="bb"))
    b = _put("b.jsonl", a_report(run=other))

    for command in ("merge", "html", "summary", "badge"):
        done = _run(command, a, b)

        assert isinstance(done.exception, UnusableReport)
        assert "its case set is another" in str(done.exception)


def test_page_has_all_runs() -> None:
    """One column each."""
    a = _put("a.jsonl", a_report())
    b = _put("b.jsonl", a_report(run=a_run("other")))

    done = _run("html", a, b, "-o", "page.html")

    assert done.exit_code == 0
    assert "2 runs of 1 cases" in Path("page.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("old", "new", "code", "said"),
    [
        ("passed", "passed", 0, "nothing changed"),
        ("passed", "failed", 1, "file/x  passed -> failed: expected: a; got: b"),
        ("failed", "passed", 0, "1 better"),
    ],
)
def test_diff_says_what_changed(old: Any, new: Any, code: int, said: str) -> None:
    """Its exit code is for CI."""
    a = _put("a.jsonl", a_report(a_result(verdict=old)))
    b = _put("b.jsonl", a_report(a_result(verdict=new)))

    done = _run("diff", a, b)

    assert done.exit_code == code
    assert said in done.output


@pytest.mark.parametrize(
    ("verdict", "code"), [("passed", 0), ("failed", 1), ("unsupported", 5)]
)
def test_summary_has_the_exit_code_of_the_run(verdict: Any, code: int) -> None:
    """As pytest has them."""
    name = _put("a.jsonl", a_report(a_result(verdict=verdict)))

    done = _run("summary", name)

    assert done.exit_code == code
    assert "mine 1.0, against kubelet 1.37" in done.output


def test_summary_as_markdown() -> None:
    """For the summary of a job."""
    done = _run("summary", "--markdown", _put("a.jsonl", a_report()))

    assert "| file | 1 of 1 | 1 | none |" in done.output


def test_badge_is_written() -> None:
    """For one component, with a label of one's own."""
    name = _put("a.jsonl", a_report())

    done = _run("badge", name, "--component", "file", "--label", "mine")

    assert done.output.startswith("<svg")
    assert "mine: file 1 of 1" in done.output


def test_output_that_can_not_be_written_is_told() -> None:
    """A full disk, a path below a file."""
    name = _put("a.jsonl", a_report())

    for output in ("/dev/full", "a.jsonl/below"):
        done = _run("merge", name, "-o", output)

        assert isinstance(done.exception, UnusableReport)
        assert "it can't be written" in str(done.exception)
