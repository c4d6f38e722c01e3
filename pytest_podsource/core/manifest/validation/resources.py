"""
What the API refuses in requests and limits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from pytest_podsource.core.manifest.pod_resources import aggregate, is_of_pods
from pytest_podsource.core.manifest.quantity import Quantity, parse_quantity
from pytest_podsource.core.manifest.validation.faults import (
    checked,
    duplicate,
    forbidden,
    invalid,
    not_found,
    one_of,
    required,
    unsupported,
)
from pytest_podsource.core.manifest.validation.names import dns_label, qualified_name
from pytest_podsource.core.versions import Kubelet

Part = Mapping[str, Any]

_HUGE_PAGES = "hugepages-"
_NATIVE = "kubernetes.io/"
_QUOTA = "requests."
_RESIZABLE = ("cpu", "memory")
_RESIZE_POLICIES = ("NotRequired", "RestartContainer")


def faults_of_resources(
    resources: Part, path: str, claims: Collection[str], kubelet: Kubelet
) -> Iterator[str]:
    """
    Yield what is wrong with the *resources* of a container.

    Kubelet: ``ValidateContainerResourceRequirements``.
    """
    limits = resources.get("limits") or {}
    requests = resources.get("requests") or {}
    for kind, amounts in (("limits", limits), ("requests", requests)):
        for name, amount in amounts.items():
            yield from _amount(name, amount, f"{path}.{kind}[{name}]", kubelet)
    for name, amount in requests.items():
        yield from _request(name, amount, limits.get(name), path, kubelet)
    names = {*limits, *requests}
    if _has_huge_pages(names) and not names & {"cpu", "memory"}:
        yield forbidden(path, "HugePages require cpu or memory")
    yield from _claims(resources.get("claims") or (), f"{path}.claims", claims)


def faults_of_pod_resources(spec: Part, kubelet: Kubelet) -> Iterator[str]:
    """
    Yield what is wrong with the resources of a pod as a whole.

    Kubelet: ``validatePodResources``.
    """
    path, resources = "spec.resources", spec["resources"]
    if spec.get("os", {}).get("name") == "windows":
        yield forbidden(path, "may not be set for a windows pod")
        return
    if "claims" in resources:
        yield forbidden(f"{path}.claims", "may not be set at pod-level")
    yield from faults_of_resources(resources, path, (), kubelet)
    for kind in ("limits", "requests"):
        for name in resources.get(kind) or {}:
            if not is_of_pods(name):
                known = ("cpu", "memory", _HUGE_PAGES)
                yield unsupported(f"{path}.{kind}[{name}]", name, known)
    yield from _fits(spec, resources, path)


def _fits(spec: Part, resources: Part, path: str) -> Iterator[str]:
    requests = resources.get("requests") or {}
    limits = resources.get("limits") or {}
    for name, amount in aggregate(spec, "requests").items():
        if name in requests and amount.value > requests[name].value:
            reason = f"must be at least {amount}, what the containers request"
            yield invalid(f"{path}.requests[{name}]", requests[name], reason)
    for name, amount in aggregate(spec, "limits").items():
        over = name in limits and amount.value > limits[name].value
        if over and name.startswith(_HUGE_PAGES):
            reason = f"must be at least {amount}, the limits of the containers"
            yield invalid(f"{path}.limits[{name}]", limits[name], reason)
    for index, container in enumerate(spec.get("containers") or ()):
        for name, amount in (container["resources"].get("limits") or {}).items():
            if name in limits and amount.value > limits[name].value:
                here = f"{path}.containers[{index}][{name}].limits"
                yield invalid(here, amount, f"must be at most {limits[name]}")


def _has_huge_pages(names: Collection[str]) -> bool:
    return any(name.startswith(_HUGE_PAGES) for name in names)


def _amount(name: str, amount: Quantity, path: str, kubelet: Kubelet) -> Iterator[str]:
    yield from _name(name, path, kubelet)
    extended = "extended-resources" in kubelet.validation_rules
    if amount.number < 0 and (extended or "/" not in name):
        yield invalid(path, amount, "must be greater than or equal to 0")
    if extended and _is_extended(name) and amount.value.denominator != 1:
        yield invalid(path, amount, "must be an integer")
    multiples = "huge-page-multiples" in kubelet.validation_rules
    if multiples and name.startswith(_HUGE_PAGES) and not _is_divisible(name, amount):
        yield invalid(path, amount, f"must be a positive multiple of {name}")


def _name(name: str, path: str, kubelet: Kubelet) -> Iterator[str]:
    if reason := qualified_name(name):
        yield invalid(path, name, reason)
    elif "/" not in name:
        known = kubelet.container_resources
        if name not in known and not (
            _HUGE_PAGES in known and name.startswith(_HUGE_PAGES)
        ):
            yield invalid(path, name, "must be a standard resource for containers")
    elif (
        "extended-resources" in kubelet.validation_rules
        and _NATIVE not in name
        and not _is_extended(name)
    ):
        yield invalid(path, name, "doesn't follow extended resource name standard")


def _is_extended(name: str) -> bool:
    if "/" not in name or _NATIVE in name or name.startswith(_QUOTA):
        return False
    return not qualified_name(f"{_QUOTA}{name}")


def _is_divisible(name: str, amount: Quantity) -> bool:
    try:
        page = parse_quantity(name.removeprefix(_HUGE_PAGES))
    except ValueError:
        return False
    return page.number > 0 and amount.value % page.value == 0


def _request(
    name: str, amount: Quantity, limit: Quantity | None, path: str, kubelet: Kubelet
) -> Iterator[str]:
    may_differ = "extended-resources" not in kubelet.validation_rules or (
        ("/" not in name or _NATIVE in name) and not _has_huge_pages([name])
    )
    if limit is None:
        if not may_differ:
            yield required(f"{path}.limits", "must be set for such a resource")
    elif amount.value != limit.value and not may_differ:
        yield invalid(f"{path}.requests", amount, f"must be equal to {name} limit")
    elif amount.value > limit.value:
        yield invalid(
            f"{path}.requests",
            amount,
            f"must be less than or equal to {name} limit of {limit}",
        )


def _claims(claims: Sequence[Part], path: str, known: Collection[str]) -> Iterator[str]:
    seen: set[tuple[str, str]] = set()
    for index, claim in enumerate(claims):
        here, name = f"{path}[{index}]", claim["name"]
        request = claim.get("request", "")
        if not name:
            yield required(here)
            continue
        if request:
            yield from checked(f"{here}.request", request, dns_label)
        same = {each for each in seen if each[0] == name}
        if (name, "") in same or (name, request) in same or (same and not request):
            yield duplicate(here, name)
        seen.add((name, request))
        if name not in known:
            yield not_found(here, name)


def faults_of_resizing(
    policies: Sequence[Part], path: str, restart_policy: str
) -> Iterator[str]:
    """
    Yield what is wrong with the resize policies of a container.

    Kubelet: ``validateResizePolicy``.
    """
    seen: set[str] = set()
    for index, policy in enumerate(policies):
        name, restart = policy["resourceName"], policy["restartPolicy"]
        if name in seen:
            yield duplicate(f"{path}[{index}]", name)
        seen.add(name)
        yield from one_of(path, name, _RESIZABLE)
        yield from one_of(path, restart, _RESIZE_POLICIES)
        if restart_policy == "Never" and restart != "NotRequired":
            yield invalid(path, restart, "must be 'NotRequired' with 'Never'")
