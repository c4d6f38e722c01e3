"""
From a request to its answer: paths, gets, discovery, what isn't there.
"""

from __future__ import annotations

import json

import pytest

from pytest_podsource.apiserver.answers import Answer, answer, call_of, failed
from pytest_podsource.apiserver.failures import failure, forbidden
from pytest_podsource.apiserver.kinds import NODES, PODS
from pytest_podsource.apiserver.store import Store
from tests.apiserver.things import ask, pod


@pytest.fixture
def store() -> Store:
    """Hold a pod and a node."""
    store = Store()
    store.put(PODS, pod("a"))
    store.put(NODES, {"metadata": {"name": "n1"}})
    return store


@pytest.mark.parametrize(
    ("path", "query", "verb", "where"),
    [
        ("/api/v1/pods", {}, "list", ("pods", "", "")),
        ("/api/v1/pods", {"watch": "true"}, "watch", ("pods", "", "")),
        ("/api/v1/pods", {"watch": "0"}, "list", ("pods", "", "")),
        ("/api/v1/namespaces/x/pods", {}, "list", ("pods", "x", "")),
        ("/api/v1/namespaces/x/pods/a", {}, "get", ("pods", "x", "a")),
        ("/api/v1/nodes/n1", {}, "get", ("nodes", "", "n1")),
        ("/api/v1/nodes/n1/status", {}, "get", ("nodes/status", "", "n1")),
        ("/api/v1/watch/nodes", {}, "watch", ("nodes", "", "")),
        ("/api/v1/namespaces/x", {}, "get", ("namespaces", "", "x")),
        ("/version", {}, "get", ("", "", "")),
    ],
)
def test_call_names_verb_and_object(
    path: str, query: dict[str, str], verb: str, where: tuple[str, str, str]
) -> None:
    """As an audit log does."""
    call = call_of("GET", path, query)

    assert (call.verb, (call.resource, call.namespace, call.name)) == (verb, where)


def test_get_gives_the_object(store: Store) -> None:
    """With its kind."""
    got = ask(store, "/api/v1/namespaces/default/pods/a")
    node = ask(store, "/api/v1/nodes/n1")

    assert (got["kind"], got["metadata"]["name"]) == ("Pod", "a")
    assert (node["kind"], node["metadata"]["name"]) == ("Node", "n1")


def test_get_of_what_is_not_there_names_it(store: Store) -> None:
    """In message and details."""
    status = ask(store, "/api/v1/namespaces/default/pods/x")

    assert status == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": 'pods "x" not found',
        "reason": "NotFound",
        "details": {"name": "x", "kind": "pods"},
        "code": 404,
    }


@pytest.mark.parametrize(
    ("method", "path", "code"),
    [
        ("GET", "/api/v1/services", 404),
        ("GET", "/api/v1/namespaces/x/nodes", 404),
        ("GET", "/apis/apps/v1/deployments", 404),
        ("POST", "/api/v1/namespaces/default/pods", 405),
        ("DELETE", "/api/v1/nodes/n1", 405),
        ("POST", "/version", 405),
    ],
)
def test_what_is_not_served_is_told_so(
    store: Store, method: str, path: str, code: int
) -> None:
    """As a Status."""
    answered = answer(store, call_of(method, path, {}))

    assert isinstance(answered, Answer)
    assert answered.status == code
    assert json.loads(b"".join(answered.body))["code"] == code


def test_discovery_names_what_is_served(store: Store) -> None:
    """So that real clients start."""
    resources = ask(store, "/api/v1")["resources"]

    assert [(each["name"], each["kind"]) for each in resources] == [
        ("pods", "Pod"),
        ("nodes", "Node"),
    ]
    assert ask(store, "/api")["versions"] == ["v1"]
    assert ask(store, "/apis/")["groups"] == []
    assert ask(store, "/version")["gitVersion"].startswith("v1.37.")


def test_health_is_a_text(store: Store) -> None:
    """The one answer that is no JSON."""
    answered = answer(store, call_of("GET", "/readyz", {}))

    assert isinstance(answered, Answer)
    assert (answered.status, b"".join(answered.body)) == (200, b"ok")
    assert answered.content_type.startswith("text/plain")


def test_failure_tells_when_to_come_back() -> None:
    """In the header and in the details."""
    answered = failed(failure(429, retryAfterSeconds=7))

    assert answered.headers == {"Retry-After": "7"}
    status = json.loads(b"".join(answered.body))
    assert status["reason"] == "TooManyRequests"
    assert status["details"] == {"retryAfterSeconds": 7}


def test_forbidden_says_who_may_not_do_what() -> None:
    """In the words of a real apiserver."""
    status = forbidden("eve", "list", "pods", "prod").status

    assert status["message"] == (
        'pods is forbidden: User "eve" cannot list resource "pods" '
        'in API group "" in the namespace "prod"'
    )
