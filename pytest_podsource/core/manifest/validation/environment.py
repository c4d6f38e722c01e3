"""
What the API refuses in the environment of a container, and in references to fields.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from pytest_podsource.core.manifest.validation.faults import (
    checked,
    invalid,
    needed,
    not_found,
    required,
    unsupported,
)
from pytest_podsource.core.manifest.validation.names import (
    config_key,
    dns_label,
    dns_subdomain,
    env_name,
    no_backsteps,
    qualified_name,
)
from pytest_podsource.core.versions import Kubelet

Part = Mapping[str, Any]

VOLUME_FIELDS = (
    "metadata.name",
    "metadata.namespace",
    "metadata.labels",
    "metadata.annotations",
    "metadata.uid",
)
_KNOWN_FIELDS = (
    *VOLUME_FIELDS,
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.serviceAccountName",
    "spec.schedulerName",
    "status.phase",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
_RESOURCES = tuple(
    f"{kind}.{name}"
    for kind in ("limits", "requests")
    for name in ("cpu", "memory", "ephemeral-storage")
)
_HUGE_PAGES = ("limits.hugepages-", "requests.hugepages-")
_SIZES = ("1", *(f"1{unit}{i}" for unit in "kMGTPE" for i in ("", "i")), "1Ki")
_SUBSCRIPT = re.compile(r"(?P<path>.+?)\['(?P<key>.*)'\]\Z", re.DOTALL)


def faults_of_environment(
    container: Part, path: str, volumes: Mapping[str, Part], kubelet: Kubelet
) -> Iterator[str]:
    """
    Yield what is wrong with ``env`` and ``envFrom`` of *container*.

    Kubelet: ``ValidateEnv``, ``ValidateEnvFrom``.
    """
    named = partial(env_name, form=kubelet.env_names)
    for index, variable in enumerate(container.get("env") or ()):
        here = f"{path}.env[{index}]"
        yield from needed(f"{here}.name", variable["name"], named)
        if "valueFrom" in variable:
            yield from _value_from(variable, f"{here}.valueFrom", volumes, kubelet)
    sources = container.get("envFrom") or ()
    for index, source in enumerate(sources):
        here = f"{path}.envFrom[{index}]"
        if prefix := source.get("prefix"):
            yield from checked(f"{here}.prefix", prefix, named)
        yield from _env_from(source, here, f"{path}.envFrom")


def _value_from(
    variable: Part, path: str, volumes: Mapping[str, Part], kubelet: Kubelet
) -> Iterator[str]:
    source = variable["valueFrom"]
    if "fieldRef" in source:
        here = f"{path}.fieldRef"
        known = kubelet.env_fields
        yield from faults_of_field(source["fieldRef"], here, known, kubelet)
    if "resourceFieldRef" in source:
        here = f"{path}.resourceFieldRef"
        yield from faults_of_resource_field(source["resourceFieldRef"], here, kubelet)
    for kind in ("configMapKeyRef", "secretKeyRef"):
        if kind in source:
            yield from _key(source[kind], f"{path}.{kind}")
    if "fileKeyRef" in source:
        yield from _file_key(source["fileKeyRef"], f"{path}.fileKeyRef", volumes)
    if not source and kubelet.needs_env_source:
        yield invalid(path, "", "must specify one source")
    elif source and variable.get("value"):
        yield invalid(path, "", "may not be specified when `value` is not empty")
    elif len(source) > 1:
        yield invalid(path, "", "may not have more than one field specified at a time")


def _key(selector: Part, path: str) -> Iterator[str]:
    yield from checked(f"{path}.name", selector.get("name", ""), dns_subdomain)
    yield from needed(f"{path}.key", selector["key"], config_key)


def _file_key(selector: Part, path: str, volumes: Mapping[str, Part]) -> Iterator[str]:
    name = selector.get("volumeName", "")
    relaxed = partial(env_name, form="relaxed")
    yield from needed(f"{path}.key", selector.get("key", ""), relaxed)
    yield from needed(f"{path}.volumeName", name, dns_label)
    yield from needed(f"{path}.path", selector.get("path", ""), no_backsteps)
    if name not in volumes:
        yield not_found(f"{path}.volumeName", name)
    elif "emptyDir" not in volumes[name]:
        yield invalid(f"{path}.volumeName", name, "must be of type emptyDir")


def _env_from(source: Part, path: str, list_path: str) -> Iterator[str]:
    given = [kind for kind in ("configMapRef", "secretRef") if kind in source]
    for kind in given:
        name = source[kind].get("name", "")
        yield from needed(f"{path}.{kind}.name", name, dns_subdomain)
    if not given:
        reason = "must specify one of: `configMapRef` or `secretRef`"
        yield invalid(list_path, "", reason)
    elif len(given) > 1:
        yield invalid(
            list_path, "", "may not have more than one field specified at a time"
        )


def faults_of_field(
    selector: Part, path: str, known: Collection[str], kubelet: Kubelet
) -> Iterator[str]:
    """
    Yield what is wrong with a reference to one of the *known* fields of the pod.

    Kubelet: ``validateObjectFieldSelector``.
    """
    field = selector["fieldPath"]
    if not selector.get("apiVersion"):
        yield required(f"{path}.apiVersion")
    elif not field:
        yield required(f"{path}.fieldPath")
    elif selector["apiVersion"] != "v1":
        yield invalid(f"{path}.fieldPath", field, "unsupported pod version")
    elif "subscripts" in kubelet.validation_rules and (
        subscript := _SUBSCRIPT.match(field)
    ):
        yield from _subscript(subscript["path"], subscript["key"], path)
    elif field not in (*_KNOWN_FIELDS, "spec.host"):
        yield invalid(f"{path}.fieldPath", field, "field label not supported")
    elif (
        field.replace("spec.host", "spec.nodeName") not in known and field not in known
    ):
        yield unsupported(f"{path}.fieldPath", field, known)


def _subscript(field: str, key: str, path: str) -> Iterator[str]:
    if field == "metadata.annotations":
        yield from checked(path, key.lower(), qualified_name)
    elif field == "metadata.labels":
        yield from checked(path, key, qualified_name)
    else:
        yield invalid(f"{path}.fieldPath", field, "does not support subscript")


def faults_of_resource_field(
    selector: Part, path: str, kubelet: Kubelet, *, in_volume: bool = False
) -> Iterator[str]:
    """
    Yield what is wrong with a reference to a resource of a container.

    Kubelet: ``validateContainerResourceFieldSelector``.
    """
    resource = selector["resource"]
    if in_volume and not selector.get("containerName"):
        yield required(f"{path}.containerName")
    elif not resource:
        yield required(f"{path}.resource")
    elif resource not in _RESOURCES and not (
        "huge-page-fields" in kubelet.validation_rules
        and resource.startswith(_HUGE_PAGES)
    ):
        yield unsupported(f"{path}.resource", resource, _RESOURCES)
    divisor = selector["divisor"]
    sizes: Sequence[str] = ("1", "1m") if resource.endswith(".cpu") else _SIZES
    if divisor.number and str(divisor) not in sizes:
        yield invalid(f"{path}.divisor", resource, f"only {', '.join(sizes)} are good")
