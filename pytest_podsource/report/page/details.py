"""
What the page shows of a case when it is opened, each text and each timeline once.
"""

from __future__ import annotations

from typing import Any

from pytest_podsource.data import table
from pytest_podsource.report.model import Report, Result
from pytest_podsource.report.visible import visible
from pytest_podsource.suite.verdict import Moment

_LONGEST = 400
_MOST_LINES = 40
_MOST_MOMENTS = 40


class _Pool:
    """
    Values by number, each once.
    """

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._numbers: dict[str, int] = {}

    def number(self, value: Any, key: str) -> int:
        """Return the number of *value*, the same for an equal one."""
        known = self._numbers.setdefault(key, len(self.values))
        if known == len(self.values):
            self.values.append(value)
        return known


def details(report: Report) -> dict[str, Any]:
    """
    Return timelines, reasons, durations, and the rules behind the cases.

    A cell is ``[timeline, reason, milliseconds]``, a timeline a list of
    ``[step, nanoseconds, done, expected, got, times, parts at]`` with texts by number;
    ``got`` is 0 where it is what was expected.
    """
    texts, lines = _Pool(), _Pool()
    ids = report.ids
    cells = [
        [_cell(results[id_], texts, lines) if id_ in results else 0 for id_ in ids]
        for results in report.runs.values()
    ]
    about = [_about(report, id_) for id_ in ids]
    return {
        "texts": texts.values,
        "timelines": lines.values,
        "cells": cells,
        "about": about,
        "facts": {
            fact: [each["rule"], each["from"], each["versions"]]
            for fact, each in table("facts").items()
            if any(fact in facts for facts, _, _ in about)
        },
        "reports": {
            number: [each["source"], each["symptom"]]
            for number, each in table("reports").items()
            if any(number in reports for _, reports, _ in about)
        },
    }


def _about(report: Report, id_: str) -> tuple[list[str], list[str], str]:
    result = next(each[id_] for each in report.runs.values() if id_ in each)
    return (
        [visible(fact, 40) for fact in result.facts[:20]],
        [visible(number, 40) for number in result.reports[:20]],
        visible(result.versions, 80),
    )


def _cell(result: Result, texts: _Pool, lines: _Pool) -> list[int]:
    moments = result.moments[-_MOST_MOMENTS:]
    timeline = [_moment(moment, texts) for moment in moments]
    return [
        lines.number(timeline, repr(timeline)),
        _text(result.reason, texts),
        round(result.seconds * 1000),
    ]


def _moment(moment: Moment, texts: _Pool) -> list[Any]:
    first = max(0, (moment.parts_at or 0) - _MOST_LINES // 2)
    expected = _numbers(moment.expected, first, texts)
    got = _numbers(moment.got, first, texts)
    parts = -1 if moment.parts_at is None else moment.parts_at - first
    times = list(moment.got_at_ns[first : first + _MOST_LINES])
    return [
        moment.step,
        moment.at_ns,
        _text(moment.done, texts),
        expected,
        0 if got == expected else got,
        times if any(each is not None for each in times) else 0,
        parts,
    ]


def _numbers(lines: tuple[str, ...], first: int, texts: _Pool) -> list[int]:
    shown = lines[first : first + _MOST_LINES]
    return [_text(line, texts) for line in shown]


def _text(text: str, texts: _Pool) -> int:
    shown = visible(text, _LONGEST)
    return texts.number(shown, shown)
