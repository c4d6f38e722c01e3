"""
P is built, and looked up, by the same short keys.
"""

from __future__ import annotations

from typing import Any

import pytest

from pytest_podsource.suite.pods import for_manifest, for_object, look_up, name_of


def test_manifest_pod_has_a_kind_and_no_more_than_it_needs() -> None:
    """A name alone is the smallest manifest that a kubelet takes."""
    assert for_manifest("web") == {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web"},
        "spec": {"containers": [{"name": "c", "image": "nginx:1"}]},
    }


def test_object_pod_is_as_an_apiserver_holds_it() -> None:
    """An object has a namespace, a UID of its own and the defaults that 1.1 checks."""
    assert for_object("web") == {
        "metadata": {"name": "web", "namespace": "default", "uid": "web_default"},
        "spec": {
            "containers": [
                {"name": "c", "image": "nginx:1", "imagePullPolicy": "IfNotPresent"}
            ],
            "restartPolicy": "Always",
            "dnsPolicy": "ClusterFirst",
        },
    }


@pytest.mark.parametrize(
    ("given", "uid"),
    [
        ({"name": "a", "namespace": "x"}, "a_x"),
        ({"name": "a", "uid": "u1"}, "u1"),
        ({"name": "a", "uid": ""}, ""),
        ({"name": "a", "uid": None}, None),
        ({"name": "a", "metadata": {"uid": "u2"}}, "u2"),
    ],
)
def test_uid_of_an_object_is_the_given_one_or_its_full_name(
    given: Any, uid: str | None
) -> None:
    """Two names are two pods, unless the case says otherwise."""
    assert look_up(for_object(given), "uid") == uid


@pytest.mark.parametrize(
    ("key", "value", "place"),
    [
        ("labels", {"a": "b"}, ("metadata", "labels")),
        ("hostNetwork", True, ("spec", "hostNetwork")),
        ("phase", "Running", ("status", "phase")),
        ("kind", "pod", ("kind",)),
    ],
)
def test_short_key_is_set_and_found_at_its_place(
    key: str, value: Any, place: tuple[str, ...]
) -> None:
    """What builds a pod looks it up again."""
    pod = for_manifest({"name": "a", key: value})

    found: Any = pod
    for each in place:
        found = found[each]
    assert found == value
    assert look_up(pod, key) == value


def test_keys_of_a_container_belong_to_the_first_one() -> None:
    """An image beside containers of one's own goes into the first of them."""
    containers = [{"name": "x"}, {"name": "y"}]
    pod = for_manifest(
        {"name": "a", "image": "i:2", "spec": {"containers": containers}}
    )

    assert pod["spec"]["containers"] == [{"name": "x", "image": "i:2"}, {"name": "y"}]
    assert look_up(pod, "image") == "i:2"
    assert containers[0] == {"name": "x"}


def test_null_leaves_a_field_out() -> None:
    """A pod without containers can be written."""
    assert for_manifest({"name": "a", "containers": None})["spec"] == {}


def test_raw_pod_is_taken_as_it_stands() -> None:
    """Nothing is added, and the case's own data stays its own."""
    raw = {"metadata": {"name": "a"}}

    pod = for_object({"raw": raw})
    pod["metadata"]["name"] = "changed"

    assert raw == {"metadata": {"name": "a"}}
    assert set(pod) == {"metadata"}


@pytest.mark.parametrize("key", ["uid", "image", "phase", "hostNetwork", "status"])
def test_field_of_an_empty_pod_is_absent(key: str) -> None:
    """Nothing in a pod is taken for granted."""
    assert look_up({}, key) is None


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("a", "a"),
        ({"name": "b"}, "b"),
        ({"raw": {"metadata": {"name": "c"}}}, "c"),
        ({"image": "x"}, "?"),
    ],
)
def test_pod_goes_by_its_name_in_a_story(given: Any, name: str) -> None:
    """A pod without a name is a question mark."""
    assert name_of(given) == name
