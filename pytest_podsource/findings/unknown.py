"""
Fields of a manifest that a kubelet doesn't know, and what was probably meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from pytest_podsource.core.manifest.fields import structs_of
from pytest_podsource.core.versions import Kubelet
from pytest_podsource.known import KUBELETS

_CLOSE = 0.75
_HEAD = frozenset({"kind", "apiversion"})
# Where the structs stand whose fields are put into the wrong place most often.
_PLACES = {
    "ObjectMeta": "metadata",
    "PodSpec": "spec",
    "Container": "spec.containers[]",
    "SecurityContext": "spec.containers[].securityContext",
    "PodSecurityContext": "spec.securityContext",
    "Probe": "spec.containers[].livenessProbe",
    "ResourceRequirements": "spec.containers[].resources",
}


@dataclass(frozen=True, slots=True)
class Unknown:
    """
    A field that vanishes.

    Attributes:
        field: Its path.
        hint: What was probably meant; empty if nobody can guess.
    """

    field: str
    hint: str


def unknown_fields(value: Any, type_: str, kubelet: Kubelet) -> Iterator[Unknown]:
    """
    Yield the fields of *value* that the struct *type_*, such as ``Pod``, lacks.
    """
    yield from _Walk(kubelet).struct(value, type_, "")


class _Walk:
    def __init__(self, kubelet: Kubelet) -> None:
        self._minor = kubelet.minor
        self._structs = structs_of(kubelet.minor)
        self._any_case = kubelet.fields_in_any_case

    def struct(self, value: Any, type_: str, path: str) -> Iterator[Unknown]:
        """Yield what a struct lacks, at any depth."""
        if not isinstance(value, dict):
            return
        fields = self._structs[type_]
        for name, inner in value.items():
            kind = fields.get(name) or self._in_any_case(name, fields)
            place = f"{path}.{name}" if path else name
            if kind:
                yield from self._value(inner, kind.strip("*!"), place)
            elif not (name.lower() in _HEAD and type_ in ("Pod", "PodList")):
                yield Unknown(place, self._meant(name, type_))

    def _in_any_case(self, name: str, fields: Mapping[str, str]) -> str:
        if not self._any_case:
            return ""
        return {each.lower(): kind for each, kind in fields.items()}.get(
            name.lower(), ""
        )

    def _value(self, value: Any, kind: str, path: str) -> Iterator[Unknown]:
        if kind in self._structs:
            yield from self.struct(value, kind, path)
        elif kind.startswith("[]") and isinstance(value, list):
            inner = kind[2:].strip("*!")
            if inner in self._structs:
                for index, each in enumerate(value):
                    yield from self.struct(each, inner, f"{path}[{index}]")

    def _meant(self, name: str, type_: str) -> str:
        fields = self._structs[type_]
        lower = {each.lower(): each for each in fields}
        near = get_close_matches(name.lower(), lower, n=1, cutoff=_CLOSE)
        later = self._known_since(name, type_)
        if name.lower() in lower:
            return f"Names count letter by letter: {lower[name.lower()]!r} was meant."
        if later:
            return f"Kubelets from {later} on know it."
        place = next((p for s, p in _PLACES.items() if name in self._structs[s]), None)
        if place and not near:
            return f"It belongs to {place}."
        return f"{lower[near[0]]!r} was probably meant." if near else ""

    def _known_since(self, name: str, type_: str) -> str:
        newer = KUBELETS[KUBELETS.index(self._minor) + 1 :]
        return next(
            (each for each in newer if name in structs_of(each).get(type_, {})), ""
        )
