"""
The one-file form for nodes: runs without site-packages, and writes nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MANIFESTS = ROOT / "docs/how-to/static-pods"


@pytest.fixture(scope="module")
def zipapp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("zipapp") / "podsource.pyz"
    script = ROOT / "scripts/make_zipapp"
    subprocess.run([sys.executable, script, target], check=True, timeout=120)
    return target


def run(zipapp: Path, *arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run it without site-packages, as a node does that has only Python."""
    return subprocess.run(
        [sys.executable, "-I", "-S", zipapp, *arguments],
        cwd=home,
        env={"HOME": str(home), "TMPDIR": str(home), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_it_checks_and_writes_nothing(zipapp: Path, tmp_path: Path) -> None:
    """Neither into its home nor where temporary files go."""
    result = run(zipapp, "check", str(MANIFESTS / "manifests"), "--json", home=tmp_path)

    states = [json.loads(line)["state"] for line in result.stdout.splitlines()]
    assert states == ["taken", "taken", "refused", "taken"]
    assert result.returncode == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["diff", "old.yaml", "new.yaml"],
        ["decode", "old.yaml"],
        ["watch", "shop", "--once"],
        ["explain", "FILE-10"],
        ["--version"],
    ],
)
def test_the_other_commands_answer(
    arguments: list[str], zipapp: Path, tmp_path: Path
) -> None:
    """Without a traceback."""
    paths = [
        str(MANIFESTS / each) if (MANIFESTS / each).exists() else each
        for each in arguments
    ]

    result = run(zipapp, *paths, home=tmp_path)

    assert result.stderr == "" or "Traceback" not in result.stderr
    assert result.stdout
    assert list(tmp_path.iterdir()) == []


def test_an_unreachable_url_needs_no_roots_of_its_own(
    zipapp: Path, tmp_path: Path
) -> None:
    """Requests and what it needs are in the file."""
    result = run(zipapp, "check", "https://127.0.0.1:1/", home=tmp_path)

    assert result.returncode == 2
    assert "The kubelet keeps the pods that it had." in result.stderr
    assert list(tmp_path.iterdir()) == []
