"""
Requests and limits of a pod as a whole, and those of its containers together.

Rule 1: what containers need is their sum; an init container needs its own share beside
the sidecars before it, and the larger of the two counts. Rule 2: a pod with limits gets
the requests that it lacks from its containers, else from those limits. Rule 3: limits of
huge pages come from the containers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_podsource.core.manifest.quantity import Quantity

Part = dict[str, Any]
Amounts = dict[str, Quantity]

HUGE_PAGES = "hugepages-"
_OF_PODS = ("cpu", "memory")


def is_of_pods(name: str) -> bool:
    """
    Return whether a pod as a whole may have an amount of *name*.
    """
    return name in _OF_PODS or name.startswith(HUGE_PAGES)


def aggregate(spec: Mapping[str, Any], kind: str) -> Amounts:
    """
    Return what the containers of *spec* have of *kind*, ``requests`` or ``limits``.

    Kubelet: ``AggregateContainerRequests`` in component-helpers' ``resource``.
    """
    total: Amounts = {}
    sidecars: Amounts = {}
    largest: Amounts = {}
    for container in spec.get("containers") or ():
        _add(total, container["resources"].get(kind) or {})
    for container in spec.get("initContainers") or ():
        own = container["resources"].get(kind) or {}
        if container.get("restartPolicy") == "Always":
            _add(total, own)
            _add(sidecars, own)
            _raise(largest, sidecars)
        else:
            beside = dict(own)
            _add(beside, sidecars)
            _raise(largest, beside)
    _raise(total, largest)
    return total


def default_pod_resources(spec: Part) -> None:
    """
    Fill in the resources of a pod as a whole, in place, if it has any.

    Kubelet: ``defaultHugePagePodLimits``, ``defaultPodRequests``; 1.34 and 1.36.
    """
    resources = spec.get("resources")
    if not resources or not (resources.get("limits") or resources.get("requests")):
        return
    requests = dict(resources.get("requests") or {})
    limits = dict(resources.get("limits") or {})
    for name, amount in aggregate(spec, "limits").items():
        if name.startswith(HUGE_PAGES) and name not in requests:
            limits.setdefault(name, amount)
    if limits:
        resources["limits"] = limits
        for name, amount in aggregate(spec, "requests").items():
            if name in _OF_PODS:
                requests.setdefault(name, amount)
        for name, amount in limits.items():
            if is_of_pods(name):
                requests.setdefault(name, amount)
    if requests:
        resources["requests"] = requests


def _add(total: Amounts, amounts: Mapping[str, Quantity]) -> None:
    for name, amount in amounts.items():
        total[name] = total[name].plus(amount) if name in total else amount


def _raise(total: Amounts, amounts: Mapping[str, Quantity]) -> None:
    for name, amount in amounts.items():
        if name not in total or amount.value > total[name].value:
            total[name] = amount
