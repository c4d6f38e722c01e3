"""
The Go code that the adapters share, checked by Go's own tools where Go is.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

KUBELET = Path(__file__).parents[2] / "adapters" / "kubelet"

needs_go = pytest.mark.skipif(shutil.which("go") is None, reason="Go is lacking.")


@needs_go
@pytest.mark.parametrize("module", ["protocol", "fsnotify"])
@pytest.mark.parametrize("tool", ["vet", "test"])
def test_go_finds_nothing(module: str, tool: str) -> None:
    """What the adapters share passes its own tests; it needs no Kubernetes."""
    done = subprocess.run(
        ["go", tool, "./..."],
        cwd=KUBELET / module,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr


@needs_go
def test_the_go_code_is_formatted() -> None:
    """Nothing is left for gofmt to do."""
    done = subprocess.run(
        ["gofmt", "-l", "."], cwd=KUBELET, capture_output=True, text=True, check=True
    )

    assert done.stdout == ""


def test_building_without_go_says_so_in_one_line(tmp_path: Path) -> None:
    """Who has no Go learns that, and nothing else."""
    for name in ("bash", "dirname"):
        (tmp_path / name).symlink_to(shutil.which(name) or "/bin/" + name)
    done = subprocess.run(
        [KUBELET / "build"],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert "Go is lacking" in done.stderr
    assert len(done.stderr.splitlines()) == 1
