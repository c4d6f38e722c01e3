"""
The model answers as a real apiserver did, request by request.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

from pytest_podsource.apiserver.answers import Answer, answer, call_of
from pytest_podsource.apiserver.kinds import KINDS
from pytest_podsource.apiserver.store import Store
from tests.apiserver import scene

RECORDED = Path(__file__).parent / "answers-of-1.37.2.json"

#: A real one tells where its parser stopped.
WORDED_OTHERWISE = (
    *("=a%3Db%3Dc", "labelSelector=,", "continue=x", "continue=e30"),
    *("fieldSelector=metadata.name",),
)


class Model:
    """The scene on a store."""

    def __init__(self) -> None:
        self.store = Store()

    def write(
        self, what: str, resource: str, name: str, given: dict[str, Any] | None
    ) -> str:
        kind = KINDS[resource]
        key = kind.key_of("default", name)
        if what == "remove":
            # A client's delete marks it first, also without a grace period.
            self.store.put(kind, self.store.now(kind)[key].object)
            self.store.remove(kind, key)
            return str(self.store.revision)
        old = self.store.get(kind, key)
        before = old.object["metadata"].get("labels", {}) if old else {}
        labels = {**before, **(given or {}).get("labels", {})}
        metadata = {"name": name, **({"labels": labels} if labels else {})}
        if kind.namespaced:
            metadata["namespace"] = "default"
        self.store.put(kind, {"metadata": metadata, "status": {"phase": "Pending"}})
        return str(self.store.revision)

    def get(self, path: str) -> tuple[int, dict[str, str], bytes]:
        place, _, query = path.partition("?")
        answered = answer(
            self.store,
            call_of("GET", place, dict(parse_qsl(query, keep_blank_values=True))),
        )
        if isinstance(answered, Answer):
            kind = {"content-type": answered.content_type}
            return answered.status, kind, b"".join(answered.body)
        events = [event.json() for event in answered.take()]
        return 200, {"content-type": "application/json"}, b"".join(events)


@pytest.fixture(scope="module")
def model() -> dict[str, Any]:
    """Ask the model everything."""
    made = Model()
    return scene.answers(made.get, scene.make(made.write))


def recorded() -> dict[str, Any]:
    """Return what the real one answered; `scripts/ask_apiserver.py` wrote it."""
    read: dict[str, Any] = json.loads(RECORDED.read_text())
    return read


def test_every_path_was_asked() -> None:
    """A path more needs the record anew."""
    assert sorted(recorded()) == sorted(scene.PATHS)


@pytest.mark.parametrize("path", scene.PATHS)
def test_answer_is_that_of_a_real_one(path: str, model: dict[str, Any]) -> None:
    """Status, objects, versions, tokens, and of failures what clients decide by."""
    ours, theirs = model[path], recorded()[path]
    if path.endswith(WORDED_OTHERWISE):
        del ours["told"][0]["message"], theirs["told"][0]["message"]

    assert ours == theirs
