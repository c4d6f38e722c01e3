"""
What the four file sources of this folder share: a directory becomes pods.
"""

from __future__ import annotations

import hashlib
import os
from typing import Any

import yaml


def listing(path: str, node_name: str) -> tuple[dict[str, Any], ...]:
    """
    Return the pods of the files in the directory *path*, none if it is missing.
    """
    try:
        entries = sorted(os.scandir(path), key=lambda entry: entry.name)
    except FileNotFoundError:
        return ()
    pods = [
        pod_of(entry.path, node_name)
        for entry in entries
        if entry.is_file() and not entry.name.startswith(".")
    ]
    return tuple(pod for pod in pods if pod is not None)


def pod_of(path: str, node_name: str) -> dict[str, Any] | None:
    """
    Return the pod of one manifest, ``None`` if it isn't one.
    """
    with open(path, "rb") as file:
        text = file.read()
    try:
        pod = next(yaml.safe_load_all(text), None)
    except yaml.YAMLError:
        return None
    if not isinstance(pod, dict) or pod.get("kind") != "Pod":
        return None
    metadata = pod.setdefault("metadata", {})
    metadata.setdefault("uid", hashlib.md5(text + path.encode()).hexdigest())  # noqa: S324 - a name, no secret
    metadata.setdefault("namespace", "default")
    metadata["name"] = f"{metadata['name']}-{node_name}"
    return pod
