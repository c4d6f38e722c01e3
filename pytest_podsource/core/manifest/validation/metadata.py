"""
What the API refuses in the metadata of a pod.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_podsource.core.manifest.validation.faults import (
    checked,
    invalid,
    needed,
    not_negative,
    one_of,
    required,
)
from pytest_podsource.core.manifest.validation.names import (
    dns_1035_label,
    dns_label,
    dns_subdomain,
    label_value,
    qualified_name,
)

MAX_ANNOTATIONS_BYTES = 256 * 1024
MAX_MANAGER_BYTES = 128
MAX_SUBRESOURCE = 256
MANAGE_BY = ("Apply", "Update")
STANDARD_FINALIZERS = ("kubernetes", "foregroundDeletion", "orphan")


def faults_of_metadata(metadata: Mapping[str, Any]) -> Iterator[str]:
    """
    Yield what is wrong with *metadata*.

    Kubelet: ``ValidateObjectMeta`` in apimachinery.
    """
    prefix = metadata.get("generateName", "")
    if prefix:
        # maskTrailingDash takes the letter before a last dash away, too.
        masked = len(prefix) > 1 and prefix.endswith("-")
        name = f"{prefix[:-2]}a" if masked else prefix
        yield from checked("metadata.generateName", name, dns_subdomain)
    yield from needed("metadata.name", metadata.get("name", ""), dns_subdomain)
    yield from not_negative("metadata.generation", metadata.get("generation", 0))
    yield from needed("metadata.namespace", metadata.get("namespace", ""), dns_label)
    if metadata.get("clusterName"):  # known up to 1.23
        name = metadata["clusterName"]
        yield from checked("metadata.clusterName", name, dns_1035_label)
    yield from faults_of_labels(metadata.get("labels") or {}, "metadata.labels")
    yield from faults_of_annotation_keys(metadata.get("annotations") or {}, "metadata")
    yield from _owners(metadata.get("ownerReferences") or ())
    yield from _finalizers(metadata.get("finalizers") or ())
    for index, entry in enumerate(metadata.get("managedFields") or ()):
        yield from _manager(entry, f"metadata.managedFields[{index}]")


def faults_of_labels(labels: Mapping[str, str], path: str) -> Iterator[str]:
    """
    Yield what is wrong with *labels*, which stand at *path*.
    """
    for key, value in labels.items():
        yield from checked(path, key, qualified_name)
        yield from checked(path, value, label_value)


def _manager(entry: Mapping[str, Any], path: str) -> Iterator[str]:
    yield from one_of(f"{path}.operation", entry.get("operation", ""), MANAGE_BY)
    if entry.get("fieldsType", "FieldsV1") != "FieldsV1":
        yield invalid(f"{path}.fieldsType", entry["fieldsType"], "must be FieldsV1")
    manager = entry.get("manager", "")
    if len(manager.encode()) > MAX_MANAGER_BYTES or not manager.isprintable():
        reason = f"must be up to {MAX_MANAGER_BYTES} printable characters"
        yield invalid(f"{path}.manager", manager, reason)
    if len(entry.get("subresource", "")) > MAX_SUBRESOURCE:
        reason = f"must be no more than {MAX_SUBRESOURCE} characters"
        yield invalid(f"{path}.subresource", entry["subresource"], reason)


def faults_of_annotation_keys(
    annotations: Mapping[str, str], parent: str
) -> Iterator[str]:
    """
    Yield what is wrong with the keys and the size of *annotations* below *parent*.
    """
    path = f"{parent}.annotations"
    for key in annotations:
        if reason := qualified_name(key.lower()):
            yield invalid(path, key, reason)
    size = sum(
        len(f"{key}{value}".encode("utf-8", "surrogatepass"))
        for key, value in annotations.items()
    )
    if size > MAX_ANNOTATIONS_BYTES:
        yield f"{path}: Too long: may not be more than {MAX_ANNOTATIONS_BYTES} bytes"


def _owners(owners: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for index, owner in enumerate(owners):
        path = f"metadata.ownerReferences[{index}]"
        yield from needed(f"{path}.apiVersion", owner.get("apiVersion"), _group_version)
        for field in ("kind", "name", "uid"):
            if not owner.get(field):
                yield required(f"{path}.{field}", "must not be empty")
        if (owner.get("apiVersion"), owner.get("kind")) == ("v1", "Event"):
            yield invalid(path, owner, "an event is no owner")
    if sum(bool(owner.get("controller")) for owner in owners) > 1:
        yield invalid("metadata.ownerReferences", owners, "one can be the controller")


def _group_version(text: str) -> str:
    good = text.count("/") <= 1 and not text.endswith("/")
    return "" if good else "must be <group>/<version> or <version>"


def _finalizers(finalizers: Sequence[str]) -> Iterator[str]:
    path = "metadata.finalizers"
    for index, finalizer in enumerate(finalizers):
        yield from checked(path, finalizer, qualified_name)
        if "/" not in finalizer and finalizer not in STANDARD_FINALIZERS:
            reason = "must be a standard one or have a prefix"
            yield invalid(f"{path}[{index}]", finalizer, reason)
    if {"foregroundDeletion", "orphan"} <= set(finalizers):
        yield invalid(path, list(finalizers), "these two can't both be set")
