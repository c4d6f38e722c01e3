"""
Pods of every shape in one line, right by construction, and named ways to break them.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, TypeAlias, cast, get_args

from pytest_podsource.contract import Pod
from pytest_podsource.suite.pods import for_manifest, for_object

Shape: TypeAlias = Literal[
    "minimal",
    "two-containers",
    "init-container",
    "sidecar",
    "host-network",
    "host-port",
    "host-path",
    "empty-dir",
    "downward-api",
    "env",
    "probes",
    "lifecycle",
    "resources",
    "security-context",
    "tolerations",
    "affinity",
    "priority",
    "labels",
    "namespace",
    "fixed-uid",
    "never-restarts",
    "control-plane",
]
Flaw: TypeAlias = Literal[
    "empty",
    "half-written",
    "not-yaml",
    "binary",
    "a-text",
    "a-list",
    "no-kind",
    "wrong-kind",
    "wrong-api-version",
    "no-name",
    "bad-name",
    "no-containers",
    "no-container-name",
    "no-image",
    "equal-container-names",
    "wrong-type",
    "bad-port",
    "unknown-volume",
    "negative-memory",
    "a-secret",
]

_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")

MIRROR = "kubernetes.io/config.mirror"
SOURCE = "kubernetes.io/config.source"


def manifest(name: str, **fields: Any) -> Pod:
    """
    Return a pod as a manifest has it, with one container ``c``.

    Args:
        name: Its name.
        fields: Any field of metadata, spec, status or its container by its own name,
            such as ``namespace="prod"``, ``image="nginx:2"``, ``hostNetwork=True``.
    """
    return for_manifest({"name": name, **fields})


class Pods:
    """
    Makes pods; called, a manifest.

    Attributes:
        shapes: The names of :meth:`shape`.
        flaws: The names of :meth:`broken`.
    """

    shapes: tuple[Shape, ...] = get_args(Shape)
    flaws: tuple[Flaw, ...] = get_args(Flaw)

    def __call__(self, name: str = "web", **fields: Any) -> Pod:
        """
        Return a pod as a manifest has it, with one container ``c``.

        Args:
            name: Its name.
            fields: Any field of metadata, spec, status or its container by its own
                name, such as ``namespace="prod"`` or ``image="nginx:2"``.

        Raises:
            ValueError: A kubelet would refuse the name.
        """
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"podsource_pod: {name!r} is no name of a pod. Right would be web-1; "
                "broken('bad-name') makes one that is refused."
            )
        return manifest(name, **fields)

    def shape(self, shape: Shape, name: str = "web") -> Pod:
        """
        Return a manifest of a shape that kubelets take.

        Raises:
            ValueError: The shape isn't known.
        """
        if shape not in _SHAPES:
            raise ValueError(_unknown("shape", shape, self.shapes))
        return manifest(name, **copy.deepcopy(_SHAPES[shape]))

    def every_shape(self) -> Iterator[Pod]:
        """Yield a manifest of each shape, named after it."""
        return (self.shape(each, each) for each in self.shapes)

    def broken(self, flaw: Flaw, name: str = "web") -> bytes:
        """
        Return a manifest that a kubelet refuses.

        Raises:
            ValueError: The flaw isn't known.
        """
        if flaw in _TEXTS:
            return _TEXTS[flaw](json.dumps(manifest(name), indent=2))
        if flaw not in _SPOILED:
            raise ValueError(_unknown("flaw", flaw, self.flaws))
        pod = manifest(name)
        _SPOILED[flaw](pod, pod["spec"]["containers"][0])
        return json.dumps(pod, indent=2).encode()

    def object(self, name: str = "web", **fields: Any) -> Pod:
        """Return a pod as an apiserver has it: with namespace, UID and defaults."""
        return for_object({"name": name, **fields})

    def mirror(self, name: str = "web-node1", **fields: Any) -> Pod:
        """Return the mirror pod of a static pod, as an apiserver has it."""
        annotations = {
            MIRROR: "0" * 32,
            SOURCE: "file",
            **fields.pop("annotations", {}),
        }
        return self.object(name, annotations=annotations, **fields)

    def list_of(self, *pods: Pod) -> dict[str, Any]:
        """Return a PodList."""
        return {"apiVersion": "v1", "kind": "PodList", "items": list(pods)}


def _unknown(what: str, given: str, known: tuple[str, ...]) -> str:
    return f"{what} {given!r} is not known. Known: {', '.join(known)}."


def _container(name: str, **fields: Any) -> dict[str, Any]:
    return {"name": name, "image": "nginx:1", **fields}


_TCP = {"tcpSocket": {"port": 80}, "periodSeconds": 5}
_SHAPES: Mapping[Shape, Mapping[str, Any]] = {
    "minimal": {},
    "two-containers": {"containers": [_container("c"), _container("d")]},
    "init-container": {"initContainers": [_container("i", command=["true"])]},
    "sidecar": {"initContainers": [_container("s", restartPolicy="Always")]},
    "host-network": {"hostNetwork": True},
    "host-port": {"ports": [{"containerPort": 80, "hostPort": 8080}]},
    "host-path": {
        "volumes": [{"name": "v", "hostPath": {"path": "/srv"}}],
        "volumeMounts": [{"name": "v", "mountPath": "/srv", "readOnly": True}],
    },
    "empty-dir": {
        "volumes": [{"name": "v", "emptyDir": {"medium": "Memory"}}],
        "volumeMounts": [{"name": "v", "mountPath": "/tmp"}],  # noqa: S108 - in the pod
    },
    "downward-api": {
        "env": [
            {
                "name": "POD",
                "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}},
            }
        ]
    },
    "env": {"env": [{"name": "A", "value": "1"}, {"name": "EMPTY", "value": ""}]},
    "probes": {"livenessProbe": _TCP, "readinessProbe": _TCP, "startupProbe": _TCP},
    "lifecycle": {"lifecycle": {"preStop": {"exec": {"command": ["sync"]}}}},
    "resources": {
        "containers": [
            _container(
                "c",
                resources={
                    "requests": {"cpu": "100m", "memory": "64Mi"},
                    "limits": {"memory": "128Mi"},
                },
            )
        ]
    },
    "security-context": {
        "securityContext": {"runAsNonRoot": True, "runAsUser": 1000},
        "containers": [_container("c", securityContext={"privileged": False})],
    },
    "tolerations": {"tolerations": [{"operator": "Exists", "effect": "NoExecute"}]},
    "affinity": {
        "affinity": {
            "podAntiAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [
                    {
                        "labelSelector": {"matchLabels": {"app": "web"}},
                        "topologyKey": "kubernetes.io/hostname",
                    }
                ]
            }
        }
    },
    "priority": {"priorityClassName": "system-node-critical"},
    "labels": {"labels": {"app": "web"}, "annotations": {"a.example/b": "c"}},
    "namespace": {"namespace": "kube-system"},
    "fixed-uid": {"uid": "11111111-2222-3333-4444-555555555555"},
    "never-restarts": {"restartPolicy": "Never"},
    "control-plane": {
        "namespace": "kube-system",
        "labels": {"component": "kube-apiserver", "tier": "control-plane"},
        "hostNetwork": True,
        "priorityClassName": "system-node-critical",
        "command": ["kube-apiserver", "--secure-port=6443"],
        "livenessProbe": {
            "httpGet": {"path": "/livez", "port": 6443, "scheme": "HTTPS"}
        },
        "volumes": [{"name": "pki", "hostPath": {"path": "/etc/kubernetes/pki"}}],
        "volumeMounts": [{"name": "pki", "mountPath": "/etc/kubernetes/pki"}],
    },
}

_TEXTS: Mapping[Flaw, Callable[[str], bytes]] = {
    "empty": lambda text: b"",
    "half-written": lambda text: text[: len(text) * 2 // 3].encode(),
    "not-yaml": lambda text: b"{" + text.encode() + b"\t:",
    "binary": lambda text: b"\x7fELF\x02\x01\x01\x00" + bytes(range(32)),
    "a-text": lambda text: b"see /srv/manifests\n",
    "a-list": lambda text: f"[{text}]".encode(),
}


def _drop(where: str, name: str) -> Callable[[Pod, dict[str, Any]], None]:
    def spoil(pod: Pod, container: dict[str, Any]) -> None:
        part = container if where == "container" else pod[where] if where else pod
        cast("dict[str, Any]", part).pop(name)

    return spoil


def _put(where: str, name: str, value: Any) -> Callable[[Pod, dict[str, Any]], None]:
    def spoil(pod: Pod, container: dict[str, Any]) -> None:
        part = container if where == "container" else pod[where] if where else pod
        part[name] = value

    return spoil


_SPOILED: Mapping[Flaw, Callable[[Pod, dict[str, Any]], None]] = {
    "no-kind": _drop("", "kind"),
    "wrong-kind": _put("", "kind", "Deployment"),
    "wrong-api-version": _put("", "apiVersion", "v2"),
    "no-name": _drop("metadata", "name"),
    "bad-name": _put("metadata", "name", "Web_1"),
    "no-containers": _put("spec", "containers", []),
    "no-container-name": _drop("container", "name"),
    "no-image": _drop("container", "image"),
    "equal-container-names": _put("spec", "containers", [_container("c")] * 2),
    "wrong-type": _put("spec", "hostNetwork", "yes"),
    "bad-port": _put("container", "ports", [{"containerPort": 65536}]),
    "unknown-volume": _put(
        "container", "volumeMounts", [{"name": "v", "mountPath": "/srv"}]
    ),
    "negative-memory": _put("container", "resources", {"limits": {"memory": "-1Mi"}}),
    "a-secret": _put("container", "envFrom", [{"secretRef": {"name": "credentials"}}]),
}
