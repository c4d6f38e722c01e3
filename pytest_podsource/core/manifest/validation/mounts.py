"""
What the API refuses in volume mounts and block devices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_podsource.core.manifest.validation.faults import (
    checked,
    duplicate,
    forbidden,
    invalid,
    not_found,
    required,
    unsupported,
)
from pytest_podsource.core.manifest.validation.names import local_path, no_backsteps
from pytest_podsource.core.versions import Kubelet

Part = Mapping[str, Any]

_PROPAGATIONS = ("Bidirectional", "HostToContainer", "None")
_RECURSIONS = ("Disabled", "Enabled", "IfPossible")
_BIND_OPTIONS = ("nodev", "noexec", "nosuid")


def faults_of_mounts(
    container: Part, path: str, volumes: Mapping[str, Part], kubelet: Kubelet
) -> Iterator[str]:
    """
    Yield what is wrong with the volume mounts of *container*.

    Kubelet: ``ValidateVolumeMounts``.
    """
    devices = container.get("volumeDevices") or ()
    names = {device["name"] for device in devices}
    places = {device["devicePath"] for device in devices}
    here = f"{path}.volumeMounts"
    for index, mount in enumerate(container.get("volumeMounts") or ()):
        name, place = mount["name"], mount["mountPath"]
        if not name:
            yield required(f"{here}[{index}].name")
        if name not in volumes:
            yield not_found(f"{here}[{index}].name", name)
        if not place:
            yield required(f"{here}[{index}].mountPath")
        if place in places and kubelet.checks_details:
            yield invalid(f"{here}[{index}].mountPath", place, "must be unique")
        places.add(place)
        if name in names:
            yield invalid(f"{here}[{index}].name", name, "stands in volumeDevices")
        yield from _details(mount, here, index, container)


def _details(mount: Part, path: str, index: int, container: Part) -> Iterator[str]:
    for field in ("subPath", "subPathExpr"):
        yield from checked(f"{path}.{field}", mount.get(field, ""), local_path)
    if mount.get("subPath") and mount.get("subPathExpr"):
        here = f"{path}[{index}].subPathExpr"
        yield invalid(here, mount["subPathExpr"], "excludes subPath")
    propagation = mount.get("mountPropagation")
    if propagation is not None and propagation not in _PROPAGATIONS:
        yield unsupported(f"{path}.mountPropagation", propagation, _PROPAGATIONS)
    privileged = container.get("securityContext", {}).get("privileged")
    if propagation == "Bidirectional" and not privileged:
        yield forbidden(f"{path}.mountPropagation", "is for privileged containers only")
    yield from _recursion(mount, f"{path}.recursiveReadOnly", propagation)
    yield from _options(mount, f"{path}[{index}].bindMountOptions")


def _options(mount: Part, path: str) -> Iterator[str]:
    seen: set[str] = set()
    for index, option in enumerate(mount.get("bindMountOptions") or ()):
        if option not in _BIND_OPTIONS:
            yield unsupported(f"{path}[{index}]", option, _BIND_OPTIONS)
        if option in seen:
            yield duplicate(f"{path}[{index}]", option)
        seen.add(option)


def _recursion(mount: Part, path: str, propagation: str | None) -> Iterator[str]:
    recursion = mount.get("recursiveReadOnly")
    if recursion is None or recursion == "Disabled":
        return
    if recursion not in _RECURSIONS:
        yield unsupported(path, recursion, _RECURSIONS)
        return
    if not mount.get("readOnly"):
        yield forbidden(path, "may only be specified when readOnly is true")
    if propagation not in (None, "None"):
        yield forbidden(path, "may only be specified without mountPropagation")


def faults_of_devices(
    container: Part, path: str, volumes: Mapping[str, Part]
) -> Iterator[str]:
    """
    Yield what is wrong with the block devices of *container*.

    Kubelet: ``ValidateVolumeDevices``.
    """
    names: set[str] = set()
    places: set[str] = set()
    mounts = {mount["name"] for mount in container.get("volumeMounts") or ()}
    for index, device in enumerate(container.get("volumeDevices") or ()):
        here = f"{path}.volumeDevices[{index}]"
        name, place = device["name"], device["devicePath"]
        if not name:
            yield required(f"{here}.name")
        if name in names or name in mounts:
            yield invalid(f"{here}.name", name, "must be unique")
        if name not in volumes:
            yield not_found(f"{here}.name", name)
        elif not volumes[name].keys() & {"persistentVolumeClaim", "ephemeral"}:
            yield invalid(f"{here}.name", name, "must be a claim for block mode")
        if not place:
            yield required(f"{here}.devicePath")
        elif place in places:
            yield invalid(f"{here}.devicePath", place, "must be unique")
        yield from checked(f"{here}.devicePath", place, no_backsteps)
        names.add(name)
        places.add(place)
