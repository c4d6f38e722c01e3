"""
A report of JSON lines is read as it was written, or it is said what is wrong with it.
"""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from pytest_podsource.exceptions import UnusableReport
from pytest_podsource.report.jsonlines import read, write
from pytest_podsource.report.model import Report
from tests.report.samples import a_moment, a_report, a_result, a_run, hostile


def _written(report: Report) -> str:
    stream = io.StringIO()
    write(report, stream)
    return stream.getvalue()


def _file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "r.jsonl"
    path.write_text(text, "utf-8")
    return path


def test_what_was_written_is_read(tmp_path: Path) -> None:
    """Every field, of several runs."""
    report = a_report(
        a_result(reports=("R01",), versions=">=1.20", story="told", seconds=0.5),
        a_result("file/y", "crashed", moments=(a_moment(), a_moment(parts_at=None))),
    )
    report.add(a_run("other", seed=3), a_result(scored=False))

    assert read(_file(tmp_path, _written(report))) == report


def test_hostile_text_survives(tmp_path: Path) -> None:
    """Controls, surrogates, line separators: one line stays one line."""
    report = hostile()
    report.add(a_run(), a_result(reason="\ud800\u2028\x85", verdict="failed"))

    text = _written(report)

    assert text.isascii()
    assert read(_file(tmp_path, text)) == report


def test_footer_counts(tmp_path: Path) -> None:
    """So that a reader sees what a run was without reading it all."""
    last = _written(a_report(a_result(), a_result("file/y", "failed"))).splitlines()[-1]

    assert json.loads(last) == {
        "kind": "footer",
        "runs": 1,
        "cases": 2,
        "verdicts": {"failed": 1, "passed": 1},
    }


@pytest.mark.parametrize("lost", [1, 30, 200])
def test_report_that_was_cut_off_is_told(tmp_path: Path, lost: int) -> None:
    """Between two lines or within one."""
    text = _written(a_report(a_result(), a_result("file/y")))

    with pytest.raises(UnusableReport, match="cut off after"):
        read(_file(tmp_path, text[: -lost - 1]))


def test_report_cut_off_at_a_line_is_told(tmp_path: Path) -> None:
    """It looks whole, but for its footer."""
    lines = _written(a_report()).splitlines(keepends=True)

    with pytest.raises(UnusableReport, match="cut off after 1 cases: the footer"):
        read(_file(tmp_path, "".join(lines[:-1])))


def test_report_that_lost_a_line_is_told(tmp_path: Path) -> None:
    """The footer counts more than there are."""
    lines = _written(a_report()).splitlines(keepends=True)

    with pytest.raises(UnusableReport, match="counts 1 cases, but it has 0"):
        read(_file(tmp_path, "".join([*lines[:2], lines[-1]])))


def test_reports_that_were_strung_together_are_told(tmp_path: Path) -> None:
    """The second would be lost without a word."""
    text = _written(a_report())

    with pytest.raises(UnusableReport, match="podsource report merge"):
        read(_file(tmp_path, text + text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: it is no report"),
        ("rubbish\n", "line 1: it isn't JSON"),
        ("[]\n", "line 1: it is no object"),
        ('{"kind":"case"}\n', "line 1: it is no report"),
        ('{"kind":"report","schema":99}\n', "its schema is 99, known is 1"),
        ('{"kind":"report","schema":1}\n{"kind":"other","run":0}\n', "no kind of line"),
        ('{"kind":"report","schema":1}\n{"kind":"case","run":0}\n', "line 2: KeyError"),
        ('{"kind":"report","schema":1}\n{"kind":"run","run":0}\n', "line 2: KeyError"),
    ],
)
def test_other_files_are_refused_with_the_reason(
    tmp_path: Path, text: str, said: str
) -> None:
    """Where, what, and what would have been right."""
    with pytest.raises(UnusableReport) as caught:
        read(_file(tmp_path, text))

    assert said in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path))


def test_verdict_that_is_none_is_refused(tmp_path: Path) -> None:
    """A word from elsewhere isn't counted."""
    text = _written(a_report()).replace('"passed"', '"great"', 1)

    with pytest.raises(UnusableReport, match="'great' is no verdict"):
        read(_file(tmp_path, text))


def test_file_that_can_not_be_read_is_told(tmp_path: Path) -> None:
    """No traceback of ours."""
    binary = tmp_path / "b.jsonl"
    binary.write_bytes(b"\xff\xfe")

    with pytest.raises(UnusableReport, match="No such file"):
        read(tmp_path / "none.jsonl")
    with pytest.raises(UnusableReport, match="isn't UTF-8"):
        read(binary)
