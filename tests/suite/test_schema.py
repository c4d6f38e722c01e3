"""
A user's own case is checked against the schema when it is read.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_podsource.exceptions import CaseError
from pytest_podsource.suite.case import load_cases

WriteCase = Callable[[str, str], Path]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("steps: [{start: , expcet: []}]", "line 4, steps.0.expcet: 'expcet' is not"),
        ("steps: [{start: }]\nfoo: 1", "line 5, foo: 'foo' is not known here."),
        (
            "steps:\n- {start: }\n- {advance: 20}",
            "line 6, steps.1.advance: 20 is not",
        ),
        ("steps: [{expect: []}]", "line 4, steps.0: exactly one of these is needed"),
        (
            "steps: [{start: , stop: }]",
            "line 4, steps.0: exactly one of these is needed: start, stop",
        ),
        ("given: {dir: gone}\nsteps: [{start: }]", "line 4, given.dir: 'gone' is not"),
        ("given: {peroid: 1s}\nsteps: [{start: }]", "line 4, given: 'peroid' is not"),
        ("steps: [{write: {a: {pod: a, text: b}}}]", "line 4, steps.0.write.a: "),
        ("steps: [{start: , expect: [{SETS: []}]}]", "line 4, steps.0.expect"),
        ("steps: [{chmod: {a: 644}}]", "line 4, steps.0.chmod.a: 644 is not of type"),
        ("steps: [{start: , blocked: true}]", "line 4, steps.0: 'send' is a"),
        ("reports: [16]\nsteps: [{start: }]", "line 4, reports.0: 16 is not of type"),
    ],
)
def test_own_case_that_breaks_the_schema_names_line_and_key(
    tmp_path: Path, write_case: WriteCase, text: str, reason: str
) -> None:
    """File, line and key are named, and what would have been right."""
    path = write_case("file/x.yaml", text)

    with pytest.raises(CaseError) as caught:
        load_cases(tmp_path, own=True)

    assert str(caught.value).startswith(f"{path}, {reason}")


def test_values_of_rows_are_checked_where_they_are_used(
    tmp_path: Path, write_case: WriteCase
) -> None:
    """A row's value that doesn't fit is told at the place that uses it."""
    rows = (
        "given: {dir: '${dir}'}\n"
        "examples: {good: {dir: file}, bad: {dir: gone}}\n"
        "steps: [{start: }]"
    )
    write_case("file/x.yaml", rows)

    with pytest.raises(CaseError, match=r"line 4, given.dir: 'gone' is not known here"):
        load_cases(tmp_path, own=True)
