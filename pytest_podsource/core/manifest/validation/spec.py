"""
What the API refuses in the spec of a pod, outside its containers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_podsource.core.manifest.validation.containers import faults_of_containers
from pytest_podsource.core.manifest.validation.faults import (
    duplicate,
    forbidden,
    invalid,
    required,
    unsupported,
)
from pytest_podsource.core.manifest.validation.names import dns_label, dns_subdomain
from pytest_podsource.core.versions import Kubelet

Part = Mapping[str, Any]

RESTART_POLICIES = ("Always", "Never", "OnFailure")
DNS_POLICIES = ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")
EFFECTS = ("NoExecute", "NoSchedule", "PreferNoSchedule")
OPERATORS = ("Equal", "Exists")


def faults_of_spec(spec: Part, kubelet: Kubelet) -> Iterator[str]:
    """
    Yield what is wrong with *spec*.

    Kubelet: ``ValidatePodSpec``.
    """
    yield from _volumes(spec)
    names = [volume.get("name", "") for volume in spec.get("volumes") or ()]
    yield from faults_of_containers(spec, names, kubelet)
    policy = spec.get("restartPolicy", "")
    if policy not in RESTART_POLICIES:
        yield unsupported("spec.restartPolicy", policy, RESTART_POLICIES)
    policy = spec.get("dnsPolicy", "")
    if policy not in DNS_POLICIES:
        yield unsupported("spec.dnsPolicy", policy, DNS_POLICIES)
    node = spec.get("nodeName", "")
    if node and kubelet.checks_node_name and (reason := dns_subdomain(node)):
        yield invalid("spec.nodeName", node, reason)
    deadline = spec.get("activeDeadlineSeconds")
    if deadline is not None and deadline < 1:
        yield invalid("spec.activeDeadlineSeconds", deadline, "must be positive")
    if spec.get("schedulingGates") and kubelet.knows_scheduling_gates:
        yield forbidden("spec.nodeName", "can't be set until all gates are gone")
    yield from _tolerations(spec)


def _volumes(spec: Part) -> Iterator[str]:
    names: set[str] = set()
    for index, volume in enumerate(spec.get("volumes") or ()):
        path = f"spec.volumes[{index}]"
        name = volume.get("name", "")
        if not name:
            yield required(f"{path}.name")
        elif reason := dns_label(name):
            yield invalid(f"{path}.name", name, reason)
        elif name in names:
            yield duplicate(f"{path}.name", name)
        names.add(name)
        for kind in list(volume.keys() - {"name"})[1:]:
            yield forbidden(f"{path}.{kind}", "there may be one source only")
        if volume.get("hostPath") is not None and not volume["hostPath"].get("path"):
            yield required(f"{path}.hostPath.path")
        yield from _tokens(volume, path, spec.get("serviceAccountName", ""))


def _tokens(volume: Part, path: str, account: str) -> Iterator[str]:
    sources = (volume.get("projected") or {}).get("sources") or ()
    for index, source in enumerate(sources):
        if source.get("serviceAccountToken") is not None and not account:
            yield forbidden(
                f"{path}.projected.sources[{index}].serviceAccountToken",
                "must not be specified when serviceAccountName is not set",
            )


def _tolerations(spec: Part) -> Iterator[str]:
    for index, toleration in enumerate(spec.get("tolerations") or ()):
        path = f"spec.tolerations[{index}]"
        operator = toleration.get("operator", "")
        if operator and operator not in OPERATORS:
            yield unsupported(f"{path}.operator", operator, OPERATORS)
        if not toleration.get("key") and operator != "Exists":
            yield invalid(f"{path}.operator", operator, "must be Exists without a key")
        if toleration.get("value") and operator == "Exists":
            yield invalid(f"{path}.operator", toleration["value"], "must be empty")
        effect = toleration.get("effect")
        if effect and effect not in EFFECTS:
            yield unsupported(f"{path}.effect", effect, EFFECTS)
