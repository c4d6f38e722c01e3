"""
Pods of every shape are taken, and of every flaw refused: by the reference.
"""

from __future__ import annotations

import json

import pytest

from pytest_podsource import Config, Pods, Refused, reference
from pytest_podsource.doubles.pods import Flaw, Shape

PODS = Pods()
CONFIG = Config(path="/etc/kubernetes/manifests/web.yaml")


@pytest.mark.parametrize("shape", Pods.shapes)
@pytest.mark.parametrize("kubelet", ["1.20", "1.34", "1.37"])
def test_every_shape_is_taken(shape: Shape, kubelet: str) -> None:
    """And is a pod of that name, with what makes it that shape."""
    pod = PODS.shape(shape)

    data = json.dumps(pod).encode()
    taken = reference.decode_manifest(data, Config(path=CONFIG.path, kubelet=kubelet))

    assert taken["metadata"]["name"] == "web-node1"
    assert shape == "minimal" or pod != PODS.shape("minimal")


@pytest.mark.parametrize("flaw", Pods.flaws)
def test_every_flaw_is_refused(flaw: Flaw) -> None:
    """As a manifest, by a kubelet of today."""
    with pytest.raises(Refused):
        reference.decode_manifest(PODS.broken(flaw), CONFIG)


def test_fields_go_where_they_belong() -> None:
    """By their own names: of metadata, spec, status, or of the container."""
    pod = PODS("db", namespace="prod", image="db:1", hostNetwork=True, phase="Running")

    assert pod["metadata"] == {"name": "db", "namespace": "prod"}
    assert pod["spec"]["containers"][0]["image"] == "db:1"
    assert pod["spec"]["hostNetwork"] is True
    assert pod["status"] == {"phase": "Running"}


def test_pods_share_nothing() -> None:
    """What a test changes in one stays there."""
    PODS.shape("probes")["spec"]["containers"][0]["livenessProbe"].clear()

    container = PODS.shape("probes")["spec"]["containers"][0]
    assert container["livenessProbe"]["periodSeconds"] == 5


def test_objects_are_as_an_apiserver_has_them() -> None:
    """With namespace and UID; a mirror pod says what it mirrors."""
    plain = PODS.object("web", labels={"app": "web"})
    mirror = PODS.mirror("web-node1", annotations={"a": "b"})

    assert plain["metadata"]["namespace"] == "default"
    assert plain["metadata"]["uid"]
    assert mirror["metadata"]["annotations"]["kubernetes.io/config.source"] == "file"
    assert mirror["metadata"]["annotations"]["a"] == "b"
    assert PODS.list_of(plain, mirror)["kind"] == "PodList"


def test_every_shape_comes_named_after_itself() -> None:
    """So that all of them can stand in one directory."""
    names = [pod["metadata"]["name"] for pod in PODS.every_shape()]

    assert names == list(Pods.shapes)


def test_unknown_names_are_told_the_known_ones() -> None:
    """Of shapes and of flaws."""
    with pytest.raises(ValueError, match=r"shape 'huge' is not known. Known: minimal"):
        PODS.shape("huge")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"flaw 'ugly' is not known. Known: empty"):
        PODS.broken("ugly")  # type: ignore[arg-type]
