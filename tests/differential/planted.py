"""
Implementations that are right but for one planted fault, each at the seam.

A fault twists what the reference says: the updates it sends, the events it records, or
what a call gives. So they prove the comparer, whatever the reference is made of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import count
from types import SimpleNamespace
from typing import Any, TypeAlias

from pytest_podsource import reference
from pytest_podsource.contract import (
    Config,
    Environment,
    Pod,
    PodUpdate,
    Refused,
    SourceUpdate,
)
from pytest_podsource.driver.base import Driver
from pytest_podsource.driver.load import driver_of

Update: TypeAlias = "SourceUpdate | PodUpdate"
_SOURCE = "kubernetes.io/config.source"
_SEEN = "kubernetes.io/config.seen"


class TwistedEnvironment:
    """
    An environment that tells the world something else than it was told.
    """

    def __init__(
        self,
        env: Environment,
        *,
        send: Callable[[Any], list[Any]] = lambda update: [update],
        event: Callable[..., tuple[Any, ...] | None] = lambda *event: event,
        late_ns: int = 0,
    ) -> None:
        self._env = env
        self._send = send
        self._event = event
        self._late_ns = late_ns

    def send(self, update: Update, taken: Callable[[], None] | None = None) -> None:
        told = self._send(update)
        for each in told[:-1]:
            self._env.send(each)
        if told and self._late_ns:
            self._env.clock.call_later(
                self._late_ns, lambda: self._env.send(told[-1], taken)
            )
        elif told:
            self._env.send(told[-1], taken)
        elif taken is not None:
            self._env.clock.call_later(0, taken)

    def event(self, pod: Pod, type_: str, reason: str, message: str) -> None:
        told = self._event(pod, type_, reason, message)
        if told is not None:
            self._env.event(*told)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._env, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """
    One planted fault: its name, its component, and how it is planted.
    """

    name: str
    component: str
    plant: Callable[[], Any]

    def driver(self) -> Driver:
        return driver_of(self.plant(), self.name)


def _with_env(factory: str, **twists: Any) -> Callable[[], Any]:
    def plant() -> Any:
        made = getattr(reference, factory)
        fresh = {
            name: twist() if name == "send" else twist for name, twist in twists.items()
        }

        def new(config: Config, env: Environment) -> Any:
            return made(config, TwistedEnvironment(env, **fresh))

        return SimpleNamespace(**{factory: new})

    return plant


def _podconfig(send: Callable[[Any], list[Any]]) -> Callable[[], Any]:
    return _with_env("new_pod_config", send=lambda: send)


def _file(send: Callable[[Any], list[Any]]) -> Callable[[], Any]:
    return _with_env("new_file_source", send=lambda: send)


def _decoding(twist: Callable[[bytes, Config], Any]) -> Callable[[], Any]:
    return lambda: SimpleNamespace(decode_manifest=twist)


def _only(op: str, change: Callable[[Any], list[Any]]) -> Callable[[Any], list[Any]]:
    return lambda update: change(update) if update.op == op else [update]


def _each_pod(change: Callable[[Pod], None]) -> Callable[[Any], list[Any]]:
    def twist(update: Any) -> list[Any]:
        pods = deepcopy(update.pods)
        for pod in pods:
            change(pod)
        return [replace(update, pods=pods)]

    return twist


def _annotations(pod: Pod) -> dict[str, str]:
    found: dict[str, str] = pod["metadata"].setdefault("annotations", {})
    return found


def _new_times() -> Callable[[Any], list[Any]]:
    seconds = count()

    def renew(pod: Pod) -> None:
        second = next(seconds)
        _annotations(pod)[_SEEN] = f"2001-01-01T{second // 3600:02}:00:00.{second:09}Z"

    return _only("UPDATE", _each_pod(renew))


def _seen_all() -> Any:
    class Seen:
        def __init__(self, config: Config, env: Environment) -> None:
            self._config = reference.new_pod_config(config, env)

        def seen_all_sources(self, seen: frozenset[str]) -> bool:
            return True

        def __getattr__(self, name: str) -> Any:
            return getattr(self._config, name)

    return SimpleNamespace(new_pod_config=Seen)


def _drop_last(update: Any) -> list[Any]:
    return [replace(update, pods=update.pods[:-1])]


def _uid_by_name(pod: Pod) -> None:
    uid = pod["metadata"]["name"].encode().hex().ljust(32, "0")[:32]
    pod["metadata"]["uid"] = uid
    _annotations(pod)["kubernetes.io/config.hash"] = uid


def _uid_by_bytes(data: bytes, config: Config) -> Pod:
    pod = reference.decode_manifest(data, config)
    pod["metadata"]["uid"] = f"{hash(data) & (2**128 - 1):032x}"
    return pod


def _without_hash(data: bytes, config: Config) -> Pod:
    pod = reference.decode_manifest(data, config)
    _annotations(pod)["kubernetes.io/config.hash"] = "0" * 32
    return pod


def _without(*path: str) -> Callable[[bytes, Config], Pod]:
    def decode(data: bytes, config: Config) -> Pod:
        pod = reference.decode_manifest(data, config)
        place: Any = pod
        for key in path[:-1]:
            place = place[key]
        place.pop(path[-1], None)
        return pod

    return decode


def _other_parsed(data: bytes, config: Config) -> Pod:
    try:
        return reference.decode_manifest(data, config)
    except Refused as error:
        raise Refused(error.reason, not error.parsed) from None


def _accepts_all(data: bytes, config: Config) -> Pod:
    try:
        return reference.decode_manifest(data, config)
    except Refused:
        return {"metadata": {"name": "web"}, "spec": {}}


FAULTS = (
    Fault(
        name="DELETE is told as UPDATE",
        component="podconfig",
        plant=_podconfig(_only("DELETE", lambda u: [replace(u, op="UPDATE")])),
    ),
    Fault(
        name="RECONCILE is not told",
        component="podconfig",
        plant=_podconfig(_only("RECONCILE", lambda u: [])),
    ),
    Fault(
        name="the empty ADD is not told",
        component="podconfig",
        plant=_podconfig(lambda u: [u] if u.pods else []),
    ),
    Fault(
        name="REMOVE is told twice",
        component="podconfig",
        plant=_podconfig(_only("REMOVE", lambda u: [u, u])),
    ),
    Fault(
        name="the pods of an ADD come backwards",
        component="podconfig",
        plant=_podconfig(_only("ADD", lambda u: [replace(u, pods=u.pods[::-1])])),
    ),
    Fault(
        name="config.source is not set",
        component="podconfig",
        plant=_podconfig(_each_pod(lambda pod: pod["metadata"].pop("annotations"))),
    ),
    Fault(
        name="config.source is another",
        component="podconfig",
        plant=_podconfig(
            _each_pod(lambda pod: _annotations(pod).update({_SOURCE: "url"}))
        ),
    ),
    Fault(
        name="config.seen is new in each UPDATE",
        component="podconfig",
        plant=_with_env("new_pod_config", send=_new_times),
    ),
    Fault(
        name="an update names another source",
        component="podconfig",
        plant=_podconfig(lambda u: [replace(u, source="url")]),
    ),
    Fault(
        name="an UPDATE has no status",
        component="podconfig",
        plant=_podconfig(
            _only("UPDATE", _each_pod(lambda pod: pod.pop("status", None)))
        ),
    ),
    Fault(
        name="a duplicate makes no event",
        component="podconfig",
        plant=_with_env("new_pod_config", event=lambda *event: None),
    ),
    Fault(
        name="a duplicate's event is Normal",
        component="podconfig",
        plant=_with_env(
            "new_pod_config", event=lambda pod, type_, *rest: (pod, "Normal", *rest)
        ),
    ),
    Fault(name="all sources are always seen", component="podconfig", plant=_seen_all),
    Fault(
        name="a comment changes the UID",
        component="manifest",
        plant=_decoding(_uid_by_bytes),
    ),
    Fault(
        name="the hash annotation is not the UID",
        component="manifest",
        plant=_decoding(_without_hash),
    ),
    Fault(
        name="tolerations are forgotten",
        component="manifest",
        plant=_decoding(_without("spec", "tolerations")),
    ),
    Fault(
        name="a default is forgotten",
        component="manifest",
        plant=_decoding(_without("spec", "dnsPolicy")),
    ),
    Fault(
        name="parsed is told the other way round",
        component="manifest",
        plant=_decoding(_other_parsed),
    ),
    Fault(
        name="what can't be used is accepted",
        component="manifest",
        plant=_decoding(_accepts_all),
    ),
    Fault(
        name="a set comes a nanosecond late",
        component="file",
        plant=_with_env("new_file_source", late_ns=1),
    ),
    Fault(name="a set lacks its last pod", component="file", plant=_file(_drop_last)),
    Fault(
        name="a set that is empty is not told",
        component="file",
        plant=_file(lambda u: [u] if u.pods else []),
    ),
    Fault(
        name="the UID of a file's pod depends on its name only",
        component="file",
        plant=_file(_each_pod(_uid_by_name)),
    ),
)


def by_component() -> Mapping[str, int]:
    """How many faults each component has."""
    return {
        name: sum(fault.component == name for fault in FAULTS)
        for name in ("podconfig", "manifest", "file")
    }
