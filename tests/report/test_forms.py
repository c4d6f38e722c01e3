"""
Markdown, badge and texts for people: what anybody wrote shows as text.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from pytest_podsource.report.badge import badge
from pytest_podsource.report.markdown import markdown
from pytest_podsource.report.model import Report
from pytest_podsource.report.visible import in_markdown, one_line, visible
from tests.report.samples import HOSTILE, a_report, a_result, a_run, hostile, many


def test_what_can_not_be_seen_is_written_out() -> None:
    """Controls, and marks that turn the direction of a text."""
    assert visible("a\x00\x1b[31m\u202eb\u2028\ud800\ttab\nline") == (
        "a\\u0000\\u001b[31m\\u202eb\\u2028\\ud800\ttab\nline"
    )


def test_long_text_is_cut_and_says_so() -> None:
    """A megabyte is not shown."""
    assert one_line("x" * 1_000_000, 10) == "x" * 10 + " ... (1000000 characters)"


def test_markdown_has_a_table_failures_and_causes() -> None:
    """What a reviewer asks first."""
    text = markdown(
        a_report(
            a_result("file/a", "failed", story="FAILED file/a\n  again  pytest x"),
            a_result("file/b", "crashed"),
            a_result("file/c"),
        )
    )

    assert "## Pod sources: mine 1.0" in text
    assert "| file | 1 of 3 | 3 | 1 crashed, 1 failed |" in text
    assert "### 2 failed" in text
    assert "- **file/a** (failed): what is shown. expected: a; got: b" in text
    assert "- FILE-10, 2 of 3: file/a, file/b" in text
    assert "    FAILED file/a\n      again  pytest x" in text


def test_markdown_of_nothing_says_so() -> None:
    """An empty comment would look like a fault of the pipeline."""
    assert "No case was run." in markdown(Report())


def test_markdown_stays_small() -> None:
    """It fits into the comment of a pull request."""
    assert len(markdown(many(2, 600))) < 65_536


def test_hostile_text_is_no_markup_in_markdown() -> None:
    """Neither HTML nor a link nor a table."""
    text = markdown(hostile())

    prose = "\n".join(line for line in text.splitlines() if line[:4] != "    ")
    assert "<script" not in prose
    assert "<img" not in prose
    assert "\u202e" not in text
    assert len(text) < 65_536
    assert in_markdown("[a](b) | `c` <d> *e* @f") == (
        r"\[a\]\(b\) \| \`c\` &lt;d&gt; \*e\* @f"
    )


@pytest.mark.parametrize(
    ("report", "component", "said"),
    [
        (a_report(), "", "1 of 1 components pass"),
        (a_report(a_result(verdict="failed")), "", "0 of 1 components pass"),
        (a_report(a_result(verdict="failed"), a_result("file/y")), "file", "1 of 2"),
        (Report(), "", "nothing was run"),
        (a_report(), "http", "nothing was run"),
    ],
)
def test_badge_says_how_many_components_pass(
    report: Report, component: str, said: str
) -> None:
    """Or, for one component, how many of its cases; never one percentage."""
    picture = badge(report, component=component)

    assert said in picture
    assert ET.fromstring(picture).tag.endswith("svg")


def test_badge_colors_differ() -> None:
    """Whole, partly, not at all, nothing: told by more than words."""
    reports = (
        a_report(),
        a_report(a_result(verdict="failed"), a_result("file/y")),
        a_report(a_result(verdict="failed")),
        Report(),
    )

    colors = {re.findall(r'fill="(#\w+)"', badge(each))[0] for each in reports}

    assert len(colors) == 4


def test_badge_of_a_hostile_label_is_sound() -> None:
    """It stands in other people's pages."""
    picture = badge(a_report(run=a_run(HOSTILE)), label=HOSTILE)

    assert ET.fromstring(picture).findall(".//{*}script") == []
