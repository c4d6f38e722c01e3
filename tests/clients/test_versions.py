"""
The page names the clients in the versions that are tested.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_page_has_the_versions_that_are_installed() -> None:
    """Those of the group clients, and of client-go's module."""
    page = (ROOT / "docs/how-to/test-code-that-watches-pods.md").read_text()
    group = re.findall(
        r"^clients = \[(.*)\]", (ROOT / "pyproject.toml").read_text(), re.MULTILINE
    )
    module = (ROOT / "tests/clients/informer/go.mod").read_text()

    pinned = dict(re.findall(r'"([\w-]+)==([\d.]+)"', group[0]))
    pinned |= dict(re.findall(r"k8s\.io/(client-go) v([\d.]+)", module))
    told = dict(re.findall(r"^\| \[([\w-]+)\].*\| ([\d.]+) \|$", page, re.MULTILINE))
    assert told == pinned
    assert sorted(pinned) == ["client-go", "kr8s", "kubernetes", "lightkube"]
