"""
What the API refuses for the operating system of a pod, and in the options of Windows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_podsource.core.manifest.validation.faults import (
    checked,
    forbidden,
    invalid,
    one_of,
)
from pytest_podsource.core.manifest.validation.names import dns_subdomain

Part = Mapping[str, Any]

_SYSTEMS = ("linux", "windows")
_MAX_CREDENTIALS = 64 * 1024
_MAX_DOMAIN = 255
_MAX_USER = 104
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_NET_BIOS = re.compile(r"""[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}\Z""")
_DNS_LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_DNS_DOMAIN = re.compile(rf"{_DNS_LABEL}(?:\.{_DNS_LABEL})*\Z")
_NOT_IN_USERS = re.compile(r"""["/\\:;|=,+*?<>@\[\]]""")
# Fields of Linux alone.
_POD_CONTEXT = (
    *("appArmorProfile", "seLinuxOptions", "seccompProfile", "fsGroup"),
    *("fsGroupChangePolicy", "sysctls", "runAsUser", "runAsGroup"),
    *("supplementalGroups", "supplementalGroupsPolicy", "seLinuxChangePolicy"),
)
_CONTEXT = (
    *("appArmorProfile", "seLinuxOptions", "seccompProfile", "capabilities"),
    *("readOnlyRootFilesystem", "privileged", "allowPrivilegeEscalation"),
    *("procMount", "runAsUser", "runAsGroup"),
)
_SPEC = ("hostUsers", "shareProcessNamespace")
_SPEC_FLAGS = ("hostPID", "hostIPC")


def faults_of_system(spec: Part) -> Iterator[str]:
    """
    Yield what the operating system of *spec* excludes.

    Kubelet: ``validateOS``, ``validateLinux``, ``validateWindows``.
    """
    if "os" not in spec:
        return
    name = spec["os"]["name"]
    yield from one_of("spec.os" if name else "spec.os.name", name, _SYSTEMS)
    if name == "linux":
        for context, path in _contexts(spec):
            if "windowsOptions" in context:
                yield forbidden(f"{path}.windowsOptions", "not on Linux")
    if name == "windows":
        yield from _not_on_windows(spec)


def _not_on_windows(spec: Part) -> Iterator[str]:
    for context, path in _contexts(spec):
        names = _POD_CONTEXT if path == "spec.securityContext" else _CONTEXT
        for name in names:
            if name in context and (name != "sysctls" or context[name]):
                yield forbidden(f"{path}.{name}", "not on Windows")
    for name in _SPEC:
        if name in spec:
            yield forbidden(f"spec.{name}", "not on Windows")
    for name in _SPEC_FLAGS:
        if spec.get(name):
            yield forbidden(f"spec.{name}", "not on Windows")


def faults_of_host_processes(spec: Part) -> Iterator[str]:
    """
    Yield what host processes of Windows don't go together with.

    Kubelet: ``validateWindowsHostProcessPod``.
    """
    (pod, _), *containers = _contexts(spec)
    of_pod = _is_host_process(pod)
    given = [(_is_host_process(context), path) for context, path in containers]
    for each, path in given:
        if None not in (of_pod, each) and of_pod != each:
            here = f"{path}.windowsOptions.hostProcess"
            yield invalid(here, each, "must be that of the pod")
    are = [of_pod if each is None else each for each, _ in given]
    if not any(are):
        return
    if not all(are):
        yield invalid("spec", "", "all containers must be host processes, or none")
    if not spec.get("hostNetwork"):
        yield invalid("spec.hostNetwork", value=False, reason="must be true")


def _is_host_process(context: Part) -> bool | None:
    found: bool | None = context.get("windowsOptions", {}).get("hostProcess")
    return found


def _contexts(spec: Part) -> Iterator[tuple[Part, str]]:
    """
    Yield the security context of the pod, then those of its containers, and where.
    """
    yield spec.get("securityContext", {}), "spec.securityContext"
    for kind in ("initContainers", "containers", "ephemeralContainers"):
        for index, container in enumerate(spec.get(kind) or ()):
            context = container.get("securityContext", {})
            yield context, f"spec.{kind}[{index}].securityContext"


def faults_of_windows_options(context: Part, path: str) -> Iterator[str]:
    """
    Yield what is wrong with the options of Windows in a security *context*.

    Kubelet: ``validateWindowsSecurityContextOptions``.
    """
    options, here = context.get("windowsOptions", {}), f"{path}.windowsOptions"
    if "gmsaCredentialSpecName" in options:
        name = options["gmsaCredentialSpecName"]
        yield from checked(f"{here}.gmsaCredentialSpecName", name, dns_subdomain)
    if "gmsaCredentialSpec" in options:
        credentials = options["gmsaCredentialSpec"]
        if not 0 < len(credentials.encode()) <= _MAX_CREDENTIALS:
            reason = "must not be empty nor above 64 KiB"
            yield invalid(f"{here}.gmsaCredentialSpec", credentials, reason)
    if "runAsUserName" in options:
        yield from checked(f"{here}.runAsUserName", options["runAsUserName"], _user)


def _user(name: str) -> str:
    domain, backslash, user = name.rpartition("\\")
    if not name or _CONTROL.search(name) or "\\" in domain:
        return "must not be empty, nor have control characters or two backslashes"
    if backslash and (
        len(domain.encode()) > _MAX_DOMAIN
        or (not _NET_BIOS.match(domain) and not _DNS_DOMAIN.match(domain))
    ):
        return "must have the name of a domain before the backslash"
    if not 0 < len(user.encode()) <= _MAX_USER:
        return f"must have a user of 1 to {_MAX_USER} characters"
    if not user.strip(". ") or _NOT_IN_USERS.search(user):
        return "must have a user of letters that Windows takes"
    return ""
