"""
What the API refuses in the volumes of a pod.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pytest_podsource.core.manifest.validation.claims import faults_of_template
from pytest_podsource.core.manifest.validation.disks import (
    faults_of_disk,
    faults_of_portal,
)
from pytest_podsource.core.manifest.validation.environment import (
    VOLUME_FIELDS,
    faults_of_field,
    faults_of_resource_field,
)
from pytest_podsource.core.manifest.validation.faults import (
    checked,
    duplicate,
    forbidden,
    invalid,
    needed,
    one_of,
    required,
    unsupported,
)
from pytest_podsource.core.manifest.validation.names import (
    MAX_LABEL,
    dns_label,
    dns_subdomain,
    file_path,
    local_path,
    no_backsteps,
    user_id,
)
from pytest_podsource.core.versions import Kubelet

Part = Mapping[str, Any]

_MAX_MODE = 0o777
_MAX_DIRECTORY_MODE = 0o1777
_HOST_PATH_TYPES = (
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
)
_PULL_POLICIES = ("Always", "IfNotPresent", "Never")
_TOKEN_SECONDS = (600, 2**32)
_SHOWN_AS = {"gcePersistentDisk": "persistentDisk"}
# The first of them that a volume has is its kind; each other one is one too many.
_KINDS = (
    *("emptyDir", "hostPath", "gitRepo", "gcePersistentDisk", "awsElasticBlockStore"),
    *("secret", "nfs", "iscsi", "glusterfs", "flocker", "persistentVolumeClaim", "rbd"),
    *("cinder", "cephfs", "quobyte", "downwardAPI", "fc", "flexVolume", "configMap"),
    *("azureFile", "vsphereVolume", "photonPersistentDisk", "portworxVolume"),
    *("azureDisk", "storageos", "projected", "scaleIO", "csi", "ephemeral", "image"),
)
# Fields that a source can't be without.
_REQUIRED: Mapping[str, Sequence[str]] = {
    "awsElasticBlockStore": ("volumeID",),
    "azureDisk": ("diskName", "diskURI"),
    "azureFile": ("secretName", "shareName"),
    "cephfs": ("monitors",),
    "cinder": ("volumeID",),
    "configMap": ("name",),
    "csi": ("driver",),
    "ephemeral": ("volumeClaimTemplate",),
    "flexVolume": ("driver",),
    "gcePersistentDisk": ("pdName",),
    "gitRepo": ("repository",),
    "glusterfs": ("endpoints", "path"),
    "hostPath": ("path",),
    "iscsi": ("targetPortal", "iqn"),
    "nfs": ("server", "path"),
    "persistentVolumeClaim": ("claimName",),
    "photonPersistentDisk": ("pdID",),
    "portworxVolume": ("volumeID",),
    "quobyte": ("registry", "volume"),
    "rbd": ("monitors", "image"),
    "scaleIO": ("gateway", "system", "volumeName"),
    "secret": ("secretName",),
    "storageos": ("volumeName",),
    "vsphereVolume": ("volumePath",),
}


def good_volumes(spec: Part, kubelet: Kubelet) -> tuple[dict[str, Part], list[str]]:
    """
    Return the volumes of *spec* that can be used, by name, and what is wrong.

    Kubelet: ``ValidateVolumes``.
    """
    good: dict[str, Part] = {}
    faults: list[str] = []
    for index, volume in enumerate(spec.get("volumes") or ()):
        path, name = f"spec.volumes[{index}]", volume["name"]
        found = list(_source(volume, path, kubelet))
        found += needed(f"{path}.name", name, dns_label)
        if kubelet.checks_details:
            found += faults_of_portal(volume, path)
        if name in good:
            found.append(duplicate(f"{path}.name", name))
        faults += found
        if not found:
            good[name] = volume
    return good, faults


def _source(volume: Part, path: str, kubelet: Kubelet) -> Iterator[str]:
    kinds = [kind for kind in _KINDS if kind in volume]
    if not kinds:
        yield required(path, "must specify a volume type")
    for kind in kinds[:1]:
        here = f"{path}.{_SHOWN_AS.get(kind, kind)}"
        yield from _of_kind(kind, volume[kind], here, kubelet)
    for kind in kinds[1:]:
        yield forbidden(f"{path}.{kind}", "may not specify more than 1 volume type")


def _of_kind(kind: str, source: Part, path: str, kubelet: Kubelet) -> Iterator[str]:
    for field in _REQUIRED.get(kind, ()):
        if not source.get(field):
            yield required(f"{path}.{field}")
    if "image-references" in kubelet.validation_rules and kind == "image":
        yield from _reference(source, path)
    if not kubelet.checks_details:
        return
    if kind in _CHECKS:
        yield from _CHECKS[kind](source, path)
    if kind in _CHECKS_BY_KUBELET:
        yield from _CHECKS_BY_KUBELET[kind](source, path, kubelet)
    yield from faults_of_disk(kind, source, path)


def _host_path(source: Part, path: str) -> Iterator[str]:
    if source["path"]:
        yield from checked(f"{path}.path", source["path"], no_backsteps)
        if source.get("type", "") not in _HOST_PATH_TYPES:
            yield unsupported(f"{path}.type", source["type"], _HOST_PATH_TYPES)


def _empty_dir(source: Part, path: str) -> Iterator[str]:
    limit = source.get("sizeLimit")
    if limit is not None and limit.number < 0:
        yield forbidden(f"{path}.sizeLimit", "must be a valid resource quantity")
    yield from _mode(source, "mode", path, _MAX_DIRECTORY_MODE)


def _git_repo(source: Part, path: str) -> Iterator[str]:
    yield from checked(f"{path}.directory", source.get("directory", ""), local_path)


def _nfs(source: Part, path: str) -> Iterator[str]:
    if not source["path"].startswith("/"):
        yield invalid(f"{path}.path", source["path"], "must be an absolute path")


def _ephemeral(source: Part, path: str, kubelet: Kubelet) -> Iterator[str]:
    if "volumeClaimTemplate" in source:
        template = source["volumeClaimTemplate"]
        yield from faults_of_template(template, f"{path}.volumeClaimTemplate", kubelet)


def _csi(source: Part, path: str) -> Iterator[str]:
    driver = source["driver"]
    if len(driver) > MAX_LABEL:
        yield f"{path}.driver: Too long: may not be more than {MAX_LABEL} bytes"
    if driver:
        yield from checked(f"{path}.driver", driver.lower(), dns_subdomain)
    if "nodePublishSecretRef" in source:
        name = source["nodePublishSecretRef"].get("name", "")
        yield from needed(f"{path}.nodePublishSecretRef.name", name, dns_subdomain)


def _reference(source: Part, path: str) -> Iterator[str]:
    if not source.get("reference"):
        yield required(f"{path}.reference")


def _image(source: Part, path: str) -> Iterator[str]:
    policy = source.get("pullPolicy", "")
    yield from one_of(f"{path}.pullPolicy", policy, _PULL_POLICIES)


def _items(source: Part, path: str) -> Iterator[str]:
    yield from _mode(source, "defaultMode", path)
    yield from _user(source, "defaultUser", path)
    yield from _keys(source, path)


def _keys(source: Part, path: str) -> Iterator[str]:
    for index, item in enumerate(source.get("items") or ()):
        here = f"{path}.items[{index}]"
        if not item["key"]:
            yield required(f"{here}.key")
        yield from needed(f"{here}.path", item["path"], file_path)
        yield from _mode(item, "mode", here)
        yield from _user(item, "user", here)


def _mode(part: Part, field: str, path: str, largest: int = _MAX_MODE) -> Iterator[str]:
    mode = part.get(field)
    if mode is not None and not 0 <= mode <= largest:
        yield invalid(
            f"{path}.{field}", mode, f"must be from 0 to 0{largest:o} (octal)"
        )


def _user(part: Part, field: str, path: str) -> Iterator[str]:
    if field in part:
        yield from checked(f"{path}.{field}", part[field], user_id)


def _downward(source: Part, path: str, kubelet: Kubelet) -> Iterator[str]:
    yield from _mode(source, "defaultMode", path)
    yield from _user(source, "defaultUser", path)
    for item in source.get("items") or ():
        yield from _downward_file(item, path, kubelet)


def _downward_file(item: Part, path: str, kubelet: Kubelet) -> Iterator[str]:
    yield from needed(f"{path}.path", item["path"], file_path)
    if "fieldRef" in item:
        yield from faults_of_field(
            item["fieldRef"], f"{path}.fieldRef", VOLUME_FIELDS, kubelet
        )
        if "resourceFieldRef" in item:
            yield invalid(path, "resource", "can not be specified beside fieldRef")
    elif "resourceFieldRef" in item:
        here = f"{path}.resourceFieldRef"
        reference = item["resourceFieldRef"]
        yield from faults_of_resource_field(reference, here, kubelet, in_volume=True)
    else:
        yield required(path, "one of fieldRef and resourceFieldRef is required")
    yield from _mode(item, "mode", path)
    yield from _user(item, "user", path)


def _projected(source: Part, path: str, kubelet: Kubelet) -> Iterator[str]:
    yield from _mode(source, "defaultMode", path)
    yield from _user(source, "defaultUser", path)
    places: set[str] = set()
    for index, projection in enumerate(source.get("sources") or ()):
        here = f"{path}.sources[{index}]"
        yield from _projection(projection, here, path, kubelet)
        for place in _places(projection):
            if place in places:
                yield invalid(path, place, "conflicting duplicate paths")
            places.add(place)
        if len(projection) > 1:
            yield forbidden(here, "may not specify more than 1 volume type per source")


def _projection(
    projection: Part, path: str, volume_path: str, kubelet: Kubelet
) -> Iterator[str]:
    for kind in ("secret", "configMap"):
        if kind in projection:
            if not projection[kind].get("name"):
                yield required(f"{path}.{kind}.name")
            yield from _keys(projection[kind], f"{path}.{kind}")
    for item in projection.get("downwardAPI", {}).get("items") or ():
        yield from _downward_file(item, f"{path}.downwardAPI", kubelet)
    if "clusterTrustBundle" in projection:
        bundle, here = projection["clusterTrustBundle"], f"{path}.clusterTrustBundle"
        if len(bundle.keys() & {"name", "signerName"}) != 1:
            yield required(here, "either name or signerName must be specified")
        yield from needed(f"{here}.path", bundle["path"], file_path)
    if "serviceAccountToken" in projection:
        token = projection["serviceAccountToken"]
        seconds = token["expirationSeconds"]
        if not _TOKEN_SECONDS[0] <= seconds <= _TOKEN_SECONDS[1]:
            here = f"{path}.serviceAccountToken.expirationSeconds"
            yield invalid(here, seconds, "must be from 10 minutes to 2^32 seconds")
        yield from needed(f"{volume_path}.path", token["path"], file_path)


def _places(projection: Part) -> Iterator[str]:
    for kind in ("secret", "configMap", "downwardAPI"):
        for item in projection.get(kind, {}).get("items") or ():
            if item["path"]:
                yield item["path"]


_CHECKS: Mapping[str, Callable[[Part, str], Iterator[str]]] = {
    "hostPath": _host_path,
    "emptyDir": _empty_dir,
    "gitRepo": _git_repo,
    "nfs": _nfs,
    "csi": _csi,
    "image": _image,
    "secret": _items,
    "configMap": _items,
}
_CHECKS_BY_KUBELET: Mapping[str, Callable[[Part, str, Kubelet], Iterator[str]]] = {
    "downwardAPI": _downward,
    "ephemeral": _ephemeral,
    "projected": _projected,
}
