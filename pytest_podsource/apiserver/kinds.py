"""
The kinds that are served, with the fields by which each can be selected.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Object: TypeAlias = dict[str, Any]

VERBS = ("get", "list", "watch")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """
    A kind of objects.

    Attributes:
        resource: Its name in paths.
        kind: Its name in objects.
        short: Its short name on command lines.
        namespaced: Whether its objects live in namespaces.
        fields: By which fields it can be selected, each with its text where it is unset.
        blank: What a bookmark has beside its metadata.
        aliases: Old names of fields.
    """

    resource: str
    kind: str
    short: str
    namespaced: bool
    fields: Mapping[str, str]
    blank: Mapping[str, Any]
    aliases: Mapping[str, str] = field(default_factory=dict)

    def key(self, thing: Mapping[str, Any]) -> str:
        """Return what tells *thing* apart from others of its kind."""
        metadata = thing.get("metadata") or {}
        return self.key_of(metadata.get("namespace") or "", metadata.get("name") or "")

    def key_of(self, namespace: str, name: str) -> str:
        """Return the key of the object of that name."""
        return f"{namespace}/{name}" if self.namespaced else name


PODS = Kind(
    resource="pods",
    kind="Pod",
    short="po",
    namespaced=True,
    fields={
        "metadata.name": "",
        "metadata.namespace": "",
        "spec.nodeName": "",
        "spec.restartPolicy": "Always",
        "spec.schedulerName": "default-scheduler",
        "spec.serviceAccountName": "",
        "spec.hostNetwork": "false",
        "status.phase": "",
        "status.podIP": "",
        "status.podIPs": "",
        "status.nominatedNodeName": "",
    },
    blank={"spec": {"containers": None}, "status": {}},
    aliases={"spec.host": "spec.nodeName"},
)
NODES = Kind(
    resource="nodes",
    kind="Node",
    short="no",
    namespaced=False,
    fields={"metadata.name": "", "spec.unschedulable": "false"},
    blank={"spec": {}, "status": {}},
)
KINDS = {kind.resource: kind for kind in (PODS, NODES)}
