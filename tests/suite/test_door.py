"""
The door for development runs cases without pytest.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_podsource.suite.__main__ import main

WriteCase = Callable[[str, str], Path]
RIGHT = "steps: [{call: {diff_snapshots: {old: {}, new: {}}}, returns: {added: []}}]"
IMPLEMENTATION = "def diff_snapshots(old, new):\n    return [], [], []\n"


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., int]:
    """
    Return what runs the cases below *tmp_path* on a differ that finds nothing.
    """
    module = tmp_path / "differ.py"
    module.write_text(IMPLEMENTATION)
    fixed = ["--impl", str(module), "--cases", str(tmp_path)]
    return lambda *what: main([*what, *fixed])


def test_door_counts_verdicts(
    run: Callable[..., int], write_case: WriteCase, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is told of what passed or was skipped."""
    write_case("diff/x.yaml", RIGHT)
    write_case("ready/x.yaml", "steps: [{call: all_ready}]")

    assert run() == 0
    assert capsys.readouterr().out == "1 passed, 1 unsupported\n"


def test_door_tells_stories_and_findings(
    run: Callable[..., int], write_case: WriteCase, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only of the cases that were asked for."""
    write_case("diff/x.yaml", RIGHT)
    wrong = RIGHT.replace("[]", "[a]") + "\nreports: [R999]"
    path = write_case("diff/sub/y.yaml", wrong)

    assert run("diff/x") == 0
    assert run("diff/sub") == 1
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "1 passed"
    assert told[1] == f"{path}, reports: there is no report R999."
    assert told[2].startswith("FAILED diff/sub/y   step 1 of 1: call diff_snapshots")
    assert told[-1] == "1 failed"
