"""
Stories on the terminal: in colour where it has colours, with the failures beside them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from pytest_podsource.report.causes import Cause, causes
from pytest_podsource.report.model import Report, Result
from pytest_podsource.report.visible import visible

_MOST = 5
_PARTS = "<- they part here"
_LABELS = frozenset({"given", "kubelet", "met", "again", "also"})


class ToldStory:
    """
    What pytest prints of a failed case.

    Args:
        text: The story.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text

    def toterminal(self, tw: Any) -> None:
        """Print it, as pytest asks what it prints to."""
        for number, line in enumerate(self._text.splitlines()):
            tw.line(visible(line), **_markup(number, line))

    @classmethod
    def put_into(
        cls, failed: Iterable[tuple[pytest.TestReport, str]], report: Report
    ) -> None:
        """Let the pytest reports of *failed* cases tell what *report* knows of them."""
        beside = {
            id_: (cause, results)
            for results in report.runs.values()
            for cause in causes(results.values())
            for id_ in cause.failed
        }
        for told, id_ in failed:
            text = str(told.longrepr)
            if id_ in beside:
                text += "".join(f"\n{line}" for line in also(id_, *beside[id_]))
            told.longrepr = cls(text)  # type: ignore[assignment]


def also(id_: str, cause: Cause, results: dict[str, Result]) -> Iterator[str]:
    """
    Return the lines that name the other failures of one cause.
    """
    others = [each for each in cause.failed if each != id_]
    if not others:
        return
    same = [each for each in others if results[each].reason == results[id_].reason]
    shown = [*same, *(each for each in others if each not in same)][:_MOST]
    more = f" and {len(others) - _MOST} more" if len(others) > _MOST else ""
    yield (f"  also      probably of one cause, {cause.fact}: {', '.join(shown)}{more}")


def told_causes(report: Report) -> Iterator[str]:
    """
    Return a line for each fact that several failures have in common.
    """
    for results in report.runs.values():
        for cause in causes(results.values()):
            if len(cause.failed) > 1:
                yield (
                    f"{cause.fact}: {len(cause.failed)} failures name it, "
                    f"of {cause.of} cases that do: {_few(cause.failed)}"
                )


def _few(ids: tuple[str, ...]) -> str:
    more = f" and {len(ids) - _MOST} more" if len(ids) > _MOST else ""
    return ", ".join(ids[:_MOST]) + more


def _markup(number: int, line: str) -> dict[str, bool]:
    if number == 0:
        return {"red": True, "bold": True}
    if line.endswith(_PARTS):
        return {"red": True}
    if line[:2] == "  " and line[2:].partition(" ")[0] in _LABELS:
        return {"cyan": True}
    return {}
