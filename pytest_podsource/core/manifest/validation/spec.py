"""
What the API refuses in the spec of a pod, outside its containers and volumes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from pytest_podsource.core.manifest.validation.containers import faults_of_containers
from pytest_podsource.core.manifest.validation.faults import (
    checked,
    duplicate,
    forbidden,
    invalid,
    needed,
    one_of,
    required,
)
from pytest_podsource.core.manifest.validation.metadata import faults_of_labels
from pytest_podsource.core.manifest.validation.names import (
    dns_label,
    dns_subdomain,
    ip_address,
    qualified_name,
    search_domain,
)
from pytest_podsource.core.manifest.validation.resources import (
    faults_of_pod_resources,
    faults_of_resources,
)
from pytest_podsource.core.manifest.validation.scheduling import (
    faults_of_affinity,
    faults_of_spreading,
    faults_of_tolerations,
)
from pytest_podsource.core.manifest.validation.security import (
    faults_of_host_users,
    faults_of_pod_security,
)
from pytest_podsource.core.manifest.validation.systems import (
    faults_of_host_processes,
    faults_of_system,
)
from pytest_podsource.core.manifest.validation.volumes import good_volumes
from pytest_podsource.core.versions import Kubelet

Part = Mapping[str, Any]

_RESTART_POLICIES = ("Always", "Never", "OnFailure")
_PREEMPTION_POLICIES = ("Never", "PreemptLowerPriority")
_MAX_DEADLINE = 2**31 - 1
_MAX_NAMESERVERS = 3
_MAX_SEARCHES, _OLD_MAX_SEARCHES = 32, 6
_MAX_SEARCH_CHARACTERS = 2048
_MAX_HOST_NAME = 64


def faults_of_spec(
    spec: Part, kubelet: Kubelet, gates: Mapping[str, bool]
) -> Iterator[str]:
    """
    Yield what is wrong with *spec*.

    Kubelet: ``ValidatePodSpec`` and what ``ValidatePodCreate`` adds.
    """
    volumes, faults = good_volumes(spec, kubelet)
    yield from faults
    yield from _claims(spec)
    yield from faults_of_containers(spec, volumes, kubelet)
    if (
        "resources" in spec
        and "pod-resources" in kubelet.validation_rules
        and gates.get("PodLevelResources")
    ):
        yield from faults_of_pod_resources(spec, kubelet)
    yield from _policies(spec, kubelet)
    yield from _network(spec, kubelet)
    yield from faults_of_labels(spec.get("nodeSelector") or {}, "spec.nodeSelector")
    yield from faults_of_pod_security(spec, kubelet)
    yield from faults_of_host_users(spec)
    yield from faults_of_host_processes(spec)
    yield from faults_of_system(spec)
    yield from faults_of_affinity(spec.get("affinity", {}), kubelet)
    yield from faults_of_spreading(spec.get("topologySpreadConstraints") or (), kubelet)
    yield from _gates(spec)
    yield from _group(spec)
    yield from _names(spec, kubelet)
    yield from _numbers(spec, kubelet)
    yield from faults_of_tolerations(spec.get("tolerations") or (), gates)
    yield from _created(spec)


def _claims(spec: Part) -> Iterator[str]:
    names: set[str] = set()
    for index, claim in enumerate(spec.get("resourceClaims") or ()):
        path = f"spec.resourceClaims[{index}]"
        if claim["name"] in names:
            yield duplicate(f"{path}.name", claim["name"])
        yield from needed(f"{path}.name", claim["name"], dns_label)
        names.add(claim["name"])
        fields = ("resourceClaimName", "resourceClaimTemplateName")
        given = [field for field in fields if field in claim]
        if len(given) != 1:
            yield invalid(path, claim, "must have one of the two names")
        for field in given:
            yield from checked(f"{path}.{field}", claim[field], dns_subdomain)


def _policies(spec: Part, kubelet: Kubelet) -> Iterator[str]:
    policy = spec.get("restartPolicy", "")
    yield from one_of("spec.restartPolicy", policy, _RESTART_POLICIES)
    policy = spec.get("dnsPolicy", "")
    yield from one_of("spec.dnsPolicy", policy, kubelet.dns_policies)
    if "preemptionPolicy" in spec:
        policy = spec["preemptionPolicy"]
        yield from one_of("spec.preemptionPolicy", policy, _PREEMPTION_POLICIES)


def _network(spec: Part, kubelet: Kubelet) -> Iterator[str]:
    if spec.get("hostNetwork"):
        yield from _host_ports(spec, kubelet)
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        within = "sharing-in-spec" in kubelet.validation_rules
        path = f"spec{'' if within else '.securityContext'}.shareProcessNamespace"
        yield invalid(path, value=True, reason="excludes hostPID")
    ip = partial(ip_address, strict="strict-ips" in kubelet.validation_rules)
    for index, alias in enumerate(spec.get("hostAliases") or ()):
        path = f"spec.hostAliases[{index}]"
        yield from checked(f"{path}.ip", alias.get("ip", ""), ip)
        for number, name in enumerate(alias.get("hostnames") or ()):
            yield from checked(f"{path}.hostnames[{number}]", name, dns_subdomain)
    yield from _dns(spec, kubelet)


def _host_ports(spec: Part, kubelet: Kubelet) -> Iterator[str]:
    # Which of the two ports is at fault is told otherwise up to 1.20.
    wrong, other = "containerPort", "hostPort"
    if "host-port-at-fault" in kubelet.validation_rules:
        wrong, other = other, wrong
    for index, container in enumerate(spec.get("containers") or ()):
        for number, port in enumerate(container.get("ports") or ()):
            if port.get("hostPort", 0) != port["containerPort"]:
                path = f"spec.containers[{index}].ports[{number}].{wrong}"
                yield invalid(path, port.get(wrong, 0), f"must match {other}")


def _dns(spec: Part, kubelet: Kubelet) -> Iterator[str]:
    path, config = "spec.dnsConfig", spec.get("dnsConfig")
    servers = (config or {}).get("nameservers") or ()
    if spec.get("dnsPolicy") == "None" and not servers:
        here = path if config is None else f"{path}.nameservers"
        yield required(here, "must be there when `dnsPolicy` is None")
    if config is None:
        return
    searches = config.get("searches") or ()
    many = "many-searches" in kubelet.validation_rules
    if len(servers) > _MAX_NAMESERVERS:
        yield invalid(f"{path}.nameservers", servers, f"{_MAX_NAMESERVERS} at most")
    ip = partial(ip_address, strict="strict-ips" in kubelet.validation_rules)
    for index, server in enumerate(servers):
        yield from checked(f"{path}.nameservers[{index}]", server, ip)
    if (
        len(searches) > (_MAX_SEARCHES if many else _OLD_MAX_SEARCHES)
        or len(" ".join(searches)) > _MAX_SEARCH_CHARACTERS
    ):
        yield invalid(f"{path}.searches", searches, "there are too many")
    relaxed = "search-underscores" in kubelet.validation_rules
    form = search_domain if relaxed else dns_subdomain
    for index, search in enumerate(searches):
        if search != "." or not relaxed:
            domain = search.removesuffix(".")
            yield from checked(f"{path}.searches[{index}]", domain, form)
    for index, option in enumerate(config.get("options") or ()):
        if not option.get("name"):
            yield required(f"{path}.options[{index}]", "must not be empty")


def _gates(spec: Part) -> Iterator[str]:
    for index, gate in enumerate(spec.get("readinessGates") or ()):
        path = f"spec.readinessGates[{index}].conditionType"
        yield from checked(path, gate["conditionType"], qualified_name)
    seen: set[str] = set()
    for index, gate in enumerate(spec.get("schedulingGates") or ()):
        path = f"spec.schedulingGates[{index}]"
        yield from checked(path, gate["name"], qualified_name)
        if gate["name"] in seen:
            yield duplicate(path, gate["name"])
        seen.add(gate["name"])


def _group(spec: Part) -> Iterator[str]:
    if "schedulingGroup" in spec:
        path = "spec.schedulingGroup.podGroupName"
        name = spec["schedulingGroup"].get("podGroupName", "")
        yield from needed(path, name, dns_subdomain)
        if spec.get("evictionResponders"):
            yield forbidden("spec.schedulingGroup", "not with evictionResponders")


def _names(spec: Part, kubelet: Kubelet) -> Iterator[str]:
    subdomains = ["serviceAccountName", "priorityClassName"]
    if kubelet.checks_node_name:
        subdomains.append("nodeName")
    for field in subdomains:
        if spec.get(field):
            yield from checked(f"spec.{field}", spec[field], dns_subdomain)
    if "runtimeClassName" in spec:
        name = spec["runtimeClassName"]
        yield from checked("spec.runtimeClassName", name, dns_subdomain)
    for field in ("hostname", "subdomain"):
        if spec.get(field):
            yield from checked(f"spec.{field}", spec[field], dns_label)
    if "hostnameOverride" in spec:
        yield from _host_name(spec, spec["hostnameOverride"], "spec.hostnameOverride")


def _host_name(spec: Part, name: str, path: str) -> Iterator[str]:
    for field in ("setHostnameAsFQDN", "hostNetwork"):
        if spec.get(field):
            yield forbidden(path, f"may not be specified when {field} is true")
    if len(name) > _MAX_HOST_NAME:
        yield f"{path}: Too long: may not be more than {_MAX_HOST_NAME} bytes"
    yield from checked(path, name, dns_subdomain)


def _numbers(spec: Part, kubelet: Kubelet) -> Iterator[str]:
    deadline = spec.get("activeDeadlineSeconds")
    largest = "largest-deadline" in kubelet.validation_rules
    if deadline is not None and not (
        0 < deadline <= (_MAX_DEADLINE if largest else deadline)
    ):
        reason = f"must be between 1 and {_MAX_DEADLINE}, inclusive"
        yield invalid("spec.activeDeadlineSeconds", deadline, reason)
    if "overhead" in spec:
        limits = {"limits": spec["overhead"]}
        yield from faults_of_resources(limits, "spec.overhead", (), kubelet)


def _created(spec: Part) -> Iterator[str]:
    if not spec.get("serviceAccountName"):
        for index, volume in enumerate(spec.get("volumes") or ()):
            path = f"spec.volumes[{index}].projected.sources"
            sources = volume.get("projected", {}).get("sources") or ()
            for number, source in enumerate(sources):
                if "serviceAccountToken" in source:
                    here = f"{path}[{number}].serviceAccountToken"
                    yield forbidden(here, "needs a serviceAccountName")
    if spec.get("ephemeralContainers"):
        yield forbidden("spec.ephemeralContainers", "cannot be set on create")
    if spec.get("schedulingGates"):
        yield forbidden("spec.nodeName", "cannot be set before all schedulingGates go")
