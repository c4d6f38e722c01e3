"""
What the API's validation refuses, and how it says so.

The expected field paths are those that the kubelets named for the same pods.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from pytest_podsource.contract import Config, Refused
from pytest_podsource.core.manifest import decode_manifest

PROBE = {"exec": {"command": ["true"]}}
FIELD = {"fieldPath": "metadata.name"}
SPREAD = {"maxSkew": 1, "topologyKey": "a", "whenUnsatisfiable": "DoNotSchedule"}
EXTENDED = "example.com/gpu"


def faults(
    *,
    kubelet: str = "1.37",
    meta: dict[str, Any] | None = None,
    container: dict[str, Any] | None = None,
    volume: dict[str, Any] | None = None,
    mount: dict[str, Any] | None = None,
    **spec: Any,
) -> list[str]:
    """Return the paths of the fields that a pod is refused for."""
    first = {"name": "c", "image": "nginx:1", **(container or {})}
    if volume is not None:
        spec["volumes"] = [{"name": "v", **volume}]
    if mount is not None:
        spec.setdefault("volumes", [{"name": "v", "emptyDir": {}}])
        first["volumeMounts"] = [{"name": "v", "mountPath": "/a", **mount}]
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web", **(meta or {})},
        "spec": {"containers": [first], **spec},
    }
    try:
        decode_manifest(json.dumps(pod).encode(), Config(kubelet=kubelet, path="/m/a"))
    except Refused as error:
        return re.findall(
            r"((?:metadata|spec)[.\w\[\]{}/-]*(?:, \w+})?): [A-Z]", error.reason
        )
    return []


C = "spec.containers[0]"


@pytest.mark.parametrize(
    ("given", "paths"),
    [
        ({"meta": {"labels": {"a b": "c"}}}, ["metadata.labels"]),
        ({"meta": {"labels": {"a": "-"}}}, ["metadata.labels"]),
        ({"meta": {"labels": {"a": "x" * 64}}}, ["metadata.labels"]),
        ({"meta": {"annotations": {"A.B/c": "d"}}}, []),
        ({"meta": {"annotations": {"a": "x" * 262_145}}}, ["metadata.annotations"]),
        ({"meta": {"namespace": "a.b"}}, ["metadata.namespace"]),
        ({"meta": {"generateName": "x-"}}, []),
        ({"meta": {"generation": -1}}, ["metadata.generation"]),
        ({"meta": {"finalizers": ["a"]}}, ["metadata.finalizers[0]"]),
        (
            {"meta": {"ownerReferences": [{"apiVersion": "v1"}]}},
            [f"metadata.ownerReferences[0].{each}" for each in ("kind", "name", "uid")],
        ),
        ({"container": {"image": " x"}}, [f"{C}.image"]),
        ({"container": {"imagePullPolicy": "x"}}, [f"{C}.imagePullPolicy"]),
        ({"container": {"ports": [{}]}}, [f"{C}.ports[0].containerPort"]),
        (
            {"container": {"ports": [{"containerPort": 65536, "name": "1"}]}},
            [f"{C}.ports[0].name", f"{C}.ports[0].containerPort"],
        ),
        (
            {"container": {"ports": [{"containerPort": 1, "protocol": "tcp"}]}},
            [f"{C}.ports[0].protocol"],
        ),
        (
            {"container": {"ports": [{"containerPort": 1, "hostPort": 1}] * 2}},
            [f"{C}.ports[1].hostPort"],
        ),
        ({"container": {"env": [{"name": ""}]}}, [f"{C}.env[0].name"]),
        ({"container": {"env": [{"name": "a=b"}]}}, [f"{C}.env[0].name"]),
        (
            {
                "container": {
                    "env": [
                        {"name": "A", "value": "x", "valueFrom": {"fieldRef": FIELD}}
                    ]
                }
            },
            [f"{C}.env[0].valueFrom"],
        ),
        (
            {"container": {"env": [{"name": "A", "valueFrom": {}}]}},
            [f"{C}.env[0].valueFrom"],
        ),
        (
            {
                "container": {
                    "env": [
                        {"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "x"}}}
                    ]
                }
            },
            [f"{C}.env[0].valueFrom.fieldRef.fieldPath"],
        ),
        (
            {
                "container": {
                    "env": [
                        {
                            "name": "A",
                            "valueFrom": {
                                "resourceFieldRef": {
                                    "resource": "limits.cpu",
                                    "divisor": "2",
                                }
                            },
                        }
                    ]
                }
            },
            [f"{C}.env[0].valueFrom.resourceFieldRef.divisor"],
        ),
        ({"container": {"envFrom": [{}]}}, [f"{C}.envFrom"]),
        ({"container": {"livenessProbe": {}}}, [f"{C}.livenessProbe"]),
        (
            {"container": {"livenessProbe": {"tcpSocket": {"port": "x y"}}}},
            [f"{C}.livenessProbe.tcpSocket.port"],
        ),
        (
            {"container": {"livenessProbe": {**PROBE, "successThreshold": 2}}},
            [f"{C}.livenessProbe.successThreshold"],
        ),
        ({"container": {"readinessProbe": {**PROBE, "successThreshold": 2}}}, []),
        (
            {"container": {"lifecycle": {"preStop": {"sleep": {"seconds": 31}}}}},
            [f"{C}.lifecycle.preStop.sleep"],
        ),
        (
            {
                "container": {
                    "resources": {"limits": {"cpu": "1"}, "requests": {"cpu": "2"}}
                }
            },
            [f"{C}.resources.requests"],
        ),
        (
            {"container": {"resources": {"requests": {"cpu": "-1"}}}},
            [f"{C}.resources.requests[cpu]"],
        ),
        (
            {"container": {"resources": {"requests": {EXTENDED: "1"}}}},
            [f"{C}.resources.limits"],
        ),
        (
            {"container": {"resources": {"limits": {"hugepages-2Mi": "2Mi"}}}},
            [f"{C}.resources"],
        ),
        (
            {"container": {"securityContext": {"runAsUser": -1}}},
            [f"{C}.securityContext.runAsUser"],
        ),
        ({"container": {"securityContext": {"privileged": True}}}, []),
        ({"mount": {}}, []),
        ({"mount": {"name": "x"}}, [f"{C}.volumeMounts[0].name"]),
        ({"mount": {"mountPath": ""}}, [f"{C}.volumeMounts[0].mountPath"]),
        ({"mount": {"subPath": "../a"}}, [f"{C}.volumeMounts.subPath"]),
        (
            {"mount": {"mountPropagation": "Bidirectional"}},
            [f"{C}.volumeMounts.mountPropagation"],
        ),
        (
            {"volume": {"hostPath": {"path": "/a/.."}}},
            ["spec.volumes[0].hostPath.path"],
        ),
        (
            {"volume": {"hostPath": {"path": "/", "type": "x"}}},
            ["spec.volumes[0].hostPath.type"],
        ),
        (
            {"volume": {"emptyDir": {}, "hostPath": {"path": "/"}}},
            ["spec.volumes[0].hostPath"],
        ),
        ({"volume": {"name": "V", "emptyDir": {}}}, ["spec.volumes[0].name"]),
        (
            {"volume": {"nfs": {"server": "a", "path": "b"}}},
            ["spec.volumes[0].nfs.path"],
        ),
        (
            {"volume": {"downwardAPI": {"items": [{"path": "a"}]}}},
            ["spec.volumes[0].downwardAPI"],
        ),
        (
            {
                "volume": {
                    "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}
                }
            },
            ["spec.volumes[0].projected.sources[0].serviceAccountToken"],
        ),
        (
            {"initContainers": [{"name": "c", "image": "x"}]},
            ["spec.initContainers[0].name"],
        ),
        (
            {"initContainers": [{"name": "i", "image": "x", "livenessProbe": PROBE}]},
            ["spec.initContainers[0].livenessProbe"],
        ),
        (
            {
                "initContainers": [
                    {
                        "name": "i",
                        "image": "x",
                        "restartPolicy": "Always",
                        "livenessProbe": PROBE,
                    }
                ]
            },
            [],
        ),
        (
            {
                "resources": {"requests": {"cpu": "1"}},
                "container": {"resources": {"requests": {"cpu": "2"}}},
            },
            ["spec.resources.requests[cpu]"],
        ),
        ({"resources": {"claims": []}}, ["spec.resources.claims"]),
        (
            {"resources": {"limits": {"ephemeral-storage": "1"}}},
            ["spec.resources.limits[ephemeral-storage]"],
        ),
        ({"dnsPolicy": "None"}, ["spec.dnsConfig"]),
        ({"dnsConfig": {"nameservers": ["x"]}}, ["spec.dnsConfig.nameservers[0]"]),
        ({"hostAliases": [{"ip": "01.2.3.4"}]}, ["spec.hostAliases[0].ip"]),
        ({"hostUsers": False, "hostPID": True}, ["spec.HostPID"]),
        (
            {"shareProcessNamespace": True, "hostPID": True},
            ["spec.shareProcessNamespace"],
        ),
        ({"activeDeadlineSeconds": 0}, ["spec.activeDeadlineSeconds"]),
        ({"priorityClassName": "A"}, ["spec.priorityClassName"]),
        ({"securityContext": {"fsGroup": -1}}, ["spec.securityContext.fsGroup"]),
        (
            {"securityContext": {"seccompProfile": {"type": "x"}}},
            ["spec.securityContext.seccompProfile.type"],
        ),
        (
            {
                "securityContext": {"sysctls": [{"name": "net.a", "value": "1"}]},
                "hostNetwork": True,
            },
            ["spec.securityContext.sysctls[0].name"],
        ),
        ({"tolerations": [{}]}, ["spec.tolerations[0].operator"]),
        (
            {"tolerations": [{"key": "a", "tolerationSeconds": 1}]},
            ["spec.tolerations[0].effect"],
        ),
        ({"topologySpreadConstraints": [SPREAD]}, []),
        (
            {"topologySpreadConstraints": [SPREAD, SPREAD]},
            ["spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}"],
        ),
        (
            {
                "affinity": {
                    "nodeAffinity": {
                        "requiredDuringSchedulingIgnoredDuringExecution": {}
                    }
                }
            },
            [
                "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
            ],
        ),
        (
            {"ephemeralContainers": [{"name": "e", "image": "x"}]},
            ["spec.ephemeralContainers"],
        ),
        ({"schedulingGates": [{"name": "a"}]}, ["spec.nodeName"]),
    ],
    ids=lambda value: json.dumps(value)[:60] if isinstance(value, dict) else "",
)
def test_validation_names_the_fields(given: dict[str, Any], paths: list[str]) -> None:
    """Each rule refuses what it should, and only that."""
    assert faults(**given)[: max(1, len(paths))] == paths


@pytest.mark.parametrize(
    ("given", "refusing"),
    [
        ({"container": {"restartPolicy": "Always"}}, {"1.30", "1.34"}),
        ({"container": {"env": [{"name": "a:b"}]}}, {"1.1", "1.20", "1.30", "1.34"}),
        ({"container": {"env": [{"name": "a-b"}]}}, {"1.1"}),
        ({"container": {"ports": [{"containerPort": 1, "protocol": "SCTP"}]}}, {"1.1"}),
        ({"dnsConfig": {"searches": ["a_b"]}}, {"1.20", "1.30", "1.34"}),
        ({"dnsConfig": {"searches": ["a"] * 7}}, {"1.20"}),
        ({"schedulingGates": [{"name": "a"}]}, {"1.30", "1.34", "1.36", "1.37"}),
        (
            {"container": {"lifecycle": {"preStop": {"sleep": {"seconds": 0}}}}},
            {"1.1", "1.20", "1.30", "1.34"},
        ),
        ({"terminationGracePeriodSeconds": -1}, set()),
        ({"volume": {"image": {"pullPolicy": "Always"}}}, {"1.37"}),
        ({"volume": {"emptyDir": {"mode": 0o2000}}}, {"1.37"}),
    ],
    ids=lambda value: json.dumps(value) if isinstance(value, dict) else "",
)
def test_rules_belong_to_kubelets(given: dict[str, Any], refusing: set[str]) -> None:
    """What an older kubelet doesn't know or doesn't check it lets through."""
    kubelets = ("1.1", "1.20", "1.30", "1.34", "1.36", "1.37")

    assert {each for each in kubelets if faults(kubelet=each, **given)} == refusing
