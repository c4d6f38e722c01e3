"""
What an edit makes the kubelet do, and which pods restart.
"""

from __future__ import annotations

import pytest

from pytest_podsource.contract import Config
from pytest_podsource.findings.edit import Edit, edit_of

URL = "http://manifests.example/"


def pod(
    spec: str = "image: 'nginx:1'", meta: str = "name: web", more: str = ""
) -> bytes:
    return (
        f"apiVersion: v1\nkind: Pod\nmetadata: {{{meta}}}\n"
        f"spec: {{containers: [{{name: c, {spec}}}]{more}}}\n"
    ).encode()


FIXED = "name: web, uid: u"


def edited(old: bytes, new: bytes, kubelet: str = "1.37") -> Edit:
    config = Config(kubelet=kubelet, node_name="node1")
    return edit_of({"/m/a": old}, {"/m/a": new}, config)


def told(edit: Edit) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    (one,) = edit.pods
    return one.fate, tuple(operation for operation, _ in edit.operations), one.fields


NEW = "image: 'nginx:2'"
ENV = "image: 'nginx:1', env: [{name: A, value: a}]"
IMAGE = ("spec.containers[0].image",)

EDITS = {
    "image": (pod(), pod(NEW), "1.37", ("restarts", ("REMOVE", "ADD"), IMAGE)),
    "label": (
        pod(),
        pod(meta="name: web, labels: {a: b}"),
        "1.37",
        ("restarts", ("REMOVE", "ADD"), ("metadata.labels",)),
    ),
    "image-in-1.1": (
        pod(),
        pod(NEW),
        "1.1",
        ("containers-restart", ("UPDATE",), IMAGE),
    ),
    "comment": (pod(), b"# c\n" + pod(), "1.37", ("stays", (), ())),
    "fixed-uid-image": (
        pod(meta=FIXED),
        pod(NEW, FIXED),
        "1.37",
        ("containers-restart", ("UPDATE",), IMAGE),
    ),
    "fixed-uid-env": (
        pod(meta=FIXED),
        pod(ENV, FIXED),
        "1.37",
        ("stays", ("UPDATE",), ("spec.containers[0].env",)),
    ),
    "fixed-uid-env-1.20": (
        pod(meta=FIXED),
        pod(ENV, FIXED),
        "1.20",
        ("containers-restart", ("UPDATE",), ("spec.containers[0].env",)),
    ),
    "fixed-uid-host-network": (
        pod(meta=FIXED),
        pod(meta=FIXED, more=", hostNetwork: true"),
        "1.37",
        ("containers-restart", ("UPDATE",), ("spec.hostNetwork",)),
    ),
    "fixed-uid-finalizers": (
        pod(meta=FIXED),
        pod(meta=FIXED + ", finalizers: [a/b]"),
        "1.37",
        ("stays", (), ("metadata.finalizers",)),
    ),
    "fixed-uid-deletion": (
        pod(meta=FIXED),
        pod(meta=FIXED + ", deletionTimestamp: '2024-01-01T00:00:00Z'"),
        "1.37",
        ("stops", ("DELETE",), ("metadata.deletionTimestamp",)),
    ),
    "fixed-uid-status": (
        pod(meta=FIXED),
        pod(meta=FIXED) + b"status: {message: m}\n",
        "1.37",
        ("stays", ("RECONCILE",), ("status.message",)),
    ),
}


@pytest.mark.parametrize(
    ("old", "new", "kubelet", "expected"), EDITS.values(), ids=EDITS
)
def test_an_edit_has_one_fate(
    old: bytes,
    new: bytes,
    kubelet: str,
    expected: tuple[str, tuple[str, ...], tuple[str, ...]],
) -> None:
    """The operations, and which field it is about."""
    assert told(edited(old, new, kubelet)) == expected


def test_a_moved_manifest_restarts_its_pod() -> None:
    """The path counts for the UID from 1.30 on; before, nothing happens."""
    for kubelet, fate in (("1.37", "restarts"), ("1.20", "stays")):
        config = Config(kubelet=kubelet, node_name="node1")
        edit = edit_of({"/m/a": pod()}, {"/m/b": pod()}, config)

        assert edit.pods[0].fate == fate, kubelet
        assert edit.restarts == (fate == "restarts")


def test_another_name_under_a_fixed_uid_is_not_noticed() -> None:
    """Name and namespace aren't compared."""
    edit = edited(pod(meta=FIXED), pod(meta="name: db, uid: u"))

    assert [(each.pod, each.fate) for each in edit.pods] == [
        ("default/db-node1", "unseen"),
        ("default/web-node1", "unseen"),
    ]
    assert edit.operations == ()


def test_a_manifest_gone_bad_stops_its_pod_at_the_listing() -> None:
    """In a directory; the refusal is told with it."""
    edit = edited(pod(), b"rubbish")

    assert edit.refused
    assert edit.pods[0].fate == "stops"


def test_a_url_gone_bad_keeps_its_pods() -> None:
    """Only a usable answer, or an empty one, changes anything."""
    config = Config(url=URL, node_name="node1")

    edit = edit_of({"u": pod()}, {"u": b"rubbish"}, config, "http")

    assert edit.refused
    assert edit.operations == ()
    assert edit.pods[0].fate == "stays"


def test_pods_of_one_uid_have_no_certain_fate() -> None:
    """A kubelet mixes them up in an order of its own."""
    both = {"/m/a": pod(meta="name: a, uid: u"), "/m/b": pod(meta="name: b, uid: u")}

    edit = edit_of(both, both, Config(node_name="node1"))

    assert not edit.is_certain
    assert not edited(pod(), pod()).refused
