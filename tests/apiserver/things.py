"""
Pods and answers, as the tests of the apiserver need them.
"""

from __future__ import annotations

import json
from typing import Any

from pytest_podsource.apiserver.answers import Answer, answer, call_of
from pytest_podsource.apiserver.store import Store
from pytest_podsource.apiserver.watching import Watch


def pod(name: str, namespace: str = "default", **rest: Any) -> dict[str, Any]:
    """Return a pod; ``spec`` and ``status`` go there, the rest into its metadata."""
    spec, status = rest.pop("spec", {}), rest.pop("status", {})
    metadata = {"name": name, "namespace": namespace, **rest}
    return {"metadata": metadata, "spec": spec, "status": status}


def ask(store: Store, path: str, **query: str) -> dict[str, Any]:
    """Return the object that a GET is answered with."""
    answered = answer(store, call_of("GET", path, query))
    assert isinstance(answered, Answer)
    read: dict[str, Any] = json.loads(b"".join(answered.body))
    if read.get("kind") == "Status":
        assert answered.status == read["code"]
    return read


def names(store: Store, path: str = "/api/v1/pods", **query: str) -> list[str]:
    """Return the names that a list has."""
    listed = ask(store, path, **query)
    assert listed["kind"] != "Status", listed
    return [item["metadata"]["name"] for item in listed["items"]]


def watch(store: Store, path: str = "/api/v1/pods", **query: str) -> Watch:
    """Open a watch."""
    answered = answer(store, call_of("GET", path, {"watch": "true", **query}))
    assert isinstance(answered, Watch), answered
    return answered


def events(watched: Watch) -> list[tuple[str, str]]:
    """Return type and name of what came; of errors the code."""
    told = [json.loads(event.json()) for event in watched.take()]
    return [
        (
            event["type"],
            event["object"]["metadata"].get("name") or str(event["object"].get("code")),
        )
        for event in told
    ]
