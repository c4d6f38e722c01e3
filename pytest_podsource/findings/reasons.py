"""
What a refusal is about: the lines and fields of its reasons.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pytest_podsource.contract import Refused
from pytest_podsource.core.manifest import InvalidPod

_LINE = re.compile(r"line (\d+)(?:, column \d+)?: ")
_COLUMN_OF_JSON = re.compile(r"line (\d+) column \d+")
_FIELD = re.compile(
    r"((?:metadata|spec|status|items)(?:[.\[][^:\s]*(?:\[[^\]]*\])*)?|kind|apiVersion): "
)
_NO_NAME = "a name is needed"
_WORDS = {
    "'kind' is missing": "kind",
    "'apiVersion' is missing": "apiVersion",
    "this is a ": "kind",
    _NO_NAME: "metadata.name",
}
# The keys of a manifest that refer to a kind of object, the likeliest first.
_REFERENCES = {
    "serviceaccounts": ("serviceAccountName", "serviceAccount", "serviceAccountToken"),
    "secrets": (
        *("imagePullSecrets", "secretKeyRef", "secretRef", "secret", "azureFile"),
        "nodePublishSecretRef",
    ),
    "configmaps": ("configMapKeyRef", "configMapRef", "configMap"),
    "resourceclaims": ("resourceClaims",),
    "csidrivers": ("csi",),
    "endpoints": ("glusterfs",),
    "persistentvolumeclaims": ("persistentVolumeClaim", "ephemeral"),
    "clustertrustbundles": ("clusterTrustBundle",),
    "podcertificates": ("podCertificate",),
    "ClusterTrustBundle": ("clusterTrustBundle",),
    "ResourceClaims": ("resourceClaims",),
}
_REFERENCE = re.compile(r"static pods may not (?:reference|use) (\w+)")


@dataclass(frozen=True, slots=True)
class Reason:
    """
    One reason of a refusal.

    Attributes:
        text: What is wrong, without the field.
        field: The field's path, if it is about one.
        line: The line, where the text itself is at fault.
    """

    text: str
    field: str = ""
    line: int = 0


def reasons_of(refused: Refused, value: Any = None) -> Iterator[Reason]:
    """
    Yield the reasons of *refused*.

    Args:
        refused: The core's refusal.
        value: What the manifest holds; a reference is looked for in it.
    """
    if isinstance(refused, InvalidPod):
        yield from (_of_field(each) for each in refused.faults)
        return
    yield _reason(refused.reason, value)


def _reason(text: str, value: Any) -> Reason:
    reference = _REFERENCE.match(text)
    if reference:
        return Reason(text, field_of_reference(value, reference[1]))
    line = _LINE.match(text)
    if line:
        return Reason(text[line.end() :], line=int(line[1]))
    at = _COLUMN_OF_JSON.search(text)
    if at:
        return Reason(text, line=int(at[1]))
    for words, field in _WORDS.items():
        if words in text:
            return Reason(text.removeprefix("invalid pod: "), field)
    return _of_field(text)


def _of_field(text: str) -> Reason:
    found = _FIELD.match(text)
    return Reason(text[found.end() :], found[1]) if found else Reason(text)


def field_of_reference(value: Any, resource: str) -> str:
    """
    Return where *value*, a manifest, refers to a *resource* such as ``secrets``.
    """
    names = _REFERENCES.get(resource, ())
    spec = value.get("spec") if isinstance(value, dict) else None
    places = dict(_named(spec, "spec", frozenset(names)))
    return next((places[name] for name in names if name in places), "spec")


def _named(value: Any, path: str, names: frozenset[str]) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            place = f"{path}.{name}"
            if name in names and inner:
                yield name, place
            yield from _named(inner, place, names)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _named(inner, f"{path}[{index}]", names)
