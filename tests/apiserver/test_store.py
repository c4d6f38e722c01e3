"""
The store: revisions, history, what is forgotten.
"""

from __future__ import annotations

import json

from pytest_podsource.apiserver.kinds import NODES, PODS
from pytest_podsource.apiserver.store import Store
from tests.apiserver.things import pod


def test_put_stamps_each_change_with_the_next_revision() -> None:
    """Pods and nodes count together, as in one etcd."""
    store = Store()

    versions = [
        store.put(PODS, pod("a")).object["metadata"]["resourceVersion"],
        store.put(NODES, {"metadata": {"name": "n"}}).object["metadata"][
            "resourceVersion"
        ],
        store.put(PODS, pod("a")).object["metadata"]["resourceVersion"],
    ]

    assert versions == ["2", "3", "4"]
    assert store.revision == 4


def test_put_keeps_a_copy() -> None:
    """What a test does to its mapping afterwards changes nothing."""
    store, mine = Store(), pod("a", labels={"x": "1"})
    stored = store.put(PODS, mine)

    mine["metadata"]["labels"]["x"] = "2"

    assert stored.object["metadata"]["labels"] == {"x": "1"}


def test_remove_of_what_is_not_there_is_no_change() -> None:
    """Nothing happened, so nothing is told."""
    store = Store()

    assert store.remove(PODS, "default/a") is None
    assert store.revision == 1


def test_at_gives_the_objects_as_they_were() -> None:
    """Added, changed and removed things are put back."""
    store = Store()
    store.put(PODS, pod("a", labels={"x": "1"}))
    store.put(PODS, pod("b"))
    then = store.revision
    store.put(PODS, pod("a", labels={"x": "2"}))
    store.remove(PODS, "default/b")
    store.put(PODS, pod("c"))

    was = store.at(PODS, then)

    assert sorted(was) == ["default/a", "default/b"]
    assert was["default/a"].object["metadata"]["labels"] == {"x": "1"}
    assert sorted(store.now(PODS)) == ["default/a", "default/c"]


def test_window_forgets_the_oldest_changes() -> None:
    """Only as many as were asked for are kept."""
    store = Store(window=2)

    for name in "abcd":
        store.put(PODS, pod(name))

    assert store.compacted == 3
    assert [change.key for change in store.since(3)] == ["default/c", "default/d"]


def test_whole_json_is_the_json_of_the_whole() -> None:
    """Both ways to write an object agree."""
    stored = Store().put(PODS, {"kind": "Pod", "apiVersion": "v1", **pod("ä")})

    assert json.loads(stored.whole_json(PODS)) == stored.whole(PODS)
    assert "kind" not in stored.object
