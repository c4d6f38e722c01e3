"""
From the bytes of a manifest to a pod.
"""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pytest_podsource.contract import Config, Pod, Refused
from pytest_podsource.core.manifest import (
    decode_manifest,
    decode_manifest_list,
    fault_of,
    priority_warning,
)
from pytest_podsource.known import KUBELETS

MANIFESTS = Path(__file__).parents[1] / "manifests"
BROKEN = ("odd-calico-node-template.yaml", "odd-etcd-cut-off.yaml")
FILE = Config(path="/m/a.yaml")


def manifest(
    *,
    meta: dict[str, Any] | None = None,
    container: dict[str, Any] | None = None,
    **spec: Any,
) -> dict[str, Any]:
    """Return a v1 Pod with one container."""
    first = {"name": "c", "image": "nginx:1", **(container or {})}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web", **(meta or {})},
        "spec": {"containers": [first], **spec},
    }


def decoded(pod: dict[str, Any], kubelet: str = "1.37", **config: Any) -> Pod:
    """Return *pod* as a file pod."""
    settings = {"path": "/m/a.yaml", **config}
    return decode_manifest(
        json.dumps(pod).encode(), Config(kubelet=kubelet, **settings)
    )


def refusal(pod: dict[str, Any], kubelet: str = "1.37", **config: Any) -> Refused:
    """Return why *pod* is refused."""
    with pytest.raises(Refused) as caught:
        decoded(pod, kubelet, **config)
    return caught.value


@pytest.mark.parametrize(
    "path",
    [path for path in sorted(MANIFESTS.iterdir()) if path.name not in BROKEN],
    ids=lambda path: path.name,
)
def test_decode_manifest_reads_the_manifests_of_real_life(path: Path) -> None:
    """Each of them is a pod on the newest kubelet."""
    pod = decode_manifest(path.read_bytes(), Config(path=str(path)))

    assert pod["metadata"]["name"].endswith("-node1")
    assert pod["metadata"]["annotations"]["kubernetes.io/config.hash"]
    assert pod["spec"]["nodeName"] == "node1"
    assert pod["status"]["phase"] == "Pending"


@pytest.mark.parametrize(
    ("kubelet", "field"), [("1.1", "port"), ("1.20", "path"), ("1.37", "port")]
)
def test_of_several_mismatches_a_kubelet_names_its_own(
    kubelet: str, field: str
) -> None:
    """A port reads its JSON by itself, which ends the decoding but in 1.20's library."""
    probe = {"httpGet": {"path": True, "port": True}}
    data = json.dumps(manifest(container={"livenessProbe": probe})).encode()

    with pytest.raises(Refused) as refused:
        decode_manifest(data, Config(path="/m/a.yaml", kubelet=kubelet))

    place = "spec.containers[0].livenessProbe.httpGet"
    assert str(refused.value).startswith(f"{place}.{field}: ")


NINES = "9" * 10_000


@pytest.mark.parametrize(
    ("text", "cpu"),
    [
        (f"cpu: {NINES}", NINES),
        (f'cpu: "0.{NINES}"', "1"),
        (f"cpu: 0x{'0' * 6000}7", "7"),
        (f"cpu: 0{'0' * 6000}7", "7"),
    ],
    ids=["whole", "fraction", "hexadecimal", "octal"],
)
def test_a_number_may_have_any_length(text: str, cpu: str) -> None:
    """Go's readers have no limit of digits, as Python's has."""
    pod = manifest(container={"resources": {"limits": {"cpu": "CPU"}}})
    data = yaml.safe_dump(pod).replace("cpu: CPU", text).encode()

    found = decode_manifest(data, FILE)

    assert found["spec"]["containers"][0]["resources"]["limits"] == {"cpu": cpu}


@pytest.mark.parametrize(
    "text",
    [
        '{"apiVersion": "v1", "kind": "Pod", "metadata": {"generation": %s}}',
        "apiVersion: v1\nkind: Pod\nmetadata: {generation: %s}\n",
    ],
    ids=["JSON", "YAML"],
)
def test_a_number_of_any_length_has_no_place_in_a_field(text: str) -> None:
    """It is told as any other that doesn't fit."""
    with pytest.raises(Refused, match=r"metadata\.generation: '?9+"):
        decode_manifest((text % NINES).encode(), FILE)


def test_decode_manifest_names_the_line_of_broken_yaml() -> None:
    """A template that nobody filled in."""
    with pytest.raises(Refused, match="line 9") as caught:
        decode_manifest((MANIFESTS / BROKEN[0]).read_bytes(), FILE)

    assert not caught.value.parsed


def test_decode_manifest_names_the_fields_of_a_cut_off_manifest() -> None:
    """It is good YAML; only the validation stops it."""
    with pytest.raises(Refused) as caught:
        decode_manifest((MANIFESTS / BROKEN[1]).read_bytes(), FILE)

    assert caught.value.parsed
    assert caught.value.reason == (
        "invalid pod: [spec.containers[0].name: Required value "
        "spec.containers[0].livenessProbe.httpGet.port: Invalid value: 0: "
        "must be between 1 and 65535, inclusive]"
    )


@pytest.mark.parametrize("kubelet", KUBELETS)
def test_decode_manifest_fills_in_what_each_kubelet_knows(kubelet: str) -> None:
    """No default lands in a field that the kubelet doesn't have."""
    pod = manifest(
        volumes=[{"name": "h", "hostPath": {"path": "/"}}, {"name": "e"}],
        container={
            "ports": [{"containerPort": 80}],
            "livenessProbe": {"exec": {"command": ["a"]}},
        },
        hostNetwork=True,
    )

    found = decoded(pod, kubelet)

    old = kubelet == "1.1"
    container = found["spec"]["containers"][0]
    assert found["spec"]["volumes"][0]["hostPath"] == (
        {"path": "/"} if old else {"path": "/", "type": ""}
    )
    assert found["spec"]["volumes"][1]["emptyDir"] == {}
    assert container["ports"] == [
        {"containerPort": 80, "hostPort": 80, "protocol": "TCP"}
    ]
    assert ("schedulerName" in found["spec"]) is not old
    assert ("periodSeconds" in container["livenessProbe"]) is not old
    assert "kind" not in found
    assert "apiVersion" not in found


@pytest.mark.parametrize(
    ("image", "policy", "old"),
    [
        ("nginx", "Always", "IfNotPresent"),
        ("nginx:latest", "Always", "Always"),
        ("nginx:1", "IfNotPresent", "IfNotPresent"),
        ("h.io:5000/x", "Always", "IfNotPresent"),
        ("localhost:5000/x:1", "IfNotPresent", "IfNotPresent"),
        ("Nginx:latest", "IfNotPresent", "Always"),
        (f"nginx@sha256:{'a' * 64}", "IfNotPresent", "IfNotPresent"),
        (f"nginx:latest@sha256:{'a' * 64}", "Always", "IfNotPresent"),
        ("a" * 64, "IfNotPresent", "IfNotPresent"),
    ],
)
def test_the_pull_policy_follows_the_tag(image: str, policy: str, old: str) -> None:
    """No tag is latest; what can't be parsed has no tag. 1.1 splits at the colon."""
    pod = manifest(container={"image": image})

    found = decoded(pod)["spec"]["containers"][0]["imagePullPolicy"]
    found_old = decoded(pod, "1.1")["spec"]["containers"][0]["imagePullPolicy"]

    assert (found, found_old) == (policy, old)


def test_requests_are_taken_from_limits_and_rounded_up() -> None:
    """What is less than a thousandth counts as a thousandth."""
    resources = {"limits": {"cpu": "0.0001", "memory": "1024Mi"}}

    found = decoded(manifest(container={"resources": resources}))

    amounts = {"cpu": "1m", "memory": "1Gi"}
    assert found["spec"]["containers"][0]["resources"] == {
        "limits": amounts,
        "requests": amounts,
    }


@pytest.mark.parametrize(
    ("kubelet", "requests"),
    [("1.34", {"cpu": "300m", "memory": "1Gi"}), ("1.37", None)],
)
def test_a_pod_with_limits_gets_its_requests(
    kubelet: str, requests: dict[str, str] | None
) -> None:
    """From its containers, else from those limits; 1.37 leaves it alone."""
    side = {"name": "s", "image": "x", "restartPolicy": "Always"}
    pod = manifest(
        container={"resources": {"requests": {"cpu": "100m"}}},
        initContainers=[{**side, "resources": {"requests": {"cpu": "0.2"}}}],
        resources={"limits": {"cpu": "1", "memory": "1Gi"}},
    )

    assert decoded(pod, kubelet)["spec"]["resources"].get("requests") == requests


def test_nil_and_empty_stay_apart() -> None:
    """A list or mapping without entries is kept, null is absent."""
    pod = manifest(
        meta={"labels": {}, "finalizers": None},
        container={"command": [], "args": None, "securityContext": {}},
    )

    found = decoded(pod)

    assert found["metadata"]["labels"] == {}
    assert "finalizers" not in found["metadata"]
    assert found["spec"]["containers"][0]["command"] == []
    assert "args" not in found["spec"]["containers"][0]
    assert found["spec"]["containers"][0]["securityContext"] == {}


@pytest.mark.parametrize(
    ("pod", "about"),
    [
        (manifest(container={"image": 1}), "spec.containers[0].image"),
        (manifest(meta={"labels": {"a": True}}), "metadata.labels[a]"),
        (manifest(hostNetwork="true"), "true or false"),
        (manifest(terminationGracePeriodSeconds=30.5), "whole number"),
        (manifest(priority=2**31), "32 bits"),
        (manifest(volumes={}), "a list"),
        (manifest(securityContext=[]), "an object"),
        (manifest(meta={"deletionTimestamp": "today"}), "a time"),
        (manifest(container={"resources": {"limits": {"cpu": "x"}}}), "quantity"),
        (manifest(container={"resources": {"limits": {"cpu": True}}}), "quantity"),
    ],
)
def test_a_wrong_type_is_no_pod(pod: dict[str, Any], about: str) -> None:
    """The reason names the field and what would have been right."""
    refused = refusal(pod)

    assert about in refused.reason
    assert not refused.parsed


@pytest.mark.parametrize("kubelet", KUBELETS)
def test_the_uid_is_opaque_and_stable(kubelet: str) -> None:
    """32 hexadecimal digits, equal for equal manifests, kept if they are given."""
    uid = decoded(manifest(), kubelet)["metadata"]["uid"]

    assert len(uid) == 32
    assert int(uid, 16) >= 0
    assert decoded(manifest(restartPolicy="Always"), kubelet)["metadata"]["uid"] == uid
    assert (
        decoded(manifest(meta={"labels": {"a": "b"}}), kubelet)["metadata"]["uid"]
        != uid
    )
    assert decoded(manifest(meta={"uid": "u"}), kubelet)["metadata"]["uid"] == "u"


@pytest.mark.parametrize(
    ("kubelet", "counts"),
    [("1.1", False), ("1.20", False), ("1.30", True), ("1.37", True)],
)
def test_path_and_node_count_for_the_uid(kubelet: str, counts: bool) -> None:  # noqa: FBT001
    """Up to 1.20 they are written and then lost."""
    uid = decoded(manifest(), kubelet)["metadata"]["uid"]
    elsewhere = decoded(manifest(), kubelet, path="/m/b.yaml")["metadata"]["uid"]
    other_node = decoded(manifest(), kubelet, node_name="n2")["metadata"]["uid"]

    assert (elsewhere != uid, other_node != uid) == (counts, counts)


def test_a_url_pod_has_one_uid_on_every_node_and_no_toleration() -> None:
    """Only the URL counts."""
    data = json.dumps(manifest()).encode()

    first = decode_manifest(data, Config(url="http://h/"), "http")
    second = decode_manifest(data, Config(url="http://h/", node_name="n2"), "http")
    third = decode_manifest(data, Config(url="http://i/"), "http")

    assert first["metadata"]["uid"] == second["metadata"]["uid"]
    assert first["metadata"]["uid"] != third["metadata"]["uid"]
    assert "tolerations" not in first["spec"]


@pytest.mark.parametrize(
    ("given_", "found"),
    [
        ([], [{"operator": "Exists", "effect": "NoExecute"}]),
        (
            [{"operator": "Exists"}],
            [{"operator": "Exists"}, {"operator": "Exists", "effect": "NoExecute"}],
        ),
        (
            [{"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}],
            [{"operator": "Exists", "effect": "NoExecute"}],
        ),
    ],
)
def test_a_file_pod_tolerates_no_execute(
    given_: list[dict[str, Any]], found: list[dict[str, Any]]
) -> None:
    """An equal one is replaced, a wider one is not enough."""
    assert decoded(manifest(tolerations=given_))["spec"]["tolerations"] == found


@pytest.mark.parametrize(
    ("kubelet", "gates", "spec", "reason"),
    [
        ("1.20", {}, {"serviceAccountName": "a"}, None),
        ("1.34", {}, {"serviceAccountName": "a"}, "serviceaccounts"),
        (
            "1.34",
            {"PreventStaticPodAPIReferences": False},
            {"serviceAccountName": "a"},
            None,
        ),
        (
            "1.37",
            {"PreventStaticPodAPIReferences": False},
            {"serviceAccountName": "a"},
            "serviceaccounts",
        ),
        ("1.37", {}, {"imagePullSecrets": [{"name": "s"}]}, "secrets"),
        ("1.37", {}, {"imagePullSecrets": [{"name": ""}]}, None),
        (
            "1.37",
            {},
            {"volumes": [{"name": "v", "configMap": {"name": "m"}}]},
            "configmaps",
        ),
        ("1.37", {}, {"volumes": [{"name": "v", "projected": {"sources": []}}]}, None),
        (
            "1.37",
            {},
            {"volumes": [{"name": "v", "projected": {"sources": [{}]}}]},
            "unknown source",
        ),
        (
            "1.30",
            {},
            {
                "volumes": [
                    {
                        "name": "v",
                        "projected": {
                            "sources": [
                                {"clusterTrustBundle": {"name": "b", "path": "p"}}
                            ]
                        },
                    }
                ]
            },
            "ClusterTrustBundle",
        ),
    ],
)
def test_references_to_objects_of_the_api(
    kubelet: str, gates: dict[str, bool], spec: dict[str, Any], reason: str | None
) -> None:
    """From 1.34 on they refuse a static pod; the gate can be turned off up to 1.36."""
    pod = manifest(**spec)

    if reason is None:
        assert decoded(pod, kubelet, gates=gates)
    else:
        refused = refusal(pod, kubelet, gates=gates)
        assert reason in refused.reason
        assert refused.parsed


def test_a_list_is_refused_with_its_first_unusable_pod() -> None:
    """No pod is returned; the kind of an item isn't looked at, and stays from 1.37 on."""
    good, bad = manifest(), manifest(container={"name": "C_"})
    good["kind"] = "ConfigMap"
    whole = {"apiVersion": "v1", "kind": "PodList", "items": [good, good]}

    found = decode_manifest_list(json.dumps(whole).encode(), Config(url="http://h/"))
    assert [pod["metadata"]["uid"] for pod in found] == [
        found[0]["metadata"]["uid"]
    ] * 2
    assert found[0]["kind"] == "ConfigMap"
    whole_of_old = Config(url="http://h/", kubelet="1.34")
    assert (
        "kind" not in decode_manifest_list(json.dumps(whole).encode(), whole_of_old)[0]
    )

    whole["items"] = [good, bad]
    with pytest.raises(Refused, match="containers") as caught:
        decode_manifest_list(json.dumps(whole).encode(), Config(url="http://h/"))
    assert caught.value.parsed


@pytest.mark.parametrize(
    ("spec", "about"),
    [
        ({}, None),
        (
            {"priority": 2_000_001_000, "priorityClassName": "system-node-critical"},
            None,
        ),
        ({"priorityClassName": "a"}, "no priority"),
        ({"priority": 5}, "no priority class"),
        ({"priority": 5, "priorityClassName": "a"}, "another priority"),
    ],
)
def test_priority_warning_tells_odd_priorities(
    spec: dict[str, Any], about: str | None
) -> None:
    """Three kinds, since 1.37."""
    pod = decoded(manifest(**spec))

    warning = priority_warning(pod, FILE)

    assert (about in warning) if about and warning else warning is about
    assert priority_warning(pod, Config(kubelet="1.36")) is None


def test_fault_of_a_good_pod_is_none_and_leaves_it_alone() -> None:
    """The merge of 1.1 asks it of every pod."""
    pod = decoded(manifest(), "1.1")
    before = deepcopy(pod)

    assert fault_of(pod, Config(kubelet="1.1")) is None
    assert pod == before

    pod["spec"]["containers"][0]["image"] = ""
    assert "image" in (fault_of(pod, Config(kubelet="1.1")) or "")


@given(st.binary(max_size=60), st.sampled_from(KUBELETS))
def test_any_bytes_are_refused_and_nothing_else_is_raised(
    data: bytes, kubelet: str
) -> None:
    """Rubbish in a manifest directory must never end the source."""
    with pytest.raises(Refused):
        decode_manifest(data, Config(kubelet=kubelet, path="/m/a"))


WRONG = st.sampled_from([None, 0, -1, 1.5, "", "x", True, [], {}, [None], {"a": None}])


@given(st.data(), st.sampled_from(KUBELETS))
def test_a_wrong_value_anywhere_is_a_pod_or_refused(
    data: st.DataObject, kubelet: str
) -> None:
    """No field makes the decoder fail in another way."""
    path = data.draw(st.sampled_from(sorted(MANIFESTS.glob("*.json"))))
    pod = json.loads(path.read_text())
    part, key = data.draw(st.sampled_from(list(_places(pod))))
    part[key] = data.draw(WRONG)

    try:
        found = decoded(pod, kubelet)
    except Refused:
        return
    assert found["metadata"]["uid"]


def _places(value: Any) -> Any:
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _places(value[key])
