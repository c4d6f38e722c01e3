"""
Case files are YAML 1.2, core schema, and every place has a line.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_podsource.exceptions import CaseError
from pytest_podsource.suite.core_yaml import Document


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", "yes"),
        ("off", "off"),
        ("true", True),
        ("2024-01-01", "2024-01-01"),
        ("0o17", "0o17"),
        ("0644", "0644"),
        ("12:30:00", "12:30:00"),
        ("1_000", "1_000"),
        ("12", 12),
        ("-3", -3),
        ("0x1F", 31),
        ("1.5", 1.5),
        ("'12'", "12"),
        ("~", None),
        ("", None),
        ("<<", "<<"),
        ("=", "="),
    ],
)
def test_scalar_is_read_by_the_core_schema(
    tmp_path: Path, text: str, value: Any
) -> None:
    """A scalar means what YAML 1.2 says, with its type."""
    path = tmp_path / "x.yaml"
    path.write_text(f"key: {text}\n")

    found = Document(path).value["key"]

    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: 1\nb: 2\na: 3\n", "line 3: the key 'a' is there twice."),
        ("a: 1\n[x]: 2\n", "line 2: a key is not a text. Write a plain name."),
        ("a: 1\nb: {c\n", "line 3: did not find expected ',' or '}'."),
        ("a: 1\n---\nb: 2\n", "line 2: but found another document."),
    ],
)
def test_file_that_breaks_a_rule_is_refused_with_its_line(
    tmp_path: Path, text: str, reason: str
) -> None:
    """What can't be read is told with file and line."""
    path = tmp_path / "x.yaml"
    path.write_text(text)

    with pytest.raises(CaseError) as caught:
        Document(path)

    assert str(caught.value) == f"{path}, {reason}"


def test_file_that_is_not_there_is_an_error_of_the_case(tmp_path: Path) -> None:
    """A missing file is told like any other fault."""
    with pytest.raises(CaseError, match="can't be read: No such file"):
        Document(tmp_path / "none.yaml")


def test_where_names_line_and_key_of_any_place(tmp_path: Path) -> None:
    """A place is named by file, line and the keys that lead to it."""
    path = tmp_path / "x.yaml"
    path.write_text("a: 1\nsteps:\n- {start: }\n- advance: 20s\n  expect: []\n")

    where = Document(path).where(("steps", 1, "expect"))

    assert where == f"{path}, line 5, steps.1.expect"


def test_where_of_a_missing_key_names_the_nearest_place(tmp_path: Path) -> None:
    """A key that isn't there is looked for in its parent."""
    path = tmp_path / "x.yaml"
    path.write_text("a: 1\nb:\n  c: 2\n")

    assert Document(path).where(("b", "nope")) == f"{path}, line 3, b.nope"
    assert Document(path).where(("b", 0)) == f"{path}, line 3, b.0"


def test_where_of_an_item_beyond_a_list_names_the_list(tmp_path: Path) -> None:
    """A place that isn't there is never an error of its own."""
    path = tmp_path / "x.yaml"
    path.write_text("a:\n- 1\n- 2\n")

    assert Document(path).where(("a", 2)) == f"{path}, line 2, a.2"
    assert Document(path).where(("a", "x")) == f"{path}, line 2, a.x"
