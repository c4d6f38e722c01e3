"""
The page of ten questions and the reference of findings say what the commands say.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from pytest_podsource.findings import RULES

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/how-to/ask-what-the-kubelet-would-do.md"
FILES = ROOT / "docs/how-to/static-pods"
QUESTIONS = re.findall(
    r"^## (\d+)\..*?```console\n\$ (.*?)\n(.*?)```$",
    PAGE.read_text(),
    re.MULTILINE | re.DOTALL,
)


def test_there_are_ten_questions() -> None:
    """Each with a command."""
    assert [number for number, _, _ in QUESTIONS] == [str(n) for n in range(1, 11)]


@pytest.mark.parametrize(
    ("command", "shown"),
    [(command, shown) for _, command, shown in QUESTIONS],
    ids=[number for number, _, _ in QUESTIONS],
)
def test_a_command_answers_what_the_page_shows(
    command: str, shown: str, tmp_path: Path
) -> None:
    """Run where a reader would run it."""
    folder = shutil.copytree(FILES, tmp_path / "static-pods")
    scripts = Path(sys.executable).parent
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env={**os.environ, "PATH": f"{scripts}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.stdout == shown


def test_every_finding_is_in_the_reference_with_its_level() -> None:
    """And nothing else is."""
    text = (ROOT / "docs/reference/findings.md").read_text()

    rows = re.findall(
        r"^\| `([a-z-]+)` \| (note|finding|refused) \|", text, re.MULTILINE
    )
    assert sorted(rows) == sorted((code, rule.level) for code, rule in RULES.items())


def test_the_hook_of_pre_commit_runs_a_command_that_is_there() -> None:
    """With a pattern that fits manifests."""
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())

    assert hook["entry"].split()[:2] == ["podsource", "check"]
    assert re.search(hook["files"], "node/manifests/web.yaml")
    assert not re.search(hook["files"], "docs/web.yaml")
