"""
Watches: where they start, what they tell, how they end.
"""

from __future__ import annotations

import json

import pytest

from pytest_podsource.apiserver.answers import Answer, answer, call_of
from pytest_podsource.apiserver.kinds import NODES, PODS
from pytest_podsource.apiserver.store import Store
from tests.apiserver.things import ask, events, pod, watch


@pytest.fixture
def store() -> Store:
    """Hold the pods b and a; revisions 2 and 3."""
    store = Store()
    store.put(PODS, pod("b", spec={"nodeName": "n1"}))
    store.put(PODS, pod("a"))
    return store


def test_watch_from_a_version_tells_what_came_after(store: Store) -> None:
    """In order; nodes are no pods."""
    watched = watch(store, resourceVersion="2")
    store.put(NODES, {"metadata": {"name": "n1"}})
    store.put(PODS, pod("a", labels={"x": "1"}))
    store.remove(PODS, "default/a")

    assert events(watched) == [("ADDED", "a"), ("MODIFIED", "a"), ("DELETED", "a")]
    assert events(watched) == []


@pytest.mark.parametrize("version", ["", "0"])
def test_watch_without_a_version_tells_the_state_first(
    store: Store, version: str
) -> None:
    """As additions, in the order of keys."""
    watched = watch(store, resourceVersion=version)

    assert events(watched) == [("ADDED", "a"), ("ADDED", "b")]
    store.put(PODS, pod("c"))
    assert events(watched) == [("ADDED", "c")]


def test_event_has_the_whole_object(store: Store) -> None:
    """With kind, apiVersion and the version of the change."""
    watched = watch(store, resourceVersion="3")
    store.remove(PODS, "default/a")

    (event,) = [json.loads(each.json()) for each in watched.take()]

    assert event["type"] == "DELETED"
    assert event["object"]["kind"] == "Pod"
    assert event["object"]["metadata"]["resourceVersion"] == "4"


def test_whole_event_is_its_json(store: Store) -> None:
    """Both ways to give it agree, with bookmarks too."""
    watched = watch(store, allowWatchBookmarks="true")

    told = watched.take()

    assert len(told) == 3
    assert [json.loads(each.json()) for each in told] == [each.whole() for each in told]


def test_change_of_selection_adds_and_deletes(store: Store) -> None:
    """What a selector loses was deleted, as it was before."""
    watched = watch(store, resourceVersion="3", labelSelector="x=1")
    store.put(PODS, pod("a", labels={"x": "1"}))
    store.put(PODS, pod("a", labels={"x": "1", "y": "2"}))
    store.put(PODS, pod("a", labels={"x": "2"}))

    told = [json.loads(each.json()) for each in watched.take()]

    assert [each["type"] for each in told] == ["ADDED", "MODIFIED", "DELETED"]
    assert told[2]["object"]["metadata"]["labels"] == {"x": "1", "y": "2"}
    assert told[2]["object"]["metadata"]["resourceVersion"] == "6"


def test_node_field_selects_in_a_watch(store: Store) -> None:
    """The kubelet's own."""
    watched = watch(store, resourceVersion="3", fieldSelector="spec.nodeName=n1")
    store.put(PODS, pod("c", spec={"nodeName": "n2"}))
    store.put(PODS, pod("d", spec={"nodeName": "n1"}))

    assert events(watched) == [("ADDED", "d")]


def test_streamed_list_ends_with_its_bookmark(store: Store) -> None:
    """Which tells the version of the list."""
    watched = watch(
        store,
        sendInitialEvents="true",
        resourceVersionMatch="NotOlderThan",
        allowWatchBookmarks="true",
    )

    told = [json.loads(each.json()) for each in watched.take()]

    assert [each["type"] for each in told] == ["ADDED", "ADDED", "BOOKMARK"]
    assert told[2]["object"]["metadata"] == {
        "resourceVersion": "3",
        "annotations": {"k8s.io/initial-events-end": "true"},
    }


def test_streamed_list_can_be_declined(store: Store) -> None:
    """Then it starts at what is newest."""
    watched = watch(
        store, sendInitialEvents="false", resourceVersionMatch="NotOlderThan"
    )
    store.put(PODS, pod("c"))

    assert events(watched) == [("ADDED", "c")]


def test_streamed_list_of_the_future_is_an_error_event(store: Store) -> None:
    """The client lists again, or waits."""
    watched = watch(
        store,
        sendInitialEvents="true",
        resourceVersionMatch="NotOlderThan",
        resourceVersion="9",
    )

    assert events(watched) == [("ERROR", "504")]


def test_bookmarks_come_to_those_who_asked(store: Store) -> None:
    """With the version up to which all was told."""
    with_them = watch(store, resourceVersion="3", allowWatchBookmarks="true")
    without = watch(store, resourceVersion="3")
    store.put(NODES, {"metadata": {"name": "n1"}})

    assert events(with_them) == []
    bookmark = with_them.bookmark()
    assert bookmark is not None
    assert bookmark.object["metadata"]["resourceVersion"] == "4"
    assert bookmark.object["kind"] == "Pod"
    assert without.bookmark() is None


def test_watch_from_the_future_tells_only_what_is_newer(store: Store) -> None:
    """A real apiserver lets it wait."""
    watched = watch(store, resourceVersion="5")

    assert events(watched) == []
    store.put(PODS, pod("c"))
    store.put(PODS, pod("d"))
    store.put(PODS, pod("e"))
    assert events(watched) == [("ADDED", "e")]


def test_forgotten_version_is_an_error_event_and_the_end(store: Store) -> None:
    """410 Expired, with the two versions."""
    store.compact()
    watched = watch(store, resourceVersion="2")

    (event,) = watched.take()

    assert event.type == "ERROR"
    status = event.whole()["object"]
    assert (status["code"], status["reason"]) == (410, "Expired")
    assert status["message"] == "too old resource version: 2 (3)"
    assert watched.ended
    store.put(PODS, pod("c"))
    assert watched.take() == []


def test_slow_watch_falls_out_of_the_window() -> None:
    """It learns that it has missed something."""
    store = Store(window=2)
    watched = watch(store, resourceVersion="1")

    for name in "abc":
        store.put(PODS, pod(name))

    assert events(watched) == [("ERROR", "410")]


@pytest.mark.parametrize(
    ("query", "code", "about"),
    [
        ({"sendInitialEvents": "true"}, 422, "requires setting resourceVersionMatch"),
        (
            {"resourceVersionMatch": "NotOlderThan", "resourceVersion": "1"},
            422,
            "unless sendInitialEvents is provided",
        ),
        (
            {"resourceVersionMatch": "Exact", "sendInitialEvents": "true"},
            422,
            "NotOlderThan",
        ),
        ({"resourceVersion": "-1"}, 500, "Invalid value"),
        ({"timeoutSeconds": "soon"}, 400, "strconv.ParseInt"),
        ({"fieldSelector": "spec.x=1"}, 400, "field label not supported"),
    ],
)
def test_wrong_options_are_told_before_anything_else(
    store: Store, query: dict[str, str], code: int, about: str
) -> None:
    """As a Status, not as an event."""
    status = ask(store, "/api/v1/pods", watch="1", **query)

    assert status["code"] == code
    assert about in status["message"]


def test_single_object_is_watched_on_the_old_path_only(store: Store) -> None:
    """Elsewhere a name makes it a get, whatever the query says."""
    place = "namespaces/default/pods/a"

    answered = answer(store, call_of("GET", f"/api/v1/watch/{place}", {}))

    assert not isinstance(answered, Answer)
    assert events(answered) == [("ADDED", "a")]
    assert ask(store, f"/api/v1/{place}", watch="true")["kind"] == "Pod"


def test_old_watch_path_needs_no_parameter(store: Store) -> None:
    """GET /api/v1/watch/pods is what kubelet 1.1 asks."""
    answered = answer(store, call_of("GET", "/api/v1/watch/pods", {}))

    assert not isinstance(answered, Answer)
    assert [name for _, name in events(answered)] == ["a", "b"]
