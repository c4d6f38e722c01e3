"""
``--podsource-set``: a score that stays comparable while cases come and change.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_podsource import frozen
from pytest_podsource.exceptions import UsageError
from pytest_podsource.suite.bundled import bundled_root
from pytest_podsource.suite.case import load_cases
from tests.plugin.conftest import RunPytest


@pytest.fixture
def sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of sets in the place of the bundled one."""
    folder = tmp_path / "sets"
    folder.mkdir()
    monkeypatch.setattr(frozen, "bundled_root", lambda: tmp_path)
    return folder


def test_text_of_a_set_is_read_back(sets: Path) -> None:
    """Each case of level base, with its hash; features are left out."""
    cases = load_cases(bundled_root() / "cases")
    (sets / "0.1.txt").write_text(frozen.text_of(cases))

    found = frozen.read("0.1")

    assert found == {case.id: case.hash for case in cases if case.level == "base"}
    assert 0 < len(found) < len(cases)


def test_unknown_set_names_those_that_are_there(sets: Path) -> None:
    """A slip in its name isn't taken for all cases."""
    (sets / "0.1.txt").touch()

    with pytest.raises(UsageError, match=r"'0\.2' is not known\. Known: 0\.1\."):
        frozen.read("0.2")


def test_set_scores_its_cases_as_they_were(
    sets: Path, run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """A case that is new or another since then is run, and not scored."""
    cases = load_cases(bundled_root() / "cases")
    ready = [case for case in cases if case.component == "ready"]
    same, changed = ready[:2]
    (sets / "0.1.txt").write_text(f"{same.id} {same.hash}\n{changed.id} 0000\n")
    pytester.makeconftest(
        "import pathlib\n"
        "from pytest_podsource import frozen\n"
        f"frozen.bundled_root = lambda: pathlib.Path({str(sets.parent)!r})\n"
    )

    result = run_pytest(
        "--podsource-impl=pytest_podsource.reference",
        "--podsource-set=0.1",
        "podsource/ready",
    )

    result.stdout.fnmatch_lines([f"ready *1 of 1 cases *{len(ready)} rows*"])
