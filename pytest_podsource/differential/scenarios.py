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

_LOCAL = "kubernetes.io/config."
_FILES = ("a", "b.yaml", "c~", ".dot")
_PODS = ("one", "two")
_ADVANCES = ("1ns", "1s", "7s", "20s", "40s")


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
    pods = st.lists(_objects(), max_size=4)
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


def _objects() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "name": st.sampled_from(["a", "b", "c"]),
            "uid": st.sampled_from(["u1", "u2", "u3", "u4"]),
        },
        optional={
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
        },
    )


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
    files = st.dictionaries(st.sampled_from(_FILES), _contents(), max_size=3)
    directory = _documents(
        st.fixed_dictionaries(
            {},
            optional={"files": files, "dir": st.sampled_from(["exists", "missing"])},
        ),
        _file_steps(list(_FILES)),
    )
    single = _documents(
        st.fixed_dictionaries(
            {
                "dir": st.just("file"),
                "files": st.fixed_dictionaries({"a": _contents()}),
            }
        ),
        _file_steps(["a"]),
    )
    return st.one_of(directory, directory, directory, single)


def _file_steps(names: list[str]) -> st.SearchStrategy[list[dict[str, Any]]]:
    name = st.sampled_from(names)
    content = st.tuples(name, _contents()).map(lambda both: dict([both]))
    change = st.one_of(
        content.map(lambda made: {"place": made}),
        content.map(lambda made: {"write": made}),
        name.map(lambda which: {"remove": which}),
        name.map(lambda which: {"touch": which}),
        st.tuples(name, name).map(lambda both: {"rename": list(both)}),
        st.tuples(name, name).map(lambda both: {"symlink": {both[0]: both[1]}}),
        st.tuples(name, name).map(lambda both: {"hardlink": {both[0]: both[1]}}),
        name.map(lambda which: {"mkdir": which}),
        st.just({"fault": {"on": "watch", "error": "overflow"}}),
    )
    move = st.sampled_from(_ADVANCES).map(lambda by: {"advance": by})
    return st.lists(st.one_of(change, change, move), max_size=8).map(
        lambda steps: [{"start": None}, *steps]
    )


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
