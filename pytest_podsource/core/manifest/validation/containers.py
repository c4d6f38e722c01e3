"""
What the API refuses in the containers of a pod.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_podsource.core.manifest.validation.environment import faults_of_environment
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
from pytest_podsource.core.manifest.validation.mounts import (
    faults_of_devices,
    faults_of_mounts,
)
from pytest_podsource.core.manifest.validation.names import (
    dns_label,
    port_name,
    port_number,
)
from pytest_podsource.core.manifest.validation.probes import (
    PROBES,
    faults_of_lifecycle,
    faults_of_probes,
)
from pytest_podsource.core.manifest.validation.resources import (
    faults_of_resizing,
    faults_of_resources,
)
from pytest_podsource.core.manifest.validation.security import faults_of_security
from pytest_podsource.core.versions import Kubelet

Part = Mapping[str, Any]

_PULL_POLICIES = ("Always", "IfNotPresent", "Never")
_TERMINATION_POLICIES = ("FallbackToLogsOnError", "File")
_RESTART_POLICIES = ("Always", "Never", "OnFailure")
_RULE_OPERATORS = ("In", "NotIn")
_MAX_RULES = 20
_MAX_CODES = 255


def faults_of_containers(
    spec: Part, volumes: Mapping[str, Part], kubelet: Kubelet
) -> Iterator[str]:
    """
    Yield what is wrong with the containers and init containers of *spec*.

    Args:
        spec: The pod's spec.
        volumes: Those of its volumes that can be used, by name.
        kubelet: Which kubelet to behave like.

    Kubelet: ``validateContainers``, ``validateInitContainers``.
    """
    containers = spec.get("containers") or ()
    names: set[str] = set()
    if not containers:
        yield required("spec.containers")
    for index, container in enumerate(containers):
        path = f"spec.containers[{index}]"
        yield from _common(container, path, spec, volumes, kubelet)
        yield from _name_is_new(container["name"], path, names)
        yield from _runs(container, path, spec, kubelet)
        if kubelet.refuses_container_restart and "restartPolicy" in container:
            yield forbidden(f"{path}.restartPolicy", "is for init containers only")
        elif not kubelet.refuses_container_restart:
            yield from _restarts(container, path)
    yield from _host_ports(containers, "spec.containers")
    for index, container in enumerate(spec.get("initContainers") or ()):
        path = f"spec.initContainers[{index}]"
        yield from _common(container, path, spec, volumes, kubelet)
        yield from _init(container, path, spec, kubelet)
        if container["name"]:
            yield from _name_is_new(container["name"], path, names)
        yield from _host_ports([container], "spec.initContainers")


def _name_is_new(name: str, path: str, names: set[str]) -> Iterator[str]:
    if name in names:
        yield duplicate(f"{path}.name", name)
    names.add(name)


def _runs(container: Part, path: str, spec: Part, kubelet: Kubelet) -> Iterator[str]:
    grace = spec.get("terminationGracePeriodSeconds")
    if "lifecycle" in container:
        here = f"{path}.lifecycle"
        yield from faults_of_lifecycle(
            container["lifecycle"], here, grace, spec.get("os")
        )
        yield from _sleeps(container["lifecycle"], here, kubelet)
    yield from faults_of_probes(container, path, grace)


def _sleeps(lifecycle: Part, path: str, kubelet: Kubelet) -> Iterator[str]:
    if "zero-sleep" in kubelet.validation_rules:
        return
    for hook in ("postStart", "preStop"):
        if lifecycle.get(hook, {}).get("sleep", {}).get("seconds") == 0:
            yield invalid(f"{path}.{hook}.sleep", 0, "must be greater than 0")


def _init(container: Part, path: str, spec: Part, kubelet: Kubelet) -> Iterator[str]:
    policy = container.get("restartPolicy")
    if kubelet.refuses_container_restart:
        if policy not in (None, "Always"):
            yield unsupported(f"{path}.restartPolicy", policy, ("Always",))
    else:
        yield from _restarts(container, path)
    if policy == "Always":
        yield from _runs(container, path, spec, kubelet)
        return
    for field in ("lifecycle", *PROBES):
        if field in container:
            yield forbidden(f"{path}.{field}", "may not be set for init containers")
    if container.get("resizePolicy") and (
        "sidecar-resizing" not in kubelet.validation_rules
    ):
        policies = container["resizePolicy"]
        yield invalid(f"{path}.resizePolicy", policies, "is not for init containers")
    for index, each in enumerate(container.get("resizePolicy") or ()):
        if each["restartPolicy"] == "RestartContainer":
            here = f"{path}.resizePolicy[{index}].restartPolicy"
            yield invalid(here, "RestartContainer", "is not for init containers")


def _restarts(container: Part, path: str) -> Iterator[str]:
    policy = container.get("restartPolicy")
    rules = container.get("restartPolicyRules") or ()
    if policy is None and rules:
        yield required(f"{path}.restartPolicy", "must stand beside restart rules")
    elif policy is not None and policy not in _RESTART_POLICIES:
        yield unsupported(f"{path}.restartPolicy", policy, _RESTART_POLICIES)
    if len(rules) > _MAX_RULES:
        yield f"{path}.restartPolicyRules: Too many: {len(rules)}: {_MAX_RULES} at most"
    for index, rule in enumerate(rules):
        here = f"{path}.restartPolicyRules[{index}]"
        yield from _rule(rule, here)


def _rule(rule: Part, path: str) -> Iterator[str]:
    known = ("Restart", "RestartAllContainers")
    if rule.get("action", "") not in known:
        yield unsupported(f"{path}.action", rule.get("action", ""), known)
    codes = rule.get("exitCodes")
    if codes is None:
        yield required(f"{path}.exitCodes", "must be specified")
        return
    operator = codes.get("operator", "")
    if operator not in _RULE_OPERATORS:
        yield unsupported(f"{path}.exitCodes.operator", operator, _RULE_OPERATORS)
    if len(codes.get("values") or ()) > _MAX_CODES:
        yield f"{path}.exitCodes.values: Too many: {_MAX_CODES} at most"


def _common(
    container: Part,
    path: str,
    spec: Part,
    volumes: Mapping[str, Part],
    kubelet: Kubelet,
) -> Iterator[str]:
    yield from needed(f"{path}.name", container["name"], dns_label)
    yield from _image(container, path, kubelet)
    if kubelet.container_defaults.get("terminationMessagePolicy"):
        policy = container.get("terminationMessagePolicy", "")
        here = f"{path}.terminationMessagePolicy"
        yield from one_of(here, policy, _TERMINATION_POLICIES)
    yield from _ports(container.get("ports") or (), f"{path}.ports", kubelet)
    yield from faults_of_environment(container, path, volumes, kubelet)
    yield from faults_of_mounts(container, path, volumes, kubelet)
    yield from faults_of_devices(container, path, volumes)
    claims = [each["name"] for each in spec.get("resourceClaims") or ()]
    resources = container["resources"]
    yield from faults_of_resources(resources, f"{path}.resources", claims, kubelet)
    policies = container.get("resizePolicy") or ()
    restart_policy = spec.get("restartPolicy", "")
    yield from faults_of_resizing(policies, f"{path}.resizePolicy", restart_policy)
    if "securityContext" in container:
        here, host_users = f"{path}.securityContext", spec.get("hostUsers", True)
        yield from faults_of_security(
            container["securityContext"], here, kubelet, host_users=host_users
        )


def _image(container: Part, path: str, kubelet: Kubelet) -> Iterator[str]:
    image = container.get("image", "")
    if not image:
        yield required(f"{path}.image")
    elif image != image.strip() and kubelet.checks_details:
        yield invalid(f"{path}.image", image, "must not begin or end with blanks")
    policy = container.get("imagePullPolicy", "")
    yield from one_of(f"{path}.imagePullPolicy", policy, _PULL_POLICIES)


def _ports(ports: Sequence[Part], path: str, kubelet: Kubelet) -> Iterator[str]:
    names: set[str] = set()
    for index, port in enumerate(ports):
        here, name = f"{path}[{index}]", port.get("name", "")
        if name and (reason := port_name(name)):
            yield invalid(f"{here}.name", name, reason)
        elif name and name in names:
            yield duplicate(f"{here}.name", name)
        names.add(name)
        yield from needed(f"{here}.containerPort", port["containerPort"], port_number)
        if host := port.get("hostPort"):
            yield from checked(f"{here}.hostPort", host, port_number)
        protocol = port.get("protocol", "")
        yield from one_of(f"{here}.protocol", protocol, kubelet.protocols)


def _host_ports(containers: Sequence[Part], path: str) -> Iterator[str]:
    seen: set[tuple[str, str, int]] = set()
    for index, container in enumerate(containers):
        for number, port in enumerate(container.get("ports") or ()):
            if not port.get("hostPort"):
                continue
            key = (port["protocol"], port.get("hostIP", ""), port["hostPort"])
            if key in seen:
                here = f"{path}[{index}].ports[{number}].hostPort"
                yield duplicate(here, "/".join(map(str, key)))
            seen.add(key)
