"""
``podsource reproduce``: the script holds the case, and shows what the suite shows.
"""

from __future__ import annotations

import ast
import io
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from pytest_podsource.cli import commands
from pytest_podsource.exceptions import UsageError
from pytest_podsource.suite.bundled import bundled_root
from pytest_podsource.suite.case import load_cases
from pytest_podsource.suite.replay import case_of, plain, replay, script_of

WRONG = "def diff_snapshots(old, new):\n    return [], sorted(new), []\n"


def test_every_case_survives_as_a_literal() -> None:
    """Whatever its steps hold; only where it lay is lost."""
    for case in load_cases(bundled_root() / "cases"):
        script = script_of(case, "mine", kubelet="1.37", version="1")
        (literal,) = (
            statement.value
            for statement in ast.parse(script).body
            if isinstance(statement, ast.Assign)
            and isinstance(statement.targets[0], ast.Name)
            and statement.targets[0].id == "CASE"
        )

        again = case_of(ast.literal_eval(literal))

        assert replace(again, path=case.path, hash=case.hash) == case


def test_script_shows_the_failure_on_its_own(tmp_path: Path) -> None:
    """In a folder with nothing but the implementation."""
    (tmp_path / "mine.py").write_text(WRONG)
    CliRunner().invoke(
        commands,
        [
            "reproduce",
            "diff/equal-gives-nothing",
            "--impl=mine",
            f"--output={tmp_path / 'again.py'}",
        ],
        catch_exceptions=False,
    )

    done = subprocess.run(
        [sys.executable, "again.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("FAILED diff/equal-gives-nothing")
    assert "<- they part here" in done.stdout


def test_replay_of_what_passes_tells_its_steps() -> None:
    """With the code of success."""
    (case,) = [
        each
        for each in load_cases(bundled_root() / "cases")
        if each.id == "file/dir-ignores-dotfiles"
    ]
    said = io.StringIO()

    code = replay(
        plain(case), "pytest_podsource.reference", kubelet="1.37", stream=said
    )

    assert code == 0
    assert "0 s start" in said.getvalue()


def test_replay_for_a_kubelet_that_it_does_not_hold_for_is_not_green() -> None:
    """Nothing was shown then."""
    case = next(
        each
        for each in load_cases(bundled_root() / "cases")
        if not each.holds_for("1.1")
    )

    code = replay(
        plain(case),
        "pytest_podsource.reference",
        kubelet="1.1",
        stream=io.StringIO(),
    )

    assert code == 5


@pytest.mark.parametrize(
    ("id_", "said"),
    [
        ("backoff/next-doubles", "Right would be: backoff/next-doubles:max-5s, "),
        ("file/dir-ignores-dotfile", "Right would be: file/dir-ignores-dotfiles"),
        ("??", "See podsource cases."),
    ],
)
def test_unknown_case_is_told_with_the_near_ones(id_: str, said: str) -> None:
    """A file with rows has several."""
    done = CliRunner().invoke(commands, ["reproduce", id_])

    assert isinstance(done.exception, UsageError)
    assert said in str(done.exception)


def test_full_disk_is_told() -> None:
    """In one line."""
    done = CliRunner().invoke(
        commands, ["reproduce", "diff/equal-gives-nothing", "-o", "/dev/full"]
    )

    assert isinstance(done.exception, UsageError)
    assert "No space left on device" in str(done.exception)
