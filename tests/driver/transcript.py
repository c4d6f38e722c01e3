"""
What is said between suite and adapter in a few small cases: each word once.

``python -m tests.driver.transcript`` prints the block of docs/reference/driver-protocol.md.
"""

from __future__ import annotations

import json
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pytest_podsource.driver.load import driver_of
from pytest_podsource.driver.trace import Trace
from pytest_podsource.suite.case import Case
from pytest_podsource.suite.runner import run_case
from pytest_podsource.world.simulated import SimulatedWorld

SPOKEN = Path(__file__).with_name("spoken.py")
ARROWS = {"suite": "->", "adapter": "<-"}
CASES: tuple[tuple[str, dict[str, Any], tuple[dict[str, Any], ...]], ...] = (
    (
        "manifest",
        {},
        (
            {"call": {"decode_manifest": {"text": "pod"}}, "returns": ["node1"]},
            {"call": {"decode_manifest": {"text": "no"}}, "raises": "Refused"},
        ),
    ),
    (
        "file",
        {"files": {"web.yaml": {"text": "x"}}},
        (
            {"start": None, "expect": [{"SET": []}]},
            {"jump": "1h"},
            {"write": {"web.yaml": {"text": "y"}}, "events": "any"},
            {"stop": None},
        ),
    ),
    (
        "http",
        {"period": "1s", "replies": [{"text": "web"}]},
        ({"start": None, "expect": [{"SET": ["web"]}]}, {"advance": "500ms"}),
    ),
    (
        "api",
        {"api": {"pods": ["a"]}, "answers": {"node_has_synced": True}},
        (
            {"start": None, "expect": [{"SET": ["a"]}]},
            {"api": {"ADDED": "b"}, "expect": [{"SET": ["b"]}]},
        ),
    ),
    (
        "podconfig",
        {"sources": ["file"]},
        (
            {"hold": None},
            {"send": {"file": ["a"]}, "blocked": False},
            {"release": None, "expect": [{"ADD": ["a"]}]},
        ),
    ),
    ("syncloop", {}, ({"start": None, "calls": "any"},)),
)


def lines() -> list[tuple[str, dict[str, Any]]]:
    """Who said what, whole, in all cases."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace"
        trace = Trace(path)
        imports = f"PYTHONPATH={SPOKEN.parent.parent.parent}"
        command = [
            imports,
            sys.executable,
            "-m",
            "pytest_podsource.adapter",
            str(SPOKEN),
        ]
        driver = driver_of(f"cmd:{shlex.join(command)}", "spoken", trace=trace)
        try:
            for component, given, steps in CASES:
                outcome = run_case(
                    _case(component, given, steps),
                    driver,
                    SimulatedWorld,
                    kubelet="1.37",
                )
                assert outcome.verdict == "passed", (component, outcome.reason)
        finally:
            driver.close()
            trace.close()
        told = [json.loads(line) for line in path.read_text().splitlines()]
    return [(each["from"], each["message"]) for each in told]


def chosen(told: list[tuple[str, dict[str, Any]]]) -> Iterator[str]:
    """The first of each word with its answer, and the first error."""
    seen: set[str] = set()
    awaited: set[tuple[str, Any]] = set()
    folder = ""
    for sender, message in told:
        method = message.get("method", "")
        folder = folder or _folder(message)
        key = (sender, message.get("id"))
        if method and method not in seen:
            seen.add(method)
            if "id" in message:
                awaited.add(key)
        elif method or not _is_answer(key, awaited):
            if "error" not in message or "error" in seen:
                continue
            seen.add("error")
        text = json.dumps(message, separators=(",", ":"))
        yield f"{ARROWS[sender]} {_anywhere(text, folder)}"


def _anywhere(text: str, folder: str) -> str:
    """Return *text* without what differs from machine to machine."""
    text = text.replace(str(SPOKEN), "spoken.py").replace(
        '"users":true', '"users":false'
    )
    return text.replace(folder, "/manifests") if folder else text


def _is_answer(key: tuple[str, Any], awaited: set[tuple[str, Any]]) -> bool:
    sender, id_ = key
    asked = ("adapter" if sender == "suite" else "suite", id_)
    if asked not in awaited:
        return False
    awaited.discard(asked)
    return True


def _folder(message: dict[str, Any]) -> str:
    path: str = message.get("params", {}).get("config", {}).get("path", "")
    return path


def _case(component: str, given: dict[str, Any], steps: tuple[Any, ...]) -> Case:
    return Case(
        id=f"{component}/transcript",
        component=component,
        row="",
        path=SPOKEN,
        title="",
        why="",
        facts=(),
        reports=(),
        versions="",
        level="base",
        features=frozenset(),
        given=given,
        steps=steps,
        may_equal=frozenset(),
        hash="",
    )


if __name__ == "__main__":
    sys.stdout.write("\n".join(chosen(lines())) + "\n")
