"""
Cases and what came, written short for tests.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_podsource.contract import PodUpdate, SourceUpdate
from pytest_podsource.suite.case import Case
from pytest_podsource.suite.pods import for_object
from pytest_podsource.world.base import Seen


@pytest.fixture
def a_case() -> Callable[..., Case]:
    """
    Return what makes a case of steps, and of fields that matter.
    """

    def make(*steps: Any, component: str = "podconfig", **fields: Any) -> Case:
        values: dict[str, Any] = {
            "id": f"{component}/x",
            "component": component,
            "row": "",
            "path": Path(f"cases/{component}/x.yaml"),
            "title": "remove comes before add",
            "why": "Both ran at once.",
            "facts": ("CONFIG-15",),
            "reports": (),
            "versions": "",
            "level": "base",
            "features": frozenset(),
            "given": {},
            "steps": steps,
            "may_equal": frozenset(),
            "hash": "",
        }
        return Case(**(values | fields))

    return make


@pytest.fixture
def seen() -> Callable[..., Seen]:
    """
    Return what makes an entry of the stream: an operation, its pods, an instant.
    """

    def make(op: Any, *pods: Any, at_ns: int = 0, source: str = "file") -> Seen:
        sent = tuple(for_object(pod) for pod in pods)
        if op == "SET":
            return Seen(at_ns=at_ns, value=SourceUpdate(source=source, pods=sent))
        return Seen(at_ns=at_ns, value=PodUpdate(op=op, source=source, pods=sent))

    return make


@pytest.fixture
def write_case(tmp_path: Path) -> Callable[[str, str], Path]:
    """
    Return what writes a case file below *tmp_path*, with title, why and facts.
    """

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"title: t\nwhy: w\nfacts: [FILE-10]\n{text}\n")
        return path

    return write
