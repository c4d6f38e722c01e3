"""
What makes a pod this node's own: UID, name, namespace, node, annotations, status.

Rule 1: the UID is made of the defaulted pod before anything here is set. Rule 2: file
and node count for the UID of a file pod, the URL alone for that of a URL pod; up to
1.20 neither does. Rule 3: a UID is opaque: 32 hexadecimal digits that are equal for
equal manifests; they are not those of a kubelet. Rule 4: a UID in the manifest stays.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, Literal

from pytest_podsource.contract import Config, Pod
from pytest_podsource.core.manifest.quantity import Quantity
from pytest_podsource.core.versions import Kubelet

Origin = Literal["file", "http"]

HASH_ANNOTATION = "kubernetes.io/config.hash"
_TOLERATION = {"operator": "Exists", "effect": "NoExecute"}


def adopt(pod: Pod, config: Config, origin: Origin, kubelet: Kubelet) -> None:
    """
    Make *pod* one of the node's own, in place.

    Kubelet: ``applyDefaults`` in ``pkg/kubelet/config``.
    """
    meta, spec, status = pod["metadata"], pod["spec"], pod["status"]
    if not meta.get("uid"):
        meta["uid"] = _uid(pod, _origin(config, origin, kubelet), kubelet)
    node = config.node_name
    suffix = node.lower() if kubelet.lower_node_name else node
    meta["name"] = f"{meta.get('name', '')}-{suffix}"
    meta["namespace"] = meta.get("namespace") or "default"
    spec["nodeName"] = node
    meta["annotations"] = {**meta.get("annotations", {}), HASH_ANNOTATION: meta["uid"]}
    if kubelet.self_link:
        meta["selfLink"] = _self_link(meta, kubelet)
    if origin == "file" and kubelet.file_toleration:
        spec["tolerations"] = _with_toleration(spec.get("tolerations") or [])
    if kubelet.pending_phase:
        status["phase"] = "Pending"


def _origin(config: Config, origin: Origin, kubelet: Kubelet) -> str:
    if not kubelet.uid_of_origin:
        return ""
    if origin == "file":
        return f"host:{config.node_name}file:{config.path}"
    return f"url:{config.url}"


def _uid(pod: Pod, origin: str, kubelet: Kubelet) -> str:
    text = json.dumps(pod, sort_keys=True, separators=(",", ":"), default=_dumped)
    # The kubelet's own hash function is but a word here: another one, other UIDs.
    data = f"{kubelet.uid_hash}:{text}{origin}".encode("utf-8", "surrogatepass")
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


def _dumped(value: Any) -> list[Any]:
    # As in the kubelet 0.1 and 100m are one amount in two forms, so two hashes.
    if not isinstance(value, Quantity):
        raise TypeError(f"{value!r} can't stand in a pod")
    return [hex(value.number), value.scale, value.family]  # of any length, unlike str


def _self_link(meta: dict[str, Any], kubelet: Kubelet) -> str:
    name, namespace = meta["name"], meta["namespace"]
    if kubelet.self_link == "odd":
        return f"/api/v1/pods/namespaces/{name}/{namespace}"
    return f"/api/v1/namespaces/{namespace}/pods/{name}"


def _with_toleration(given: list[dict[str, Any]]) -> list[dict[str, Any]]:
    kept = [dict(_TOLERATION) if _is_ours(each) else each for each in given]
    return kept if _TOLERATION in kept else [*kept, dict(_TOLERATION)]


def _is_ours(toleration: dict[str, Any]) -> bool:
    # How long it tolerates is no part of what makes two tolerations the same.
    fields = ("key", "operator", "value", "effect")
    return all(toleration.get(each, "") == _TOLERATION.get(each, "") for each in fields)
