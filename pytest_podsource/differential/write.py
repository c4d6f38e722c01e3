"""
Writes a difference out as a case that is ready to be put among the others.

The case expects what the second implementation did. A pod is told by its name, its UID
by sameness, and by those fields in which the two differ.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_podsource.contract import Pod
from pytest_podsource.differential.equality import (
    SAMENESS,
    Happened,
    Names,
    Opaque,
    bare,
    difference,
    mark,
)
from pytest_podsource.differential.search import Difference
from pytest_podsource.world.base import Seen

_PLAIN = re.compile(r"[A-Za-z$][A-Za-z0-9_./-]*\Z")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_FACTS = {"podconfig": "CONFIG-15", "manifest": "DECODE-09", "file": "FILE-04"}


def case_text(found: Difference) -> str:
    """
    Return *found* as a case file.
    """
    document, parting = found.document, found.parting
    steps = _Steps(found).written()
    given = document.get("given")
    return "\n".join(
        [
            f"title: {_flow(_title(found))}",
            "why: Two implementations part here; say which mistake this is.",
            f"# step {parting.step + 1}: {parting.how[:200]}",
            f"facts: [{_FACTS[found.component]}] # put in the fact that this shows",
            f'versions: "{found.kubelet}"',
            *([f"given: {_flow(given)}"] if given else []),
            "steps:",
            *(f"- {_flow(step)}" for step in steps),
            "",
        ]
    )


def _title(found: Difference) -> str:
    return f"found by differential testing with seed {found.seed}"


class _Steps:
    """
    The steps of a difference, with what the second implementation did.
    """

    def __init__(self, found: Difference) -> None:
        self._parting = found.parting.step
        self._sameness = found.parting.how.endswith(SAMENESS)
        self._ours = found.ours
        self._theirs = found.theirs
        self._names: dict[str, str] = {}

    def written(self) -> list[dict[str, Any]]:
        """Return the steps up to the one where the two part."""
        last = self._parting + 1
        return [
            {**happened.step, **self._expectations(index, happened)}
            for index, happened in enumerate(self._theirs[:last])
            if happened.outcome.get("raised") != "CaseError"
        ]

    def _expectations(self, index: int, theirs: Happened) -> dict[str, Any]:
        ours = self._ours[index] if index < len(self._ours) else Happened(step={})
        if "call" in theirs.step:
            return self._result(ours.outcome, theirs.outcome)
        if theirs.outcome.get("raised"):
            return {"raises": True}
        expected = [self._update(each, ours.updates) for each in theirs.updates]
        if "advance" in theirs.step:
            for entry, seen in zip(expected, theirs.updates, strict=True):
                entry["at"] = f"{seen.at_ns}ns"
        events = [_event(each) for each in theirs.events]
        return {"expect": expected} | (
            {"events": events} if events or ours.events else {}
        )

    def _result(
        self, ours: Mapping[str, Any], theirs: Mapping[str, Any]
    ) -> dict[str, Any]:
        if theirs.get("raised") == "Refused":
            return {"raises": {"parsed": theirs["parsed"]}}
        if "raised" in theirs:
            return {"raises": True}
        value = theirs["returned"]
        if not isinstance(value, Mapping) or "spec" not in value:
            return {"returns": value}
        other = ours.get("returned")
        known = [dict(other)] if isinstance(other, Mapping) else []
        return {"returns": [self._pod(dict(value), known)]}

    def _update(self, seen: Seen, ours: Sequence[Seen]) -> dict[str, Any]:
        update = seen.value
        known = [
            pod
            for each in ours
            if each.value.op == update.op
            for pod in each.value.pods
        ]
        pods: Any = [self._pod(pod, known) for pod in update.pods]
        if update.op in ("SET", "REMOVE") and len(pods) > 1:
            pods = {"any_order": pods}
        return {update.op: pods, "source": update.source}

    def _pod(self, pod: Pod, known: Sequence[Pod]) -> dict[str, Any]:
        marked = mark(pod)
        metadata = marked.get("metadata", {})
        written = {
            "name": metadata.get("name", ""),
            "uid": self._told(metadata.get("uid") or "$absent"),
        }
        if self._sameness:
            return written | {"annotations": self._opaque(metadata)}
        same = [each for each in known if _name(each) == _name(pod)]
        return written | self._differing(marked, mark(same[0]) if same else {})

    def _opaque(self, metadata: Mapping[str, Any]) -> dict[str, Any]:
        return {
            key: self._told(value)
            for key, value in (metadata.get("annotations") or {}).items()
            if isinstance(value, Opaque)
        }

    def _differing(self, pod: Pod, other: Pod) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for part in ("metadata", "spec", "status"):
            theirs, ours = bare(pod.get(part) or {}), bare(other.get(part) or {})
            for key in sorted((theirs.keys() | ours.keys()) - {"uid"}):
                value = theirs.get(key, "$absent")
                own = ours.get(key, "$absent")
                if other and difference({"": own}, {"": value}, Names()):
                    found.setdefault(part, {})[key] = self._told(value)
        return found

    def _told(self, value: Any) -> Any:
        if isinstance(value, Opaque):
            return self._names.setdefault(value.text, f"$n{len(self._names) + 1}")
        if isinstance(value, Mapping):
            return {key: self._told(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self._told(each) for each in value]
        return value


def _name(pod: Pod) -> tuple[Any, Any]:
    metadata = pod.get("metadata") or {}
    return metadata.get("namespace"), metadata.get("name")


def _event(seen: Seen) -> dict[str, Any]:
    event = seen.value
    return {
        "type": event["type"],
        "reason": event["reason"],
        "pod": _name(event["pod"])[1],
    }


def _flow(value: Any) -> str:
    if isinstance(value, Mapping):
        return (
            "{" + ", ".join(f"{_flow(k)}: {_item(v)}" for k, v in value.items()) + "}"
        )
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_flow(each) for each in value) + "]"
    plain = isinstance(value, str) and _PLAIN.match(value)
    if plain and value.lower() not in _WORDS:
        return str(value)
    return json.dumps(value)


def _item(value: Any) -> str:
    return "" if value is None else _flow(value)
