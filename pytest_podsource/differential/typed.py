"""
Manifests for differential testing, from the table of the API's fields.

One field of a pod, at any depth, is filled with values of its type, mostly good ones;
the rest of the pod is sound. So every field that a pod has is met.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from hypothesis import strategies as st

from pytest_podsource.data import table

Value: TypeAlias = st.SearchStrategy[Any]

_TEXTS = (
    *("a", "a", "b", "web", "v", "A", "", "a.b", "a/b", "-a", "a b", "A_B", "x" * 64),
    *("/a", "/a", "/a/../b", "../a", "a:b", "10.0.0.1", "::1", "10.0.0.0/8", "1", "-1"),
    *("example.com", "example.com/a", "kubernetes.io/hostname", "net.core.somaxconn"),
    *("Always", "Never", "OnFailure", "IfNotPresent", "TCP", "UDP", "HTTP", "HTTPS"),
    *("Exists", "DoesNotExist", "Equal", "In", "NotIn", "Gt", "Lt", "Default", "None"),
    *("NoExecute", "NoSchedule", "PreferNoSchedule", "DoNotSchedule", "ScheduleAnyway"),
    *("Memory", "File", "Directory", "DirectoryOrCreate", "Socket", "BlockDevice"),
    *("RuntimeDefault", "Localhost", "Unconfined", "HostToContainer", "Bidirectional"),
    *(
        "metadata.name",
        "metadata.labels",
        "spec.nodeName",
        "status.podIP",
        "limits.cpu",
    ),
    *(
        "cpu",
        "memory",
        "linux",
        "windows",
        "Disabled",
        "Honor",
        "Ignore",
        "SIGTERM",
        "TLS",
    ),
    *(
        "iqn.2001-04.com.example:a",
        "eui.0123456789abcdef",
        "naa.1",
        "host:80",
        "[::1]:1",
    ),
    *(
        "https://a",
        "/subscriptions/a",
        "Managed",
        "Dedicated",
        "ReadOnly",
        "A\\b",
        "\\",
    ),
)
_NUMBERS = (0, 1, 1, 2, 80, -1, 30, 100, 101, 511, 512, 65535, 65536, 2**31 - 1, 2**31)
_QUANTITIES = ("1", "100m", "0", "1Gi", "1.5", "-1", "2Mi", "0.1", "1e3", "1n")
_WRONG: tuple[Any, ...] = (None, "1", 1, 1.5, True, [], {}, ["a"], {"a": 1})
_KEYS = (
    "a",
    "example.com/a",
    "cpu",
    "memory",
    "hugepages-2Mi",
    "-a",
    "ephemeral-storage",
)
_DEPTH = 5
_ONE_WRONG_IN = 40
_CONTAINER = {"name": "c", "image": "nginx:1"}


def typed_manifests() -> Value:
    """
    Return CONTENTs of pods in which one field is filled by its type.
    """
    places = [
        *(("spec", field) for field in _fields("PodSpec")),
        *(("metadata", field) for field in _fields("ObjectMeta")),
        *(("status", field) for field in _fields("PodStatus")),
        *(("container", field) for field in _fields("Container")),
    ]
    return st.sampled_from(places).flatmap(_with)


def _fields(struct: str) -> list[str]:
    return sorted(table("pod_fields")[struct])


def _with(place: tuple[str, str]) -> Value:
    part, field = place
    struct = {"spec": "PodSpec", "metadata": "ObjectMeta", "status": "PodStatus"}
    value = _field(struct.get(part, "Container"), field, _DEPTH)
    return value.map(lambda made: {"pod": {"raw": _pod(part, {field: made})}})


def _pod(part: str, field: dict[str, Any]) -> dict[str, Any]:
    container = _CONTAINER | (field if part == "container" else {})
    pod: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web"},
        "spec": {"containers": [container]},
    }
    if part != "container":
        pod[part] = pod.get(part, {}) | field
    return pod


def _field(struct: str, field: str, depth: int) -> Value:
    kinds: Mapping[str, str | None] = table("pod_fields")[struct][field]
    known = [kind for kind in kinds.values() if kind]
    right = st.deferred(lambda: _value(known[-1].strip("*!"), depth))
    wrong = st.sampled_from(_WRONG)
    return st.integers(0, _ONE_WRONG_IN).flatmap(lambda n: right if n else wrong)


def _value(kind: str, depth: int) -> Value:
    if kind.startswith("[]"):
        return st.lists(_value(kind[2:], depth - 1), min_size=1, max_size=2)
    if kind.startswith("map["):
        inner = _value(kind[4:].rstrip("]"), depth - 1)
        return st.dictionaries(st.sampled_from(_KEYS), inner, min_size=1, max_size=2)
    if kind in table("pod_fields"):
        return _struct(kind, depth)
    return _SCALARS.get(kind, _SCALARS["string"])


def _struct(kind: str, depth: int) -> Value:
    fields: Mapping[str, Mapping[str, str | None]] = table("pod_fields")[kind]
    needed = [
        name
        for name, kinds in fields.items()
        if any(str(each).endswith("!") for each in kinds.values())
    ]
    if depth <= 0:
        return st.just({})
    some = st.lists(st.sampled_from(_fields(kind)), max_size=2, unique=True)
    return some.flatmap(
        lambda names: st.fixed_dictionaries(
            {name: _field(kind, name, depth - 1) for name in {*needed, *names}}
        )
    )


_SCALARS: Mapping[str, Value] = {
    "string": st.sampled_from(_TEXTS),
    "bool": st.booleans(),
    "int32": st.sampled_from(_NUMBERS),
    "int64": st.sampled_from(_NUMBERS),
    "IntOrString": st.sampled_from((*_NUMBERS, *_TEXTS[:10], "http", "50%")),
    "Quantity": st.sampled_from(_QUANTITIES),
    "Time": st.sampled_from(
        ["2024-01-01T00:00:00Z", "2024-01-01T01:00:00.5+01:00", "2024-01-01", ""]
    ),
}
