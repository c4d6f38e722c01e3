"""
What the API refuses in the template of a claim, which an ephemeral volume has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_podsource.core.manifest.validation.faults import (
    checked,
    forbidden,
    invalid,
    required,
    unsupported,
)
from pytest_podsource.core.manifest.validation.metadata import (
    faults_of_annotation_keys,
    faults_of_labels,
)
from pytest_podsource.core.manifest.validation.names import dns_subdomain
from pytest_podsource.core.manifest.validation.scheduling import faults_of_selector
from pytest_podsource.core.versions import Kubelet

Part = Mapping[str, Any]

_SINGLE = "ReadWriteOncePod"
_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce")
_VOLUME_MODES = ("Block", "Filesystem")
_CLAIM = "PersistentVolumeClaim"


def faults_of_template(template: Part, path: str, kubelet: Kubelet) -> Iterator[str]:
    """
    Yield what is wrong with the *template* of a claim.

    Kubelet: ``ValidatePersistentVolumeClaimTemplate``.
    """
    metadata, here = template["metadata"], f"{path}.metadata"
    yield from faults_of_annotation_keys(metadata.get("annotations") or {}, here)
    yield from faults_of_labels(metadata.get("labels") or {}, f"{here}.labels")
    for name in metadata:
        if name not in ("annotations", "labels"):
            yield forbidden(f"{here}.{name}", "can't be set in a template")
    yield from _claim(template["spec"], f"{path}.spec", kubelet)


def _claim(claim: Part, path: str, kubelet: Kubelet) -> Iterator[str]:
    yield from _access(claim.get("accessModes") or (), f"{path}.accessModes", kubelet)
    yield from faults_of_selector(claim.get("selector", {}), f"{path}.selector")
    size = claim["resources"].get("requests", {}).get("storage")
    if size is None:
        yield required(f"{path}.resources[storage]")
    elif size.number <= 0:
        yield invalid(f"{path}.resources[storage]", str(size), "must be positive")
    if claim.get("storageClassName"):
        name = claim["storageClassName"]
        yield from checked(f"{path}.storageClassName", name, dns_subdomain)
    if claim.get("volumeMode", _VOLUME_MODES[0]) not in _VOLUME_MODES:
        yield unsupported(f"{path}.volumeMode", claim["volumeMode"], _VOLUME_MODES)
    if "dataSource" in claim:
        yield from _data_source(claim["dataSource"], f"{path}.dataSource")


def _access(modes: Sequence[str], path: str, kubelet: Kubelet) -> Iterator[str]:
    single = "single-pod-claims" in kubelet.validation_rules
    known = (*_MODES, _SINGLE) if single else _MODES
    if not modes:
        yield required(path, "at least one")
    for mode in modes:
        if mode not in known:
            yield unsupported(path, mode, known)
    if single and _SINGLE in modes and {*modes} & {*_MODES}:
        yield forbidden(path, f"{_SINGLE} excludes the others")


def _data_source(source: Part, path: str) -> Iterator[str]:
    for field in ("name", "kind"):
        if not source[field]:
            yield required(f"{path}.{field}")
    if not source.get("apiGroup") and source["kind"] != _CLAIM:
        yield invalid(path, source["kind"], "needs an API group")
