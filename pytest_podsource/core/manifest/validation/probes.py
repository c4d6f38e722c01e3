"""
What the API refuses in probes and lifecycle hooks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_podsource.core.manifest.validation.faults import (
    checked,
    forbidden,
    invalid,
    not_negative,
    required,
    unsupported,
)
from pytest_podsource.core.manifest.validation.names import (
    header_name,
    port_name,
    port_number,
)

Part = Mapping[str, Any]

PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc", "sleep")
_GRPC_MODES = ("Plaintext", "TLS")
_COUNTS = (
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
)
_REAL_TIME = (
    "RTMIN",
    *(f"RTMIN+{number}" for number in range(1, 16)),
    *(f"RTMAX-{number}" for number in range(14, 0, -1)),
    "RTMAX",
)
_SIGNALS = {
    "linux": tuple(
        f"SIG{name}"
        for name in (
            *("ABRT", "ALRM", "BUS", "CHLD", "CLD", "CONT", "FPE", "HUP", "ILL"),
            *("INT", "IO", "IOT", "KILL", "PIPE", "POLL", "PROF", "PWR", "QUIT"),
            *("SEGV", "STKFLT", "STOP", "SYS", "TERM", "TRAP", "TSTP", "TTIN"),
            *("TTOU", "URG", "USR1", "USR2", "VTALRM", "WINCH", "XCPU", "XFSZ"),
            *_REAL_TIME,
        )
    ),
    "windows": ("SIGKILL", "SIGTERM"),
}


def faults_of_probes(container: Part, path: str, grace: int | None) -> Iterator[str]:
    """
    Yield what is wrong with the probes of *container*.

    Args:
        container: The container.
        path: Where it stands.
        grace: The pod's grace period.

    Kubelet: ``validateProbe`` and those of the three kinds.
    """
    for kind in PROBES:
        if kind in container:
            yield from _probe(container[kind], kind, f"{path}.{kind}", grace)


def _probe(probe: Part, kind: str, path: str, grace: int | None) -> Iterator[str]:
    yield from _handler(probe, path, grace)
    for field in _COUNTS:
        yield from not_negative(f"{path}.{field}", probe.get(field, 0))
    if kind != "readinessProbe" and probe.get("successThreshold", 1) != 1:
        yield invalid(
            f"{path}.successThreshold", probe["successThreshold"], "must be 1"
        )
    own = probe.get("terminationGracePeriodSeconds")
    if own is None:
        return
    here = f"{path}.terminationGracePeriodSeconds"
    if own <= 0:
        yield invalid(here, own, "must be greater than 0")
    if kind == "readinessProbe":
        yield invalid(here, own, "must not be set for readinessProbes")


def faults_of_lifecycle(
    lifecycle: Part, path: str, grace: int | None, system: Part | None
) -> Iterator[str]:
    """
    Yield what is wrong with the hooks and the stop signal of a container.
    """
    for hook in ("postStart", "preStop"):
        if hook in lifecycle:
            yield from _handler(lifecycle[hook], f"{path}.{hook}", grace)
    signal = lifecycle.get("stopSignal")
    if signal is None:
        return
    if system is None:
        yield forbidden(f"{path}.stopSignal", "may not be set without spec.os.name")
    elif signal not in _SIGNALS.get(system.get("name", ""), (signal,)):
        yield unsupported(f"{path}.stopSignal", signal, _SIGNALS[system["name"]])


def _handler(handler: Part, path: str, grace: int | None) -> Iterator[str]:
    given = [kind for kind in _HANDLERS if kind in handler]
    if not given:
        yield required(path, "must specify a handler type")
        return
    kind = given[0]
    here, action = f"{path}.{kind}", handler[kind]
    if kind == "exec" and not action.get("command"):
        yield required(f"{here}.command")
    if kind == "httpGet":
        yield from _http_get(action, here)
    if kind in ("httpGet", "tcpSocket", "grpc"):
        yield from _port(action["port"], f"{here}.port")
    if action.get("mode", "TLS") not in _GRPC_MODES:
        yield unsupported(f"{here}.mode", action["mode"], _GRPC_MODES)
    if kind == "sleep" and not 0 <= action["seconds"] <= (grace or 0):
        yield invalid(here, action["seconds"], f"must be between 0 and {grace}")
    for kind in given[1:]:
        yield forbidden(f"{path}.{kind}", "may not specify more than 1 handler type")


def _http_get(action: Part, path: str) -> Iterator[str]:
    if not action.get("path"):
        yield required(f"{path}.path")
    if action.get("scheme", "") not in ("HTTP", "HTTPS"):
        yield unsupported(f"{path}.scheme", action.get("scheme"), ("HTTP", "HTTPS"))
    for header in action.get("httpHeaders") or ():
        yield from checked(f"{path}.httpHeaders", header["name"], header_name)
    protocol = action.get("protocol")
    if protocol not in (None, "HTTP1", "HTTP2"):
        yield unsupported(f"{path}.protocol", protocol, ("HTTP1", "HTTP2"))
    if protocol == "HTTP2" and action.get("scheme") != "HTTP":
        yield invalid(f"{path}.protocol", protocol, "is only supported with HTTP")
    elif protocol == "HTTP2" and action.get("host"):
        yield invalid(f"{path}.host", action["host"], "must be empty with HTTP2")


def _port(port: Any, path: str) -> Iterator[str]:
    yield from checked(path, port, port_name if isinstance(port, str) else port_number)
