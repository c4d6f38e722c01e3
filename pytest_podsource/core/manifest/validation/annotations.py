"""
What the API refuses in annotations that say something about the pod, as fields do now.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_podsource.contract import Pod
from pytest_podsource.core.manifest.validation.faults import forbidden, invalid
from pytest_podsource.core.manifest.validation.names import local_path
from pytest_podsource.core.manifest.validation.scheduling import faults_of_tolerations
from pytest_podsource.core.versions import Kubelet

Part = Mapping[str, Any]

_PATH = "metadata.annotations"
_TOLERATIONS = "scheduler.alpha.kubernetes.io/tolerations"
_DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
_SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod"
_SECCOMP = "container.seccomp.security.alpha.kubernetes.io/"
_APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/"
_LOCALHOST = "localhost/"
_COST = re.compile(r"(0|-[0-9]+|[1-9][0-9]*)\Z")
_TOLERATION_FIELDS: Mapping[str, type] = {
    "key": str,
    "operator": str,
    "value": str,
    "effect": str,
    "tolerationSeconds": int,
}
_SECCOMP_WORDS: Mapping[str, tuple[str, ...]] = {
    "Unconfined": ("unconfined",),
    "RuntimeDefault": ("runtime/default", "docker/default"),
}
_APP_ARMOR_WORDS: Mapping[str, tuple[str, ...]] = {
    "Unconfined": ("unconfined",),
    "RuntimeDefault": ("runtime/default",),
}
_KINDS = ("initContainers", "containers", "ephemeralContainers")


def faults_of_annotations(
    pod: Pod, kubelet: Kubelet, gates: Mapping[str, bool]
) -> Iterator[str]:
    """
    Yield what is wrong with the annotations of *pod*, and what fields contradict.

    Kubelet: ``ValidatePodSpecificAnnotations`` and what ``ValidatePodCreate`` adds.
    """
    annotations = pod["metadata"].get("annotations") or {}
    if not annotations or not kubelet.checks_details:
        return
    if annotations.get(_TOLERATIONS):
        yield from _tolerations(annotations[_TOLERATIONS], gates)
    if "deletion-costs" in kubelet.validation_rules and _DELETION_COST in annotations:
        yield from _deletion_cost(annotations[_DELETION_COST])
    for key, value in annotations.items():
        if key == _SECCOMP_POD or key.startswith(_SECCOMP):
            yield from _seccomp(value, f"{_PATH}.{key}")
        if key.startswith(_APP_ARMOR):
            yield from _app_armor(key, value, pod["spec"])
    yield from _contradictions(annotations, pod["spec"], kubelet)


def _tolerations(text: str, gates: Mapping[str, bool]) -> Iterator[str]:
    try:
        found = json.loads(text)
    except ValueError:
        found = text
    given = [] if found is None else found
    tolerations = list(map(_toleration, given)) if isinstance(given, list) else [None]
    usable = [each for each in tolerations if each is not None]
    if len(usable) < len(tolerations):
        yield invalid(_PATH, _TOLERATIONS, "must be a JSON list of tolerations")
        return
    yield from faults_of_tolerations(usable, gates, f"{_PATH}.{_TOLERATIONS}")


def _toleration(given: Any) -> Part | None:
    """
    Return a toleration as Go decodes it: names in any case, null as absent.
    """
    if given is None:
        return {}
    if not isinstance(given, dict):
        return None
    names = {name.lower(): name for name in _TOLERATION_FIELDS}
    known = {
        names[key.lower()]: value
        for key, value in given.items()
        if key.lower() in names and value is not None
    }
    for name, value in known.items():
        if not isinstance(value, _TOLERATION_FIELDS[name]) or value is True:
            return None
    return known


def _deletion_cost(text: str) -> Iterator[str]:
    if not _COST.match(text) or not -(2**31) <= int(text) < 2**31:
        yield invalid(f"{_PATH}[{_DELETION_COST}]", text, "must be a 32bit integer")


def _seccomp(value: str, path: str) -> Iterator[str]:
    words = (word for known in _SECCOMP_WORDS.values() for word in known)
    if value in words:
        return
    reason = "must be a valid seccomp profile"
    if value.startswith(_LOCALHOST):
        reason = local_path(value.removeprefix(_LOCALHOST))
    if reason:
        yield invalid(path, value, reason)


def _app_armor(key: str, value: str, spec: Part) -> Iterator[str]:
    container, path = key.removeprefix(_APP_ARMOR), f"{_PATH}[{key}]"
    if container not in [each["name"] for each, _ in _containers(spec)]:
        yield invalid(path, container, "container not found")
    known = ("", *(word for words in _APP_ARMOR_WORDS.values() for word in words))
    if value not in known and not value.startswith(_LOCALHOST):
        yield invalid(path, value, "must be an AppArmor profile")


def _containers(spec: Part) -> Iterator[tuple[Part, str]]:
    for kind in _KINDS:
        for index, container in enumerate(spec.get(kind) or ()):
            yield container, f"spec.{kind}[{index}]"


def _contradictions(
    annotations: Mapping[str, str], spec: Part, kubelet: Kubelet
) -> Iterator[str]:
    context, path = spec.get("securityContext", {}), "spec.securityContext"
    places = [(_SECCOMP_POD, "seccompProfile", context.get("seccompProfile"), path)]
    both = "apparmor-fields" in kubelet.validation_rules and not _is_windows(spec)
    for container, where in _containers(spec):
        own, here = container.get("securityContext", {}), f"{where}.securityContext"
        name = container["name"]
        profile = own.get("seccompProfile")
        places.append((f"{_SECCOMP}{name}", "seccompProfile", profile, here))
        if both:
            profile = own.get("appArmorProfile", context.get("appArmorProfile"))
            places.append((f"{_APP_ARMOR}{name}", "appArmorProfile", profile, here))
    for key, field, profile, where in places:
        if profile is not None and key in annotations:
            yield from _differs(annotations[key], profile, f"{where}.{field}")


def _differs(value: str, profile: Part, path: str) -> Iterator[str]:
    kind = profile.get("type", "")
    known = _SECCOMP_WORDS if path.endswith("seccompProfile") else _APP_ARMOR_WORDS
    if kind == "Localhost":
        if not value.startswith(_LOCALHOST):
            yield forbidden(f"{path}.type", "must be that of the annotation")
        elif value.removeprefix(_LOCALHOST) != profile.get("localhostProfile"):
            yield forbidden(f"{path}.localhostProfile", "must be the annotation's")
    elif kind in known and value not in known[kind]:
        yield forbidden(f"{path}.type", "must be that of the annotation")


def _is_windows(spec: Part) -> bool:
    return bool(spec.get("os", {}).get("name") == "windows")
