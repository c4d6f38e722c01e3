"""
Scenarios for differential testing: case documents, made by Hypothesis.

Rule 1: a scenario is the body of a case file, ``given`` and ``steps``, so that what is
found can be written out as one. Rule 2: few names, few values, many collisions: what
matters is which pods are the same and what happens twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from hypothesis import strategies as st

from pytest_podsource.core.versions import Kubelet
from pytest_podsource.differential.manifests import manifests

Document: TypeAlias = dict[str, Any]
Scenarios: TypeAlias = st.SearchStrategy[Document]
Steps: TypeAlias = st.SearchStrategy[dict[str, Any]]

_LOCAL = "kubernetes.io/config."
_FILES = ("a", "b.yaml", ".dot")
_PODS = ("one", "two")
_WHOLE = {
    "terminationMessagePath": "/dev/termination-log",
    "terminationGracePeriodSeconds": 30,
}
_NEWER = frozenset({"finalizers", "tolerations"})
_IDENTITY = ("name", "uid")
_ADVANCES = ("1ns", "1s", "7s", "20s", "40s")
_PLACES = ("exists", "exists", "exists", "missing", "symlink")
_CHANGES = 10


def scenarios(component: str, kubelet: Kubelet) -> Scenarios:
    """
    Return the scenarios of *component* for *kubelet*.

    Raises:
        ValueError: No scenarios are made for that component.
    """
    makers = {
        "podconfig": podconfig_scenarios,
        "manifest": manifest_scenarios,
        "file": file_scenarios,
    }
    if component not in makers:
        raise ValueError(
            f"{component!r} has no generated scenarios. "
            f"Components with some: {', '.join(sorted(makers))}."
        )
    return makers[component](kubelet)


def podconfig_scenarios(kubelet: Kubelet) -> Scenarios:
    """
    Return scenarios of PodConfig: sets of up to four pods from up to three sources.
    """
    sources = st.lists(
        st.sampled_from(["file", "http", "api"]), min_size=1, max_size=3, unique=True
    )
    return sources.flatmap(lambda names: _podconfig(names, kubelet))


def _podconfig(sources: list[str], kubelet: Kubelet) -> Scenarios:
    send = _send(sources, kubelet)
    ask = st.just({"call": {"seen_all_sources": sources}})
    modes = ["incremental"]
    if kubelet.notification_modes:
        modes += ["snapshot", "snapshot-and-updates"]
    given = st.fixed_dictionaries(
        {"sources": st.just(sources)},
        optional={"mode": st.sampled_from(modes)},
    )
    steps = st.lists(st.one_of(send, send, send, ask), min_size=1, max_size=8)
    return _documents(given, steps)


def _send(sources: list[str], kubelet: Kubelet) -> st.SearchStrategy[Any]:
    pods = st.lists(_objects(kubelet), max_size=4)
    sent = st.sampled_from(sources).flatmap(
        lambda source: pods.map(lambda listed: {source: listed})
    )
    if not kubelet.source_operations:
        return sent.map(lambda update: {"send": update})
    ops = ["SET", "SET", "SET", "ADD", "UPDATE", "REMOVE"]
    if kubelet.has_delete_and_reconcile:
        ops += ["DELETE", "RECONCILE"]
    return st.tuples(sent, st.sampled_from(ops)).map(
        lambda both: {"send": {**both[0], "op": both[1]}}
    )


def _objects(kubelet: Kubelet) -> st.SearchStrategy[dict[str, Any]]:
    """
    Pods as objects; those for 1.1 whole, since its types are defaulted when read.
    """
    fields = _fields()
    if not kubelet.pods_by_uid:
        fields = {name: each for name, each in fields.items() if name not in _NEWER}
        fields |= {name: st.just(value) for name, value in _WHOLE.items()}
    needed = {
        name: fields.pop(name) for name in (*_IDENTITY, *_WHOLE) if name in fields
    }
    return st.fixed_dictionaries(needed, optional=fields)


def _fields() -> dict[str, st.SearchStrategy[Any]]:
    return {
        "name": st.sampled_from(["a", "b", "c"]),
        "uid": st.sampled_from(["u1", "u2", "u3", "u4"]),
        "namespace": st.sampled_from(["default", "other"]),
        "image": st.sampled_from(["nginx:1", "nginx:2"]),
        "labels": st.sampled_from([{}, {"k": "1"}, {"k": "2"}, {"l": ""}]),
        "annotations": _annotations(),
        "deletionTimestamp": st.sampled_from(
            ["2024-01-01T00:00:00Z", "2024-01-01T00:00:01Z"]
        ),
        "deletionGracePeriodSeconds": st.sampled_from([0, 1, 30]),
        "phase": st.sampled_from(["Pending", "Running", "Failed"]),
        "conditions": st.sampled_from([[], [{"type": "Ready", "status": "True"}]]),
        "generation": st.sampled_from([1, 2]),
        "resourceVersion": st.sampled_from(["1", "2"]),
        "finalizers": st.sampled_from([[], ["a/b"]]),
        "tolerations": st.sampled_from([[], [{"operator": "Exists"}]]),
        "nodeSelector": st.sampled_from([{}, {"k": "v"}]),
        "hostNetwork": st.just(True),  # noqa: FBT003 - false is absent in Go
        "volumes": st.sampled_from([[], [{"name": "v", "emptyDir": {}}]]),
    }


def _annotations() -> st.SearchStrategy[dict[str, str]]:
    values = st.sampled_from(["1", "2"])
    keys = [f"{_LOCAL}{each}" for each in ("source", "seen", "mirror", "hash")]
    return st.dictionaries(st.sampled_from([*keys, "plain"]), values, max_size=3)


def manifest_scenarios(kubelet: Kubelet) -> Scenarios:
    """
    Return scenarios of one to three manifests that are variants of one pod.
    """
    steps = manifests().map(
        lambda contents: [{"call": {"decode_manifest": each}} for each in contents]
    )
    given = st.sampled_from([{"node_name": "node1", "path": "/m/a.yaml"}])
    return _documents(given, steps)


def file_scenarios(kubelet: Kubelet) -> Scenarios:
    """
    Return scenarios of a manifest directory or a single file, with its events.
    """
    directory, single = _file_scenario(_FILES), _file_scenario(("a",))
    return st.one_of(directory, directory, directory, single)


@st.composite
def _file_scenario(draw: st.DrawFn, names: tuple[str, ...]) -> Document:
    """A path with those names below it, or, with one name, a path that is a file."""
    listed = st.lists(st.sampled_from(names), min_size=1, unique=True)
    files = {name: draw(_contents()) for name in draw(listed)}
    place = "file" if len(names) == 1 else draw(st.sampled_from(_PLACES))
    given = {"dir": place, **draw(_file_settings())}
    if place != "missing":
        given["files"] = files
    disk = set() if place == "missing" else {".", *files}
    steps: list[dict[str, Any]] = [{"start": None}]
    held: list[dict[str, Any]] | None = None
    for _ in range(draw(st.integers(0, _CHANGES))):
        reader = st.just({"hold" if held is None else "release": None})
        step = draw(st.one_of(reader, *_file_step(names, disk, held)))
        steps.append(step)
        _keep(disk, step)
        if "hold" in step or "release" in step:
            held = [] if "hold" in step else None
        elif held is not None:
            held.append(step)
    return {"given": given, "steps": steps}


def _file_settings() -> st.SearchStrategy[dict[str, Any]]:
    failures = st.fixed_dictionaries(
        {"fails": st.sampled_from(["EMFILE", "ENOSPC"])},
        optional={"times": st.integers(1, 4)},
    )
    periods = st.sampled_from(["2s", "20s", "1h"])
    return st.one_of(
        st.just({}),
        st.just({}),
        st.fixed_dictionaries({}, optional={"period": periods, "watch": failures}),
    )


def _file_step(
    names: tuple[str, ...], disk: set[str], held: list[dict[str, Any]] | None
) -> list[Steps]:
    """
    Return the steps that make sense now.

    While nobody reads, either time goes on or files change: with both a listing and an
    event wait for the release, and the kubelet takes one of the two at random.
    """
    advance: Steps = st.sampled_from(_ADVANCES).map(lambda by: {"advance": by})
    if held and "advance" in held[0]:
        return [advance]
    changes = _changes(names, disk)
    return changes if held else [*[advance] * 3, *changes]


def _changes(names: tuple[str, ...], disk: set[str]) -> list[Steps]:
    if "." not in disk:
        return [st.just({"mkdir": "."})]
    name = st.sampled_from(names)
    content = st.tuples(name, _contents()).map(lambda both: dict([both]))
    told = st.sampled_from(["write", "remove", "create", "chmod"])
    steps: list[Steps] = [
        *[content.map(lambda made: {"place": made})] * 2,
        *[content.map(lambda made: {"write": made})] * 2,
        name.map(lambda which: {"touch": which}),
        st.tuples(name, told).map(
            lambda both: {"event": {"name": both[0], "ops": [both[1]]}}
        ),
        st.just({"fault": {"on": "watch", "error": "overflow"}}),
        st.sampled_from([{"remove": "."}, {"rename": [".", "../moved"]}]),
    ]
    there, free = sorted(disk - {"."}), sorted({*names} - disk)
    if free:
        steps.append(st.sampled_from(free).map(lambda which: {"mkdir": which}))
    if there:
        steps += _steps_on_files(name, there)
    if there and free:
        link = st.tuples(st.sampled_from(free), st.sampled_from(there))
        steps += [
            link.map(lambda both: {"symlink": dict([both])}),
            link.map(lambda both: {"hardlink": dict([both])}),
        ]
    return steps


def _steps_on_files(name: st.SearchStrategy[str], disk: list[str]) -> list[Steps]:
    existing = st.sampled_from(disk)
    pair = st.tuples(existing, name).filter(lambda both: both[0] != both[1])
    content = st.tuples(existing, _contents()).map(lambda both: dict([both]))
    return [
        content.map(lambda made: {"write": made}),
        content.map(lambda made: {"append": made}),
        existing.map(lambda which: {"touch": which}),
        existing.map(lambda which: {"chmod": {which: "0600"}}),
        *[existing.map(lambda which: {"remove": which})] * 2,
        *[pair.map(lambda both: {"rename": list(both)})] * 2,
    ]


def _keep(disk: set[str], step: Mapping[str, Any]) -> None:
    """Keep which names there are, as far as a step tells."""
    ((verb, argument),) = step.items()
    if verb in {"place", "write", "append", "symlink", "hardlink"}:
        disk |= argument.keys()
    elif verb in {"touch", "mkdir"}:
        disk.add(argument)
    elif step in ({"remove": "."}, {"rename": [".", "../moved"]}):
        disk.clear()
    elif verb == "remove":
        disk.discard(argument)
    elif verb == "rename":
        disk.discard(argument[0])
        disk.add(argument[1])


def _contents() -> st.SearchStrategy[dict[str, Any]]:
    pod = st.fixed_dictionaries(
        {"name": st.sampled_from(_PODS)},
        optional={
            "image": st.sampled_from(["nginx:1", "nginx:2"]),
            "namespace": st.sampled_from(["default", "other"]),
            "uid": st.just("explicit"),
        },
    )
    rubbish = st.sampled_from(["", "rubbish", "{", "kind: Pod\napiVersion: v1\n"])
    return st.one_of(
        pod.map(lambda made: {"pod": made}),
        pod.map(lambda made: {"pod": made}),
        rubbish.map(lambda text: {"text": text}),
        pod.map(lambda made: {"list": [made]}),
        pod.map(lambda made: {"pods": [made, {"name": "second"}]}),
    )


def _documents(
    given: st.SearchStrategy[Any], steps: st.SearchStrategy[Any]
) -> Scenarios:
    return st.fixed_dictionaries({"given": given, "steps": steps})


def without_noise(document: Mapping[str, Any]) -> Document:
    """
    Return *document* as it stands in a case file: no empty ``given``.
    """
    return {key: value for key, value in document.items() if value}
