"""
PodConfig: what holds for any sequence of sets.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pytest_podsource.contract import Pod, PodUpdate, SourceUpdate
from pytest_podsource.core.podconfig import PodConfig
from pytest_podsource.core.pods import LOCAL_ANNOTATIONS
from pytest_podsource.core.versions import kubelet
from pytest_podsource.known import KUBELETS

ORDER = ["REMOVE", "ADD", "UPDATE", "DELETE", "RECONCILE"]

pods = st.builds(
    lambda name, uid, image, labels, phase, deletion: {
        "metadata": {
            "name": name,
            "namespace": "default",
            "uid": f"{name}{uid}",
            **labels,
            **deletion,
        },
        "spec": {"containers": [{"name": "c", "image": image}]},
        "status": {"phase": phase},
    },
    name=st.sampled_from("abc"),
    uid=st.sampled_from("12"),
    image=st.sampled_from(["i:1", "i:2"]),
    labels=st.sampled_from([{}, {"labels": {}}, {"labels": {"x": "1"}}]),
    phase=st.sampled_from(["Pending", "Running"]),
    deletion=st.sampled_from([{}, {"deletionTimestamp": "2024-01-01T00:00:30Z"}]),
)
sets = st.lists(pods, max_size=4, unique_by=lambda pod: pod["metadata"]["name"])
messages = st.lists(
    st.tuples(st.sampled_from(["file", "http", "api"]), sets), max_size=8
)
minors = st.sampled_from(KUBELETS)


class Run:
    """A PodConfig and what it sent."""

    def __init__(self, minor: str) -> None:
        self.out: list[PodUpdate] = []
        self.config = PodConfig(
            kubelet(minor),
            now=lambda: 0,
            send=self._read,
            event=lambda *fields: None,
            log=lambda *fields, **more: None,
        )

    def _read(self, update: PodUpdate, taken: Callable[[], None]) -> None:
        self.out.append(deepcopy(update))
        taken()

    def send(self, source: str, pods: list[Pod]) -> list[PodUpdate]:
        before = len(self.out)
        message = SourceUpdate(source=source, pods=tuple(deepcopy(pods)))
        self.config.channel(source)(message)
        return self.out[before:]


def key_of(pod: Pod, minor: str) -> str:
    return str(pod["metadata"]["name" if minor == "1.1" else "uid"])


def essence(pod: Pod, minor: str) -> dict[str, Any]:
    """What must arrive at the reader: all but the kubelet's own annotations."""
    plain = deepcopy(pod)
    annotations = plain["metadata"].pop("annotations", {})
    assert set(annotations) <= set(LOCAL_ANNOTATIONS)
    if minor == "1.1":  # it neither compares the status nor takes over a UID
        plain.pop("status")
        plain["metadata"].pop("uid")
    return plain


@given(minor=minors, messages=messages)
def test_replaying_what_was_sent_gives_the_last_set_of_each_source(
    minor: str, messages: list[tuple[str, list[Pod]]]
) -> None:
    """The operations are enough to know every source's pods."""
    run = Run(minor)
    for source, pods in messages:
        run.send(source, pods)

    replayed: dict[str, dict[str, Pod]] = {}
    for update in run.out:
        known = replayed.setdefault(update.source, {})
        for pod in update.pods:
            if update.op == "REMOVE":
                del known[key_of(pod, minor)]
            else:
                known[key_of(pod, minor)] = pod

    for source, pods in dict(messages).items():
        got = {
            key: essence(pod, minor) for key, pod in replayed.get(source, {}).items()
        }
        assert got == {key_of(pod, minor): essence(pod, minor) for pod in pods}


@given(minor=minors, messages=messages)
def test_an_equal_second_set_sends_nothing(
    minor: str, messages: list[tuple[str, list[Pod]]]
) -> None:
    """Whatever came before."""
    run = Run(minor)
    for source, pods in messages:
        run.send(source, pods)

        assert run.send(source, pods) == []


@given(minor=minors, messages=messages)
def test_each_merge_sends_its_operations_once_and_in_order(
    minor: str, messages: list[tuple[str, list[Pod]]]
) -> None:
    """Only the empty ADD of a first set comes without pods."""
    run = Run(minor)
    seen: set[str] = set()

    for source, pods in messages:
        updates = run.send(source, pods)

        places = [ORDER.index(update.op) for update in updates]
        assert places == sorted(set(places))
        assert {update.source for update in updates} <= {source}
        empty = [update for update in updates if not update.pods]
        told = source not in seen and not pods and minor != "1.1"
        assert len(empty) == told
        seen.add(source)


@given(messages=messages)
def test_pods_within_an_operation_are_in_the_order_of_the_set(
    messages: list[tuple[str, list[Pod]]],
) -> None:
    """REMOVE apart, whose order says nothing."""
    run = Run("1.37")
    for source, pods in messages:
        order = [pod["metadata"]["uid"] for pod in pods]

        for update in run.send(source, pods):
            if update.op != "REMOVE":
                places = [order.index(pod["metadata"]["uid"]) for pod in update.pods]
                assert places == sorted(places)
