"""
What counts as equal when two implementations live through the same scenario.

Rule 1: a generated UID, the hash annotation that repeats it and ``config.seen`` are
opaque: only sameness counts, over the whole scenario, one to one. Rule 2: null, ``""``,
``[]`` and an empty map or struct are absent, where Go prints zeros, and in the status, whatever is zero,
but not the texts of labels and annotations. Rule 3: equal sets that follow each other at one
instant are one. Rule 4: what comes at one instant is in order in one step of PodConfig
and a set everywhere else; pods in a set of files and in a REMOVE have no order. Rule 5:
of a refusal only ``parsed`` counts, of an event type, reason and pod; logs don't count.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby, permutations
from typing import Any

from pytest_podsource.contract import Pod
from pytest_podsource.data import table
from pytest_podsource.world.base import Seen

_UID = re.compile(r"[0-9a-f]{32}\Z")
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})\Z")
_HASH = "kubernetes.io/config.hash"
_SEEN = "kubernetes.io/config.seen"
_HOLLOW = frozenset(
    {
        "annotations",
        "labels",
        "limits",
        "matchLabels",
        "metadata",
        "nodeSelector",
        "overhead",
        "requests",
        "resources",
        "spec",
        "status",
        "volumeAttributes",
    }
)
_TEXTS_BY_KEY = frozenset({"annotations", "labels", "matchLabels", "nodeSelector"})
_TRIED_IN_ALL_ORDERS = 6
SAMENESS = "same as before on one side only"


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """
    What one step of a scenario led to.

    Attributes:
        step: The step, as in the case.
        updates: The sets or operations that came, in order.
        events: The Kubernetes events that came.
        outcome: ``{"returned": value}``, ``{"raised": ...}`` or ``{"blocked": bool}``;
            empty where the step has none.
    """

    step: Mapping[str, Any]
    updates: Sequence[Seen] = ()
    events: Sequence[Seen] = ()
    outcome: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Opaque:
    """
    A text of which only sameness counts.
    """

    text: str


class Names:
    """
    Which opaque text of one side is which of the other.
    """

    def __init__(self, pairs: Mapping[str, str] | None = None) -> None:
        self._there = dict(pairs or {})
        self._back = {theirs: ours for ours, theirs in self._there.items()}

    def copy(self) -> Names:
        """Return names that may be given up."""
        return Names(self._there)

    def pair(self, ours: str, theirs: str) -> bool:
        """Return whether the two may be the same, and keep that they are."""
        if ours not in self._there and theirs not in self._back:
            self._there[ours], self._back[theirs] = theirs, ours
        return self._there.get(ours) == theirs and self._back.get(theirs) == ours

    def take(self, names: Names) -> None:
        """Keep what *names* has found out."""
        self._there, self._back = names._there, names._back


@dataclass(frozen=True, slots=True)
class Parting:
    """
    Where two implementations part: the step, and how.
    """

    step: int
    how: str


def compare_traces(
    ours: Sequence[Happened], theirs: Sequence[Happened], *, ordered: bool
) -> Parting | None:
    """
    Return where two traces of one scenario part, ``None`` if they are equal.

    Args:
        ours: What one implementation did, step by step.
        theirs: What the other did.
        ordered: What comes at one instant is in order.
    """
    names = Names()
    for index, (one, other) in enumerate(zip(ours, theirs, strict=False)):
        how = _step_difference(one, other, names, ordered=ordered)
        if how is not None:
            return Parting(index, how)
    if len(ours) != len(theirs):
        return Parting(min(len(ours), len(theirs)), "only one of them went on")
    return None


def _step_difference(
    ours: Happened, theirs: Happened, names: Names, *, ordered: bool
) -> str | None:
    return (
        difference(bare(ours.outcome), bare(theirs.outcome), names)
        or _streams_differ(
            _updates(ours.updates), _updates(theirs.updates), names, ordered=ordered
        )
        or _streams_differ(
            _events(ours.events), _events(theirs.events), names, ordered=False
        )
    )


def _updates(seen: Sequence[Seen]) -> list[tuple[int, Any]]:
    return [
        (
            each.at_ns,
            {
                "op": each.value.op,
                "source": each.value.source,
                "pods": _pods(each.value.op, each.value.pods),
            },
        )
        for each in seen
    ]


def _pods(op: str, pods: Sequence[Pod]) -> list[Any]:
    marked = [bare(mark(pod)) for pod in pods]
    return sorted(marked, key=_text) if op in ("SET", "REMOVE") else marked


def _events(seen: Sequence[Seen]) -> list[tuple[int, Any]]:
    return [
        (each.at_ns, {"type": event["type"], "reason": event["reason"], **_who(event)})
        for each in seen
        for event in [each.value]
    ]


def _who(event: Mapping[str, Any]) -> dict[str, Any]:
    metadata = mark(event["pod"]).get("metadata", {})
    return {key: metadata.get(key) for key in ("name", "namespace", "uid")}


def mark(pod: Pod) -> Pod:
    """
    Return *pod* with what is opaque marked as such.
    """
    metadata = dict(pod.get("metadata") or {})
    if _UID.match(str(metadata.get("uid", ""))):
        metadata["uid"] = Opaque(metadata["uid"])
    annotations = dict(metadata.get("annotations") or {})
    for key, form in ((_HASH, _UID), (_SEEN, _TIME)):
        if form.match(str(annotations.get(key, ""))):
            annotations[key] = Opaque(annotations[key])
    return {**pod, "metadata": {**metadata, "annotations": annotations}}


def bare(value: Any, *, in_status: bool = False) -> Any:
    """
    Return *value* without what is absent in Go's eyes; texts of maps stay.
    """
    if isinstance(value, Mapping):
        kept = {
            key: each
            if key in _TEXTS_BY_KEY
            else bare(each, in_status=in_status or key == "status")
            for key, each in value.items()
        }
        return {
            key: each
            for key, each in kept.items()
            if not _is_absent(key, each, in_status=in_status)
        }
    if isinstance(value, (list, tuple)):
        return [bare(each, in_status=in_status) for each in value]
    return value


def _is_absent(key: str, value: Any, *, in_status: bool) -> bool:
    if in_status or key in _plain_fields():
        return not value
    return value is None or value in ("", []) or (value == {} and key in _HOLLOW)


@cache
def _plain_fields() -> frozenset[str]:
    """
    Return the fields that Go prints even if they are zero: zero is as good as absent.
    """
    return frozenset(
        name
        for struct in table("pod_fields").values()
        for name, kinds in struct.items()
        if any(str(kind).endswith("!") for kind in kinds.values())
    )


def _streams_differ(
    ours: list[tuple[int, Any]],
    theirs: list[tuple[int, Any]],
    names: Names,
    *,
    ordered: bool,
) -> str | None:
    one, other = list(_instants(ours)), list(_instants(theirs))
    for (ours_at, ours_came), (theirs_at, theirs_came) in zip(one, other, strict=False):
        if ours_at != theirs_at:
            return f"came at {ours_at} ns against {theirs_at} ns"
        how = _came_differ(ours_came, theirs_came, names, ordered=ordered)
        if how is not None:
            return f"at {ours_at} ns: {how}"
    longer = one[len(other) :] or other[len(one) :]
    if longer:
        who = "ours" if len(one) > len(other) else "theirs"
        return f"only {who} has {_text(longer[0][1])} at {longer[0][0]} ns"
    return None


def _instants(stream: list[tuple[int, Any]]) -> Iterator[tuple[int, list[Any]]]:
    for at_ns, group in groupby(stream, key=lambda each: each[0]):
        came = [each for _, each in group]
        yield (
            at_ns,
            [
                each
                for place, each in enumerate(came)
                if not (place and each == came[place - 1] and each.get("op") == "SET")
            ],
        )


def _came_differ(
    ours: list[Any], theirs: list[Any], names: Names, *, ordered: bool
) -> str | None:
    if not ordered:
        ours, theirs = _distinct(ours), _distinct(theirs)
    if len(ours) != len(theirs):
        return f"{_text(ours)} against {_text(theirs)}"
    first: str | None = None
    for order in _orders(theirs, ordered=ordered):
        tried = names.copy()
        how = difference(ours, list(order), tried)
        if how is None:
            names.take(tried)
            return None
        first = first or how
    return first


def _orders(came: list[Any], *, ordered: bool) -> Iterator[Sequence[Any]]:
    if ordered or len(came) > _TRIED_IN_ALL_ORDERS:
        return iter([came])
    return permutations(came)


def _distinct(came: list[Any]) -> list[Any]:
    kept: list[Any] = []
    for each in came:
        if each not in kept:
            kept.append(each)
    return sorted(kept, key=_text)


def difference(ours: Any, theirs: Any, names: Names, path: str = "") -> str | None:
    """
    Return the first place where two values differ, ``None`` if they are equal.

    Args:
        ours: One value, with opaque texts marked.
        theirs: The other.
        names: Which opaque texts are the same so far; new pairs are added.
        path: Where the two stand, for the result.
    """
    if isinstance(ours, Opaque) and isinstance(theirs, Opaque):
        same = names.pair(ours.text, theirs.text)
        return None if same else f"{path}: {SAMENESS}"
    pairs = _pairs(ours, theirs)
    if pairs is not None:
        found = (
            difference(one, other, names, path + step) for step, one, other in pairs
        )
        return next((how for how in found if how is not None), None)
    if ours == theirs and isinstance(ours, bool) == isinstance(theirs, bool):
        return None
    return f"{path or 'it'}: {_text(ours)} against {_text(theirs)}"


def _pairs(ours: Any, theirs: Any) -> list[tuple[str, Any, Any]] | None:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        keys = sorted(ours.keys() | theirs.keys())
        return [(f".{key}", ours.get(key), theirs.get(key)) for key in keys]
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        both = zip(ours, theirs, strict=True)
        return [(f"[{place}]", *pair) for place, pair in enumerate(both)]
    return None


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=lambda opaque: "(opaque)")
