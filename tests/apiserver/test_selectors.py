"""
Selectors choose what those of a real apiserver choose.
"""

from __future__ import annotations

import pytest

from pytest_podsource.apiserver.failures import Failure
from pytest_podsource.apiserver.kinds import NODES, PODS
from pytest_podsource.apiserver.selectors import by_fields, by_labels
from tests.apiserver.things import pod


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("", "abc"),
        ("app=web", "a"),
        ("app==web", "a"),
        ("app = web , tier=front", "a"),
        ("app!=web", "bc"),
        ("app", "ab"),
        ("!app", "c"),
        ("app in (web, db)", "ab"),
        ("app notin (web)", "bc"),
        ("app in (web,db),tier", "a"),
        ("size>3", "b"),
        ("size<3", "a"),
        ("example.com/x=y", "c"),
        ("app=", ""),
        ("empty=", "b"),
    ],
)
def test_label_selector_chooses(text: str, chosen: str) -> None:
    """An unset label differs from each value, and is in no set."""
    pods = [
        pod("a", labels={"app": "web", "tier": "front", "size": "2"}),
        pod("b", labels={"app": "db", "size": "10", "empty": ""}),
        pod("c", labels={"example.com/x": "y", "size": "big"}),
    ]

    selects = by_labels(text)

    assert "".join(p["metadata"]["name"] for p in pods if selects(p)) == chosen


@pytest.mark.parametrize(
    "text", ["a=b=c", "=x", "a in b", "a in (b", "a>b", "a,,b", "a b", "-a", "a=-"]
)
def test_label_selector_that_is_none_is_a_bad_request(text: str) -> None:
    """It says which part isn't understood."""
    with pytest.raises(Failure) as caught:
        by_labels(text)

    assert caught.value.code == 400
    assert "unable to parse requirement" in caught.value.status["message"]


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("", "ab"),
        ("spec.nodeName=n1", "a"),
        ("spec.host=n1", "a"),
        ("spec.nodeName=", "b"),
        ("spec.nodeName!=n1", "b"),
        ("spec.nodeName==n1,metadata.name=a", "a"),
        ("metadata.namespace=default", "a"),
        ("status.phase!=Failed", "a"),
        ("spec.hostNetwork=true", "b"),
        ("spec.restartPolicy=Always", "ab"),
        (r"metadata.name=a\,b", ""),
        ("status.podIP=10.0.0.1", "b"),
    ],
)
def test_field_selector_chooses(text: str, chosen: str) -> None:
    """An unset field has the text of its default."""
    pods = [
        pod("a", spec={"nodeName": "n1"}),
        pod(
            "b",
            "other",
            spec={"hostNetwork": True},
            status={"phase": "Failed", "podIP": "10.0.0.1"},
        ),
    ]

    selects = by_fields(PODS, text)

    assert "".join(p["metadata"]["name"] for p in pods if selects(p)) == chosen


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("spec.containers=x", "field label not supported: spec.containers"),
        ("spec.unschedulable=true", "field label not supported"),
        ("metadata.name", "invalid selector"),
        ("metadata.name=a=b", "invalid selector"),
    ],
)
def test_field_selector_that_is_none_is_a_bad_request(text: str, about: str) -> None:
    """Pods are selected by a few fields only."""
    with pytest.raises(Failure) as caught:
        by_fields(PODS, text)

    assert caught.value.code == 400
    assert about in caught.value.status["message"]


def test_nodes_are_selected_by_fields_of_their_own() -> None:
    """A node that takes pods isn't unschedulable."""
    node = {"metadata": {"name": "n1"}}

    assert by_fields(NODES, "spec.unschedulable=false")(node)
    assert not by_fields(NODES, "metadata.name=n2")(node)
