"""
The page as text: small, self-contained, and with nothing of others as markup.
"""

from __future__ import annotations

import json
import re
import sys
from html.parser import HTMLParser

import pytest

from pytest_podsource.exceptions import UsageError
from pytest_podsource.report.model import Report
from pytest_podsource.report.page import page
from pytest_podsource.report.visible import visible
from tests.report.samples import HOSTILE, a_report, a_result, a_run, hostile, many


class _Elements(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def _data(text: str, name: str) -> dict[str, object]:
    found = re.search(
        rf'<script type="application/json" id="{name}">(.*)</script>', text
    )
    assert found
    value: dict[str, object] = json.loads(found[1])
    return value


def test_page_of_five_times_600_cases_is_small() -> None:
    """Under 3 MB, with all timelines; the elements at load are counted in a browser."""
    text = page(many(5, 600))

    assert len(text.encode()) < 3_000_000
    assert len(_Elements(text).found) < 300


def test_page_asks_for_nothing_from_elsewhere() -> None:
    """No address, no link out of the page, and a policy that forbids requests."""
    elements = _Elements(page(many(2, 3))).found

    addresses = [
        value
        for _, attributes in elements
        for name, value in attributes.items()
        if name in ("src", "href", "srcset", "action", "data")
    ]
    policy = next(a for _, a in elements if "http-equiv" in a)["content"] or ""
    assert addresses == ["#matrix"]
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy


def test_hostile_text_is_never_markup() -> None:
    """In every field; controls and marks of direction are written out."""
    text, harmless = page(hostile()), page(a_report(a_result(verdict="failed")))

    tags = [tag for tag, _ in _Elements(text).found]
    assert tags == [tag for tag, _ in _Elements(harmless).found]
    assert "\u202e" not in text
    assert "\x00" not in text
    assert len(text) < len(harmless) + 20_000
    assert visible(f"{HOSTILE} {HOSTILE}", 80) in _Elements(text).texts


def test_equal_texts_and_timelines_stand_once() -> None:
    """What five implementations do alike costs as much as one."""
    one, five = many(1, 100), Report()
    for number in range(5):
        for result in one.runs[a_run("implementation-0")].values():
            five.add(a_run(f"copy-{number}"), result)

    grown = len(page(five)) - len(page(one))

    assert grown < 15_000


def test_runs_of_one_name_are_told_apart() -> None:
    """By what differs: here the Python."""
    report = a_report()
    report.add(a_run(environment=(("python", "CPython 3.10.1"),)), a_result())

    assert _data(page(report), "index")["runs"] == [
        "mine 1.0 CPython 3.13.0",
        "mine 1.0 CPython 3.10.1",
    ]


def test_matrix_has_a_letter_for_each_verdict() -> None:
    """And a dot where a run doesn't have the case."""
    report = a_report(a_result("file/a", "crashed"), a_result("file/b"))
    report.add(a_run("other"), a_result("file/b", "known"))

    index = _data(page(report), "index")

    verdicts = index["verdicts"]
    assert isinstance(verdicts, dict)
    cells = [
        [verdicts.get(letter, "") for letter in run]
        for run in index["cells"]  # type: ignore[attr-defined]
    ]
    assert cells == [["crashed", "passed"], ["", "known"]]


def test_page_of_an_empty_report_can_be_made() -> None:
    """A run that was ended at once has none."""
    assert "0 runs of 0 cases" in page(Report())


def test_page_without_jinja_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The extra is named."""
    monkeypatch.setitem(sys.modules, "jinja2", None)

    with pytest.raises(UsageError, match=r"Install pytest-podsource\[report\]"):
        page(Report())
