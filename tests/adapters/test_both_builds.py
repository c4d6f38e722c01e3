"""
The build in real time and the one in virtual time answer alike.

``python adapters/kubelet/alike.py`` asks every case; here are a few that are quick.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

KUBELET = Path(__file__).parents[2] / "adapters" / "kubelet"
QUICK = (
    "http/the-set-is-whole",
    "file/any-extension-is-read",
    "file/moving-out-and-in",
)


def alike(minor: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    for name in (f"kubelet-{minor}", f"kubelet-{minor}-native"):
        if not (KUBELET / "bin" / name).exists():
            pytest.skip(f"{name} isn't built; adapters/kubelet/build --native does it")
    return subprocess.run(
        [sys.executable, KUBELET / "alike.py", minor, "--jobs", "1", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("minor", ["1.37", "1.1"])
def test_both_builds_answer_alike(minor: str) -> None:
    """The kernel and the network do what stands in for them."""
    done = alike(minor, *QUICK)

    assert " alike" in done.stdout
    assert "different" not in done.stdout
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_compared_is_not_green() -> None:
    """What takes too long is counted as such."""
    done = alike("1.1", "file/dir-ignores-dotfiles", "--limit", "1s")

    assert "1 not in both: it would take too long in real time" in done.stdout
    assert done.returncode == 5
