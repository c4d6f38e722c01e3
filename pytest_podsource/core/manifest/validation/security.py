"""
What the API refuses in security contexts. Privileged containers are let through.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_podsource.core.manifest.validation.faults import (
    checked,
    duplicate,
    forbidden,
    invalid,
    one_of,
    required,
    unsupported,
)
from pytest_podsource.core.manifest.validation.names import local_path, user_id
from pytest_podsource.core.manifest.validation.systems import (
    faults_of_windows_options,
)
from pytest_podsource.core.versions import Kubelet

Part = Mapping[str, Any]

_PROFILES = ("Localhost", "RuntimeDefault", "Unconfined")
_PROC_MOUNTS = ("Default", "Unmasked")
_MAX_PROFILE = 4095
_MAX_SYSCTL = 253
_SYSCTL = re.compile(
    r"([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?\Z"
)
_IPC = (
    "kernel.sem",
    *(f"kernel.shm{each}" for each in ("all", "max", "mni", "_rmid_forced")),
    *(f"kernel.msg{each}" for each in ("max", "mnb", "mni")),
)
_HOST_FIELDS = {
    "hostNetwork": "hostNetwork",
    "hostPID": "HostPID",
    "hostIPC": "HostIPC",
}
_CHOICES = {
    "fsGroupChangePolicy": ("Always", "OnRootMismatch"),
    "supplementalGroupsPolicy": ("Merge", "Strict"),
    "seLinuxChangePolicy": ("MountOption", "Recursive"),
}


def faults_of_pod_security(spec: Part, kubelet: Kubelet) -> Iterator[str]:
    """
    Yield what is wrong with the security context of a pod.

    Kubelet: ``validatePodSpecSecurityContext``.
    """
    path = "spec.securityContext"
    context = spec.get("securityContext", {})
    yield from _ids(context, path, ("fsGroup", "runAsUser", "runAsGroup"))
    for index, group in enumerate(context.get("supplementalGroups") or ()):
        yield from checked(f"{path}.supplementalGroups[{index}]", group, user_id)
    yield from _sysctls(context, f"{path}.sysctls", spec, kubelet)
    for field, known in _CHOICES.items():
        if context.get(field, known[0]) not in known:
            yield unsupported(f"{path}.{field}", context[field], known)
    yield from _profiles(context, path)
    yield from faults_of_windows_options(context, path)


def faults_of_security(
    context: Part, path: str, kubelet: Kubelet, *, host_users: bool
) -> Iterator[str]:
    """
    Yield what is wrong with the security *context* of a container.

    Kubelet: ``ValidateSecurityContext``.
    """
    yield from _ids(context, path, ("runAsUser", "runAsGroup"))
    mount = context.get("procMount")
    if mount is not None and mount not in _PROC_MOUNTS:
        yield unsupported(f"{path}.procMount", mount, _PROC_MOUNTS)
    if mount == "Unmasked" and host_users and "masked-proc" in kubelet.validation_rules:
        yield invalid(f"{path}.procMount", mount, "`hostUsers` must be false")
    if context.get("allowPrivilegeEscalation") is False:
        added = context.get("capabilities", {}).get("add") or ()
        if context.get("privileged"):
            yield invalid(path, context, "privileged, and no escalation of it")
        if "CAP_SYS_ADMIN" in added:
            yield invalid(path, context, "CAP_SYS_ADMIN, and no escalation")
    yield from _profiles(context, path)
    yield from faults_of_windows_options(context, path)


def _ids(context: Part, path: str, fields: tuple[str, ...]) -> Iterator[str]:
    for field in fields:
        if field in context:
            yield from checked(f"{path}.{field}", context[field], user_id)


def _profiles(context: Part, path: str) -> Iterator[str]:
    for kind in ("seccompProfile", "appArmorProfile"):
        if kind in context:
            yield from _profile(context[kind], kind, f"{path}.{kind}")


def _profile(profile: Part, kind: str, path: str) -> Iterator[str]:
    type_, file = profile.get("type", ""), profile.get("localhostProfile")
    yield from one_of(f"{path}.type", type_, _PROFILES)
    here = f"{path}.localhostProfile"
    if type_ != "Localhost":
        known = kind == "seccompProfile" or type_ in _PROFILES
        if file is not None and known:
            yield invalid(here, file, "can only be set when the type is Localhost")
    elif file is None or (kind == "appArmorProfile" and not file):
        yield required(here, "must be set when the type is Localhost")
    elif kind == "seccompProfile":
        yield from checked(here, file, local_path)
    elif file != file.strip():
        yield invalid(here, file, "must not be padded with whitespace")
    elif len(file) > _MAX_PROFILE:
        yield f"{here}: Too long: may not be more than {_MAX_PROFILE} bytes"


def _sysctls(context: Part, path: str, spec: Part, kubelet: Kubelet) -> Iterator[str]:
    names: set[str] = set()
    for index, sysctl in enumerate(context.get("sysctls") or ()):
        here, name = f"{path}[{index}].name", sysctl["name"]
        if not name:
            yield required(here)
        elif (
            len(name) > _MAX_SYSCTL
            or not _SYSCTL.match(name)
            or ("/" in name and "sysctl-slashes" not in kubelet.validation_rules)
        ):
            yield invalid(here, name, "must be the name of a sysctl")
        elif name in names:
            yield duplicate(here, name)
        names.add(name)
        if "host-sysctls" not in kubelet.validation_rules:
            continue
        dotted = name.replace("/", ".")
        if spec.get("hostNetwork") and dotted.startswith("net."):
            yield invalid(here, name, "may not be specified with hostNetwork")
        if spec.get("hostIPC") and (dotted in _IPC or dotted.startswith("fs.mqueue.")):
            yield invalid(here, name, "may not be specified with hostIPC")


def faults_of_host_users(spec: Part) -> Iterator[str]:
    """
    Yield what can't be had without the host's users.

    Kubelet: ``validateHostUsers``.
    """
    if spec.get("hostUsers", True):
        return
    for field, shown in _HOST_FIELDS.items():
        if spec.get(field):
            yield forbidden(f"spec.{shown}", "when `hostUsers` is false")
