"""
The pods and nodes of a fake apiserver, changed in one line each.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import datetime, timedelta, timezone
from typing import Any

from pytest_podsource.apiserver.kinds import NODES, PODS, Kind, Object
from pytest_podsource.apiserver.store import Store, Stored, copied
from pytest_podsource.doubles.manifests import manifest
from pytest_podsource.exceptions import UsageError


class Things:
    """
    The objects of one kind.

    Args:
        kind: Which.
        store: Where they are.
        changing: What to hold while they are changed; watches are told at its end.
    """

    def __init__(
        self,
        kind: Kind,
        store: Store,
        changing: Callable[[], AbstractContextManager[object]],
    ) -> None:
        self._kind = kind
        self._store = store
        self._changing = changing

    def get(self, name: str, *, namespace: str = "default") -> Object:
        """
        Return the object as it is, with its resource version.

        Raises:
            UsageError: It isn't there.
        """
        with self._changing():
            return copied(self._there(namespace, name).whole(self._kind))

    def change(
        self, name: str, changes: Mapping[str, Any], *, namespace: str = "default"
    ) -> Object:
        """
        Merge *changes* into the object; None removes a field, a list is replaced.

        As with a real apiserver, what changes nothing is told to nobody.

        Raises:
            UsageError: It isn't there.
        """
        with self._changing():
            old = self._there(namespace, name)
            new = _merged(old.object, changes)
            return self._whole(old if new == old.object else self._put(new))

    def mark_for_deletion(
        self, name: str, *, namespace: str = "default", grace_s: int = 30
    ) -> Object:
        """
        Set the deletion timestamp, as a delete with a grace period does.

        Raises:
            UsageError: It isn't there.
        """
        when = datetime.now(timezone.utc) + timedelta(seconds=grace_s)
        metadata = {
            "deletionTimestamp": _time(when),
            "deletionGracePeriodSeconds": grace_s,
        }
        return self.change(name, {"metadata": metadata}, namespace=namespace)

    def remove(self, name: str, *, namespace: str = "default") -> None:
        """
        Remove it.

        Raises:
            UsageError: It isn't there.
        """
        with self._changing():
            self._there(namespace, name)
            self._store.remove(self._kind, self._kind.key_of(namespace, name))

    def _add(self, thing: Object) -> Object:
        metadata = thing["metadata"]
        with self._changing():
            key = self._kind.key(thing)
            if self._store.get(self._kind, key) is not None:
                raise UsageError(
                    f"{self._kind.resource}.add: {key!r} is there already. "
                    "Use change(), or remove() it first."
                )
            seed = f"{self._kind.resource}/{key}/{self._store.revision + 1}"
            metadata.setdefault("uid", str(uuid.uuid5(uuid.NAMESPACE_URL, seed)))
            created = _time(datetime.now(timezone.utc))
            metadata.setdefault("creationTimestamp", created)
            return self._whole(self._put(thing))

    def _there(self, namespace: str, name: str) -> Stored:
        key = self._kind.key_of(namespace, name)
        stored = self._store.get(self._kind, key)
        if stored is None:
            there = ", ".join(sorted(self._store.now(self._kind))) or "none"
            raise UsageError(
                f"{self._kind.resource}: {key!r} is not there. There: {there}."
            )
        return stored

    def _put(self, thing: Mapping[str, Any]) -> Stored:
        try:
            return self._store.put(self._kind, thing)
        except (TypeError, ValueError) as error:
            raise UsageError(
                f"{self._kind.resource}: an object can't be written as JSON: {error}. "
                "Give mappings, lists, texts, numbers, booleans and None."
            ) from None

    def _whole(self, stored: Stored) -> Object:
        return copied(stored.whole(self._kind))


class Pods(Things):
    """
    The pods.
    """

    def __init__(
        self, store: Store, changing: Callable[[], AbstractContextManager[object]]
    ) -> None:
        super().__init__(PODS, store, changing)

    def add(
        self,
        pod: str | Mapping[str, Any],
        *,
        namespace: str | None = None,
        node: str | None = None,
        labels: Mapping[str, str] | None = None,
        image: str = "nginx:1",
    ) -> Object:
        """
        Add a pod; what a server fills in is filled in.

        Args:
            pod: It, or the name of a minimal one.
            namespace: Its namespace; else the pod's own, else ``default``.
            node: The node that it is bound to.
            labels: Its labels.
            image: The image of a minimal one.

        Raises:
            UsageError: It is there already, or has no name.
        """
        thing = _named("pods.add", pod)
        if isinstance(pod, str):
            thing["spec"] = manifest(pod, image=image)["spec"]
        metadata = thing["metadata"]
        metadata["namespace"] = namespace or metadata.get("namespace") or "default"
        if labels is not None:
            metadata["labels"] = dict(labels)
        if node is not None:
            thing["spec"] = {**(thing.get("spec") or {}), "nodeName": node}
        thing["status"] = {"phase": "Pending", **(thing.get("status") or {})}
        return self._add(thing)


class Nodes(Things):
    """
    The nodes.
    """

    def __init__(
        self, store: Store, changing: Callable[[], AbstractContextManager[object]]
    ) -> None:
        super().__init__(NODES, store, changing)

    def add(
        self, node: str | Mapping[str, Any], *, labels: Mapping[str, str] | None = None
    ) -> Object:
        """
        Add a node.

        Args:
            node: It, or its name.
            labels: Its labels.

        Raises:
            UsageError: It is there already, or has no name.
        """
        thing = _named("nodes.add", node)
        thing["metadata"].pop("namespace", None)
        if labels is not None:
            thing["metadata"]["labels"] = dict(labels)
        return self._add(thing)


def _named(where: str, given: str | Mapping[str, Any]) -> Object:
    thing = {"metadata": {"name": given}} if isinstance(given, str) else dict(given)
    thing["metadata"] = dict(thing.get("metadata") or {})
    if not thing["metadata"].get("name"):
        raise UsageError(
            f"{where}: {given!r} has no name. Give metadata.name, or a name alone."
        )
    return thing


def _merged(thing: Any, changes: Any) -> Any:
    """Return *thing* with a JSON merge patch applied (RFC 7396)."""
    if not isinstance(changes, Mapping):
        return changes
    merged = dict(thing) if isinstance(thing, Mapping) else {}
    for name, value in changes.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = _merged(merged.get(name), value)
    return merged


def _time(when: datetime) -> str:
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")
