"""
P: pods as cases write them, with short keys.

The same keys build a pod and look a field of one up; see docs/reference/case-format.md.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from pytest_podsource.contract import Pod

METADATA = frozenset(
    {
        "name",
        "namespace",
        "uid",
        "labels",
        "annotations",
        "generation",
        "resourceVersion",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "ownerReferences",
        "finalizers",
        "generateName",
        "selfLink",
    }
)
CONTAINER = frozenset(
    {
        "image",
        "imagePullPolicy",
        "command",
        "args",
        "env",
        "envFrom",
        "ports",
        "volumeMounts",
        "livenessProbe",
        "readinessProbe",
        "startupProbe",
        "lifecycle",
        "workingDir",
        "terminationMessagePath",
        "terminationMessagePolicy",
    }
)
STATUS = frozenset(
    {
        "phase",
        "conditions",
        "message",
        "reason",
        "podIP",
        "hostIP",
        "startTime",
        "containerStatuses",
        "qosClass",
    }
)
PARTS = frozenset({"metadata", "spec", "status"})
TOP = frozenset({"apiVersion", "kind"})
IMAGE = "nginx:1"


def for_manifest(given: Any) -> Pod:
    """
    Return the pod that P is in a manifest: with kind, without namespace and UID.
    """
    pod: Pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {},
        "spec": {"containers": [{"name": "c", "image": IMAGE}]},
    }
    return _built(given, pod)


def for_object(given: Any) -> Pod:
    """
    Return the pod that P is as an object: as an apiserver would hold it.

    Its UID is ``<name>_<namespace>`` if none is given, so that two names are two pods.
    """
    container = {"name": "c", "image": IMAGE, "imagePullPolicy": "IfNotPresent"}
    pod: Pod = {
        "metadata": {"namespace": "default"},
        "spec": {
            "containers": [container],
            "restartPolicy": "Always",
            "dnsPolicy": "ClusterFirst",
        },
    }
    built = _built(given, pod)
    explicit = isinstance(given, Mapping) and ("uid" in given or "raw" in given)
    metadata = built.get("metadata", {})
    if not explicit and "uid" not in metadata:
        name, namespace = metadata.get("name", ""), metadata.get("namespace", "")
        metadata["uid"] = f"{name}_{namespace}"
    return built


def look_up(pod: Any, key: str) -> Any:
    """
    Return the field of *pod* that the short *key* stands for, ``None`` if absent.

    Whatever an implementation takes for a pod may be asked.
    """
    if key in PARTS | TOP:
        return _get(pod, key)
    if key in METADATA:
        return _get(_get(pod, "metadata"), key)
    if key in STATUS:
        return _get(_get(pod, "status"), key)
    spec = _get(pod, "spec")
    if key in CONTAINER:
        containers = _get(spec, "containers")
        first = containers[0] if isinstance(containers, list) and containers else None
        return _get(first, key)
    return _get(spec, key)


def name_of(given: Any) -> str:
    """
    Return the name that P, POD or a pod goes by in a story.
    """
    if not isinstance(given, Mapping):
        return str(given)
    inner = given.get("raw", given)
    return str(_get(inner, "name") or _get(_get(inner, "metadata"), "name") or "?")


def _get(mapping: Any, key: str) -> Any:
    return mapping.get(key) if isinstance(mapping, Mapping) else None


def _built(given: Any, pod: Pod) -> Pod:
    if not isinstance(given, Mapping):
        pod["metadata"]["name"] = given
        return pod
    if "raw" in given:
        raw: Pod = copy.deepcopy(given["raw"])
        return raw
    parts_first = sorted(given.items(), key=lambda item: item[0] not in PARTS)
    for key, value in parts_first:
        _set(pod, key, copy.deepcopy(value))
    return pod


def _set(pod: Pod, key: str, value: Any) -> None:
    if key in PARTS and isinstance(value, dict):
        pod.setdefault(key, {}).update(value)
        return
    place = _place(pod, key)
    if value is None:
        place.pop(key, None)
    else:
        place[key] = value


def _place(pod: Pod, key: str) -> dict[str, Any]:
    if key in PARTS | TOP:
        return pod
    if key in METADATA:
        part: dict[str, Any] = pod.setdefault("metadata", {})
    elif key in STATUS:
        part = pod.setdefault("status", {})
    else:
        part = pod.setdefault("spec", {})
    if key in CONTAINER:
        containers = part.get("containers") or [{}]
        part["containers"] = containers
        first: dict[str, Any] = containers[0]
        return first
    return part
