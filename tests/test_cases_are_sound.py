"""
Every bundled case fits the schema, and nothing is wrong with any of them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_podsource import reference
from pytest_podsource.known import COMPONENTS
from pytest_podsource.suite.bundled import bundled_root
from pytest_podsource.suite.case import load_cases
from pytest_podsource.suite.core_yaml import Document
from pytest_podsource.suite.lint import lint
from pytest_podsource.suite.schema import Schema
from pytest_podsource.suite.story import load_origins

ROOT = bundled_root() / "cases"
FILES = sorted(ROOT.rglob("*"))


@pytest.fixture(scope="module")
def schema() -> Schema:
    """
    Return the schema, read once.
    """
    return Schema()


@pytest.mark.parametrize(
    "path",
    [path for path in FILES if path.is_file()],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_case_fits_the_schema(path: Path, schema: Schema) -> None:
    """A file among the cases is a case."""
    assert path.suffix == ".yaml"

    schema.check(Document(path))


def test_cases_have_no_findings() -> None:
    """Facts and reports exist, ids come once, orders that are open are said to be."""
    assert lint(load_cases(ROOT), load_origins()) == []


def test_reference_offers_every_level() -> None:
    """A level that it forgot would pass all cases by not running them."""
    levels = {case.level for case in load_cases(ROOT)} - {"base"}

    assert {*reference.FEATURES} == levels


def test_titles_tell_cases_apart() -> None:
    """No two files of one component have the same title, and each is one line."""
    titles: dict[tuple[str, str], str] = {}
    for case in load_cases(ROOT):
        first = titles.setdefault((case.component, case.title), case.file_id)

        assert first == case.file_id
        assert "\n" not in case.title + case.why


def test_folders_are_components() -> None:
    """A misspelt folder would be a component that nobody offers."""
    folders = {path.name for path in ROOT.iterdir() if path.is_dir()}

    assert folders <= set(COMPONENTS)
