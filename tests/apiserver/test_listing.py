"""
Lists: resource versions, pages, what is told of wrong ones.
"""

from __future__ import annotations

import base64
import json

import pytest

from pytest_podsource.apiserver.kinds import NODES, PODS
from pytest_podsource.apiserver.store import Store
from tests.apiserver.things import ask, names, pod


@pytest.fixture
def store() -> Store:
    """Hold five pods and a node; revisions 2 to 7."""
    store = Store()
    for name in ("b", "a", "c"):
        store.put(PODS, pod(name, spec={"nodeName": "n1"}))
    store.put(PODS, pod("a", "kube-system", labels={"tier": "x"}))
    store.put(PODS, pod("z", "alpha"))
    store.put(NODES, {"metadata": {"name": "n1"}})
    return store


def test_list_is_in_the_order_of_keys_and_has_the_newest_revision(store: Store) -> None:
    """Namespace before name; items have no kind of their own."""
    listed = ask(store, "/api/v1/pods")

    places = [
        (item["metadata"]["namespace"], item["metadata"]["name"])
        for item in listed["items"]
    ]
    assert places == [
        ("alpha", "z"),
        ("default", "a"),
        ("default", "b"),
        ("default", "c"),
        ("kube-system", "a"),
    ]
    assert (listed["kind"], listed["apiVersion"]) == ("PodList", "v1")
    assert listed["metadata"] == {"resourceVersion": "7"}
    assert "kind" not in listed["items"][0]


def test_empty_list_has_items(store: Store) -> None:
    """An empty sequence, not null."""
    listed = ask(store, "/api/v1/namespaces/none/pods")

    assert listed["items"] == []


def test_namespace_name_and_selectors_choose(store: Store) -> None:
    """Together."""
    assert names(store, "/api/v1/namespaces/default/pods") == ["a", "b", "c"]
    assert names(store, fieldSelector="spec.nodeName=n1") == ["a", "b", "c"]
    assert names(store, labelSelector="tier=x") == ["a"]
    assert names(store, "/api/v1/nodes") == ["n1"]


def test_pages_show_one_revision_until_the_end(store: Store) -> None:
    """A pod that goes meanwhile is still in its page, one that comes isn't."""
    first = ask(store, "/api/v1/pods", limit="2")
    store.remove(PODS, "default/b")
    store.put(PODS, pod("bb"))

    token = first["metadata"]["continue"]
    second = ask(store, "/api/v1/pods", limit="2", **{"continue": token})
    token = second["metadata"]["continue"]
    third = ask(store, "/api/v1/pods", limit="2", **{"continue": token})

    pages = [
        [item["metadata"]["name"] for item in page["items"]]
        for page in (first, second, third)
    ]
    assert pages == [["z", "a"], ["b", "c"], ["a"]]
    assert first["metadata"]["remainingItemCount"] == 3
    assert second["metadata"]["remainingItemCount"] == 1
    assert third["metadata"] == {"resourceVersion": "7"}
    assert second["metadata"]["resourceVersion"] == "7"


def test_page_with_a_selector_tells_no_count(store: Store) -> None:
    """A real apiserver doesn't know it."""
    page = ask(store, "/api/v1/pods", limit="1", fieldSelector="spec.nodeName=n1")

    assert page["metadata"]["continue"]
    assert "remainingItemCount" not in page["metadata"]


def test_expired_page_is_gone_and_leads_on(store: Store) -> None:
    """The token of the Status gives the rest as it is now."""
    token = ask(store, "/api/v1/pods", limit="2")["metadata"]["continue"]
    store.remove(PODS, "default/b")
    store.compact()

    gone = ask(store, "/api/v1/pods", limit="2", **{"continue": token})
    token = gone["metadata"]["continue"]
    rest = names(store, **{"continue": token})

    assert (gone["code"], gone["reason"], gone["status"]) == (410, "Expired", "Failure")
    assert rest == ["c", "a"]


def test_version_0_ignores_the_limit(store: Store) -> None:
    """It is answered from the cache, whole."""
    assert len(names(store, resourceVersion="0", limit="2")) == 5


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"resourceVersion": "4", "resourceVersionMatch": "Exact"}, ["a", "b", "c"]),
        ({"resourceVersion": "4", "limit": "9"}, ["a", "b", "c"]),
        (
            {"resourceVersion": "4", "resourceVersionMatch": "NotOlderThan"},
            ["z", "a", "b", "c", "a"],
        ),
        ({"resourceVersion": "4"}, ["z", "a", "b", "c", "a"]),
    ],
    ids=["exact", "a-page-is-exact", "not-older", "no-match"],
)
def test_resource_version_and_match_say_which(
    store: Store, query: dict[str, str], expected: list[str]
) -> None:
    """Exact is what was; anything else is no older."""
    assert names(store, **query) == expected


@pytest.mark.parametrize(
    ("query", "code", "about"),
    [
        ({"resourceVersion": "x"}, 400, "invalid resource version"),
        ({"resourceVersion": "99"}, 504, "Too large resource version: 99, current: 7"),
        ({"limit": "x"}, 400, "strconv.ParseInt"),
        ({"continue": "?"}, 400, "continue key is not valid"),
        ({"continue": "e30"}, 400, "continue key is not valid"),
        ({"resourceVersionMatch": "Exact"}, 422, "unless resourceVersion is provided"),
        ({"resourceVersionMatch": "Some", "resourceVersion": "1"}, 422, '"Some"'),
        (
            {"resourceVersionMatch": "Exact", "resourceVersion": "0"},
            422,
            'forbidden for resourceVersion "0"',
        ),
        ({"sendInitialEvents": "true"}, 422, "forbidden for list"),
    ],
)
def test_wrong_options_are_told_as_a_status(
    store: Store, query: dict[str, str], code: int, about: str
) -> None:
    """With the code and the words of a real one."""
    status = ask(store, "/api/v1/pods", **query)

    assert (status["kind"], status["code"]) == ("Status", code)
    assert about in status["message"]


def test_continue_and_version_do_not_go_together(store: Store) -> None:
    """But version 0 is let pass."""
    token = ask(store, "/api/v1/pods", limit="4")["metadata"]["continue"]

    both = ask(store, "/api/v1/pods", resourceVersion="5", **{"continue": token})

    assert both["code"] == 400
    assert names(store, resourceVersion="0", **{"continue": token}) == ["a"]


def test_token_of_another_revision_is_gone(store: Store) -> None:
    """A client may not make one up for the future."""
    text = json.dumps({"v": "meta.k8s.io/v1", "rv": 99, "start": "default/a"})
    token = base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    assert ask(store, "/api/v1/pods", **{"continue": token})["code"] == 410


def test_exact_version_that_is_forgotten_is_gone(store: Store) -> None:
    """Told with the reason Expired."""
    store.compact()
    query = {"resourceVersion": "4", "resourceVersionMatch": "Exact"}

    status = ask(store, "/api/v1/pods", **query)

    assert (status["code"], status["reason"]) == (410, "Expired")
