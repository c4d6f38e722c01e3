"""
What the API refuses in volumes that come over the network or from a cloud.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pytest_podsource.core.manifest.validation.faults import (
    checked,
    invalid,
    required,
    unsupported,
)
from pytest_podsource.core.manifest.validation.names import dns_label

Part = Mapping[str, Any]

_CACHING_MODES = ("None", "ReadOnly", "ReadWrite")
_DISK_KINDS = ("Dedicated", "Managed", "Shared")
_MANAGED_DISK, _BLOB_DISK = "/subscriptions/", "https://"
_MAX_BYTE = 255
_MAX_TENANT = 64
_MAX_PORTAL = 64
_ISCSI_NAMES = {
    "iqn": re.compile(r"iqn\.[0-9]{4}-[0-9]{2}\.[-.A-Za-z0-9]+:[^,;*&$|\t\n\f\r ]+\Z"),
    "eui": re.compile(r"\Aeui.[A-Za-z0-9]{16}\Z"),
    "naa": re.compile(r"\Anaa.[A-Za-z0-9]{32}\Z"),
}


def faults_of_disk(kind: str, source: Part, path: str) -> Iterator[str]:
    """
    Yield what is wrong with a volume's *source* of this kind; most kinds are no disks.
    """
    if kind in _CHECKS:
        yield from _CHECKS[kind](source, path)


def _partition(source: Part, path: str) -> Iterator[str]:
    yield from _byte(source, "partition", path)


def _byte(source: Part, field: str, path: str) -> Iterator[str]:
    number = source.get(field, 0)
    if not 0 <= number <= _MAX_BYTE:
        yield invalid(f"{path}.{field}", number, "must be between 0 and 255, inclusive")


def _iscsi(source: Part, path: str) -> Iterator[str]:
    if source["iqn"]:
        yield from checked(f"{path}.iqn", source["iqn"], _iscsi_name)
    yield from _byte(source, "lun", path)
    asks = source.get("chapAuthDiscovery") or source.get("chapAuthSession")
    if asks and "secretRef" not in source:
        yield required(f"{path}.secretRef")
    if "initiatorName" in source:
        name = source["initiatorName"]
        yield from checked(f"{path}.initiatorname", name, _iscsi_name)


def faults_of_portal(volume: Part, path: str) -> Iterator[str]:
    """
    Yield that the name of an iSCSI *volume* and its portal are too long together.
    """
    source = volume.get("iscsi", {})
    together = f"{volume['name']}:{source.get('targetPortal', '')}"
    if "initiatorName" in source and len(together.encode()) > _MAX_PORTAL:
        yield invalid(f"{path}.name", volume["name"], "is too long with targetPortal")


def _iscsi_name(name: str) -> str:
    form = _ISCSI_NAMES.get(name[:3])
    return "" if form and form.search(name) else "must be an iqn, eui or naa name"


def _fibre_channel(source: Part, path: str) -> Iterator[str]:
    names, ids = source.get("targetWWNs"), source.get("wwids")
    if not names and not ids:
        yield required(f"{path}.targetWWNs", "or wwids")
    if names and ids:
        yield invalid(f"{path}.targetWWNs", names, "excludes wwids")
    if names and "lun" not in source:
        yield required(f"{path}.lun", "must stand beside targetWWNs")
    elif names:
        yield from _byte(source, "lun", path)


def _flocker(source: Part, path: str) -> Iterator[str]:
    name, uuid = source.get("datasetName", ""), source.get("datasetUUID", "")
    if not name and not uuid:
        yield required(path, "one of datasetName and datasetUUID is required")
    if name and uuid:
        yield invalid(path, "resource", "datasetName excludes datasetUUID")
    if "/" in name:
        yield invalid(f"{path}.datasetName", name, "must not contain '/'")


def _secret_name(source: Part, path: str) -> Iterator[str]:
    if "secretRef" in source and not source["secretRef"].get("name"):
        yield required(f"{path}.secretRef.name")


def _storage_os(source: Part, path: str) -> Iterator[str]:
    for field in ("volumeName", "volumeNamespace"):
        if source.get(field):
            yield from checked(f"{path}.{field}", source[field], dns_label)
    yield from _secret_name(source, path)


def _quobyte(source: Part, path: str) -> Iterator[str]:
    registry = source["registry"]
    if not registry:
        return
    if len(source.get("tenant", "").encode()) > _MAX_TENANT:
        yield required(f"{path}.tenant", f"of up to {_MAX_TENANT} characters")
        return
    for each in registry.split(","):
        if not _is_host_and_port(each):
            yield invalid(f"{path}.registry", registry, "must be host:port pairs")


def _is_host_and_port(text: str) -> bool:
    """
    Tell whether Go's ``net.SplitHostPort`` takes *text*.
    """
    host, colon, port = text.rpartition(":")
    if host.startswith("["):
        inner = host[1:-1]
        return bool(colon) and host.endswith("]") and not _has_any(inner + port, "[]")
    return bool(colon) and not _has_any(host, ":") and not _has_any(text, "[]")


def _has_any(text: str, letters: str) -> bool:
    return any(each in text for each in letters)


def _azure_disk(source: Part, path: str) -> Iterator[str]:
    mode, kind = source.get("cachingMode"), source.get("kind")
    if mode is not None and mode not in _CACHING_MODES:
        yield unsupported(f"{path}.cachingMode", mode, _CACHING_MODES)
    if kind is None:
        return
    if kind not in _DISK_KINDS:
        yield unsupported(f"{path}.kind", kind, _DISK_KINDS)
    start = _MANAGED_DISK if kind == "Managed" else _BLOB_DISK
    if not source["diskURI"].startswith(start):
        yield unsupported(f"{path}.diskURI", source["diskURI"], (f"{start}...",))


_CHECKS: Mapping[str, Callable[[Part, str], Iterator[str]]] = {
    "awsElasticBlockStore": _partition,
    "azureDisk": _azure_disk,
    "cinder": _secret_name,
    "fc": _fibre_channel,
    "flocker": _flocker,
    "gcePersistentDisk": _partition,
    "iscsi": _iscsi,
    "quobyte": _quobyte,
    "storageos": _storage_os,
}
