"""
``podsource new-adapter``: each template builds and passes; where its tool is there.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pytest_podsource.cli import commands
from pytest_podsource.cli.new_adapter import TARGETS
from pytest_podsource.driver.load import load_driver
from pytest_podsource.exceptions import UsageError
from pytest_podsource.suite.bundled import bundled_root
from pytest_podsource.suite.case import load_cases
from pytest_podsource.suite.runner import run_case
from pytest_podsource.world.simulated import SimulatedWorld

MOST_LINES = 120
_SILENT = re.compile(r"\s*((//|#(?!\[|!)).*|[\]});,]+)?$")
OFFERED = ("backoff", "podconfig")
BUILD = {
    "go": ["go", "build", "-o", "built", "."],
    "rust": ["cargo", "build", "--quiet", "--offline"],
}
BUILT = {
    "go": "cmd:./built",
    "rust": "cmd:target/debug/my-adapter",
    "node": TARGETS["node"],
    "python": TARGETS["python"],
}
TOOLS = {"go": "go", "rust": "cargo", "node": "node", "python": "python3"}


def write(language: str, folder: Path) -> str:
    result = CliRunner().invoke(commands, ["new-adapter", language, str(folder)])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("language", sorted(TARGETS))
def test_new_adapter_is_short_and_says_how_to_go_on(
    language: str, tmp_path: Path
) -> None:
    """At most 120 lines of code: blank ones, comments and brackets aside."""
    said = write(language, tmp_path / "mine")

    lines = [
        line
        for path in (tmp_path / "mine").rglob("*")
        if path.is_file()
        for line in path.read_text().splitlines()
        if not _SILENT.match(line)
    ]

    assert 60 <= len(lines) <= MOST_LINES
    assert f'pytest --podsource-impl="{TARGETS[language]}"' in said
    assert "Next: " in "".join(path.read_text() for path in _sources(tmp_path))


@pytest.mark.parametrize("language", sorted(TARGETS))
def test_new_adapter_passes_backoff_and_podconfig_at_once(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every case of the level base; a word that it doesn't know is no end."""
    if shutil.which(TOOLS[language]) is None:
        pytest.skip(f"{TOOLS[language]} is not installed")
    write(language, tmp_path)
    monkeypatch.chdir(tmp_path)
    if language in BUILD:
        built = subprocess.run(
            BUILD[language], capture_output=True, text=True, check=False, timeout=300
        )
        if "--offline" in built.stderr:
            pytest.skip("the crates of the template are not at hand; .ci/run has them")
        assert built.returncode == 0, built.stderr

    if BUILT[language].startswith("cmd:"):
        said = _said(BUILT[language].removeprefix("cmd:"), "no/such", "settle")
        assert [each.get("error", {}).get("code") for each in said] == [-32601, None]
    driver = load_driver(BUILT[language])
    try:
        outcomes = [
            run_case(case, driver, SimulatedWorld, kubelet="1.37")
            for case in load_cases(bundled_root() / "cases")
            if case.component in OFFERED
        ]
    finally:
        driver.close()

    told = {each.case.id: each.verdict for each in outcomes}
    assert set(told.values()) == {"passed", "unsupported", "not applicable"}
    assert sum(verdict == "passed" for verdict in told.values()) >= 140
    assert [
        each.case.id
        for each in outcomes
        if each.verdict == "unsupported" and each.case.level == "base"
    ] == []


def test_new_adapter_leaves_a_folder_that_holds_something_alone(tmp_path: Path) -> None:
    """Nobody's file is overwritten."""
    (tmp_path / "main.go").write_text("mine")

    result = CliRunner().invoke(commands, ["new-adapter", "go", str(tmp_path)])

    assert isinstance(result.exception, UsageError)
    assert "is not empty" in str(result.exception)
    assert [each.name for each in tmp_path.iterdir()] == ["main.go"]


def _sources(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def _said(command: str, *methods: str) -> list[dict[str, Any]]:
    """
    Return what a program answers to *methods*, after the handshake.
    """
    words = ("initialize", *methods, "shutdown")
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": {}})
        for number, method in enumerate(words)
    ]
    run = subprocess.run(
        shlex.split(command),
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return [json.loads(line) for line in run.stdout.splitlines()][1:-1]
