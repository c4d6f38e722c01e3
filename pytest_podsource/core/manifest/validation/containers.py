"""
What the API refuses in the containers of a pod.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_podsource.core.manifest.validation.faults import (
    duplicate,
    forbidden,
    invalid,
    required,
    unsupported,
)
from pytest_podsource.core.manifest.validation.names import dns_label
from pytest_podsource.core.versions import Kubelet

Part = Mapping[str, Any]

PULL_POLICIES = ("Always", "IfNotPresent", "Never")
PROTOCOLS = ("SCTP", "TCP", "UDP")
TERMINATION_POLICIES = ("FallbackToLogsOnError", "File")
HANDLERS = ("exec", "grpc", "httpGet", "tcpSocket")
PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
MAX_PORT = 65535
MAX_PORT_NAME = 15

_PORT_NAME = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?\Z")


def faults_of_containers(
    spec: Part, volumes: Sequence[str], kubelet: Kubelet
) -> Iterator[str]:
    """
    Yield what is wrong with the containers and init containers of *spec*.

    Args:
        spec: The pod's spec.
        volumes: The names of its volumes.
        kubelet: Which kubelet to behave like.

    Kubelet: ``validateContainers``, ``validateInitContainers``.
    """
    names: set[str] = set()
    if not spec.get("containers"):
        yield required("spec.containers")
    for kind in ("containers", "initContainers"):
        for index, container in enumerate(spec.get(kind) or ()):
            path = f"spec.{kind}[{index}]"
            yield from _name(container, path, names)
            yield from _container(container, path, volumes)
            is_regular = kind == "containers"
            if is_regular and container.get("lifecycle"):
                yield from _lifecycle(container["lifecycle"], f"{path}.lifecycle")
            if is_regular and kubelet.refuses_container_restart:
                yield from _restart(container, path)
    if spec.get("ephemeralContainers") and kubelet.knows_ephemeral:
        yield forbidden("spec.ephemeralContainers", "a new pod can't have any")


def _restart(container: Part, path: str) -> Iterator[str]:
    if container.get("restartPolicy"):
        yield forbidden(f"{path}.restartPolicy", "only init containers may have one")


def _name(container: Part, path: str, names: set[str]) -> Iterator[str]:
    name = container.get("name", "")
    if not name:
        yield required(f"{path}.name")
    elif reason := dns_label(name):
        yield invalid(f"{path}.name", name, reason)
    elif name in names:
        yield duplicate(f"{path}.name", name)
    names.add(name)


def _container(container: Part, path: str, volumes: Sequence[str]) -> Iterator[str]:
    image = container.get("image", "")
    if not image:
        yield required(f"{path}.image")
    elif image != image.strip():
        yield invalid(f"{path}.image", image, "must not begin or end with blanks")
    policy = container.get("imagePullPolicy", "")
    if policy not in PULL_POLICIES:
        yield unsupported(f"{path}.imagePullPolicy", policy, PULL_POLICIES)
    policy = container.get("terminationMessagePolicy")
    if policy and policy not in TERMINATION_POLICIES:
        yield unsupported(
            f"{path}.terminationMessagePolicy", policy, TERMINATION_POLICIES
        )
    yield from _ports(container.get("ports") or (), f"{path}.ports")
    yield from _env(container.get("env") or (), f"{path}.env")
    yield from _mounts(container.get("volumeMounts") or (), path, volumes)
    for kind in PROBES:
        if container.get(kind) is not None:
            yield from _probe(container[kind], f"{path}.{kind}")


def _ports(ports: Sequence[Part], path: str) -> Iterator[str]:
    names: set[str] = set()
    for index, port in enumerate(ports):
        here = f"{path}[{index}]"
        name, number = port.get("name", ""), port.get("containerPort", 0)
        if name and (len(name) > MAX_PORT_NAME or not _PORT_NAME.match(name)):
            yield invalid(f"{here}.name", name, "must be a service name")
        elif name and name in names:
            yield duplicate(f"{here}.name", name)
        names.add(name)
        if not number:
            yield required(f"{here}.containerPort")
        elif not 0 < number <= MAX_PORT:
            yield invalid(f"{here}.containerPort", number, "must be 1 to 65535")
        host = port.get("hostPort", 0)
        if host and not 0 < host <= MAX_PORT:
            yield invalid(f"{here}.hostPort", host, "must be 1 to 65535")
        if (protocol := port.get("protocol", "TCP")) not in PROTOCOLS:
            yield unsupported(f"{here}.protocol", protocol, PROTOCOLS)


def _env(env: Sequence[Part], path: str) -> Iterator[str]:
    for index, variable in enumerate(env):
        here = f"{path}[{index}]"
        if not variable.get("name"):
            yield required(f"{here}.name")
        if origin := variable.get("valueFrom"):
            if variable.get("value"):
                yield invalid(f"{here}.valueFrom", "", "may not stand beside a value")
            if len(origin) > 1:
                yield invalid(f"{here}.valueFrom", "", "may be one only")


def _mounts(mounts: Sequence[Part], path: str, volumes: Sequence[str]) -> Iterator[str]:
    places: set[str] = set()
    for index, mount in enumerate(mounts):
        here = f"{path}.volumeMounts[{index}]"
        name, place = mount.get("name", ""), mount.get("mountPath", "")
        if not name:
            yield required(f"{here}.name")
        if name not in volumes:
            yield f"{here}.name: Not found: {name!r}"
        if not place:
            yield required(f"{here}.mountPath")
        elif place in places:
            yield invalid(f"{here}.mountPath", place, "must be unique")
        places.add(place)


def _probe(probe: Part, path: str) -> Iterator[str]:
    yield from _handler(probe, path)
    for field in (
        "initialDelaySeconds",
        "timeoutSeconds",
        "periodSeconds",
        "successThreshold",
        "failureThreshold",
    ):
        if probe.get(field, 0) < 0:
            yield invalid(f"{path}.{field}", probe[field], "must not be negative")


def _lifecycle(lifecycle: Part, path: str) -> Iterator[str]:
    for hook in ("postStart", "preStop"):
        if lifecycle.get(hook) is not None:
            yield from _handler(lifecycle[hook], f"{path}.{hook}", ("sleep",))


def _handler(handler: Part, path: str, more: tuple[str, ...] = ()) -> Iterator[str]:
    given = [kind for kind in HANDLERS + more if handler.get(kind) is not None]
    if not given:
        yield f"{path}: Required value: must specify a handler type"
    for kind in given[1:]:
        yield forbidden(f"{path}.{kind}", "there may be one handler only")
    if "exec" in given and not handler["exec"].get("command"):
        yield required(f"{path}.exec.command")
    if "httpGet" in given and not handler["httpGet"].get("path"):
        yield required(f"{path}.httpGet.path")
    for kind in ("httpGet", "tcpSocket"):
        if kind in given:
            yield from _port(handler[kind].get("port", 0), f"{path}.{kind}.port")


def _port(port: Any, path: str) -> Iterator[str]:
    if isinstance(port, int) and not 0 < port <= MAX_PORT:
        yield invalid(path, port, "must be 1 to 65535")
    if isinstance(port, str) and not _PORT_NAME.match(port):
        yield invalid(path, port, "must be a service name")
