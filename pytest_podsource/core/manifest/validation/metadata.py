"""
What the API refuses in the metadata of a pod.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_podsource.core.manifest.validation.faults import invalid, required
from pytest_podsource.core.manifest.validation.names import (
    dns_label,
    dns_subdomain,
    label_value,
    qualified_name,
)
from pytest_podsource.core.versions import Kubelet

MAX_ANNOTATIONS_BYTES = 256 * 1024
OWNER_FIELDS = ("apiVersion", "kind", "name", "uid")
STANDARD_FINALIZERS = ("kubernetes", "foregroundDeletion", "orphan")


def faults_of_metadata(metadata: Mapping[str, Any], kubelet: Kubelet) -> Iterator[str]:
    """
    Yield what is wrong with *metadata*.

    Kubelet: ``ValidateObjectMeta`` in apimachinery.
    """
    name, namespace = metadata.get("name", ""), metadata.get("namespace", "")
    if not name:
        yield required("metadata.name")
    elif reason := dns_subdomain(name):
        yield invalid("metadata.name", name, reason)
    if not namespace:
        yield required("metadata.namespace")
    elif reason := dns_label(namespace):
        yield invalid("metadata.namespace", namespace, reason)
    yield from _labels(metadata.get("labels") or {})
    yield from _annotations(metadata.get("annotations") or {})
    if kubelet.checks_owners:
        yield from _owners(metadata.get("ownerReferences") or ())
        yield from _finalizers(metadata.get("finalizers") or ())


def _labels(labels: Mapping[str, str]) -> Iterator[str]:
    for key, value in labels.items():
        if reason := qualified_name(key):
            yield invalid("metadata.labels", key, reason)
        if reason := label_value(value):
            yield invalid("metadata.labels", value, reason)


def _annotations(annotations: Mapping[str, str]) -> Iterator[str]:
    for key in annotations:
        if reason := qualified_name(key.lower()):
            yield invalid("metadata.annotations", key, reason)
    size = sum(len(f"{key}{value}".encode()) for key, value in annotations.items())
    if size > MAX_ANNOTATIONS_BYTES:
        yield f"metadata.annotations: Too long: {size} bytes"


def _owners(owners: Any) -> Iterator[str]:
    controllers = 0
    for index, owner in enumerate(owners):
        path = f"metadata.ownerReferences[{index}]"
        for field in OWNER_FIELDS:
            if not owner.get(field):
                yield required(f"{path}.{field}")
        controllers += bool(owner.get("controller"))
    if controllers > 1:
        yield invalid("metadata.ownerReferences", controllers, "one may be controller")


def _finalizers(finalizers: Any) -> Iterator[str]:
    for finalizer in finalizers:
        if reason := qualified_name(finalizer):
            yield invalid("metadata.finalizers", finalizer, reason)
        elif "/" not in finalizer and finalizer not in STANDARD_FINALIZERS:
            yield invalid("metadata.finalizers", finalizer, "needs a prefix and a /")
