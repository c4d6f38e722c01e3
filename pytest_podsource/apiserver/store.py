"""
Objects by kind and key, and the changes that led to them.

Rule 1: each change has the next revision; it is the object's resource version.
Rule 2: an object that was stored is never changed; a change stores another.
Rule 3: what was before the oldest change that is kept can't be told any more.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pytest_podsource.apiserver.kinds import KINDS, Kind, Object

WINDOW = 102_400  # as many events as a real apiserver keeps at most


class Stored:
    """
    An object as it was at one revision, never changed.

    Attributes:
        object: It; without kind and apiVersion, as in the items of a list.
        revision: When it came to be so.
    """

    def __init__(self, thing: Object, revision: int) -> None:
        self.object = thing
        self.revision = revision

    @classmethod
    def of(cls, given: Mapping[str, Any], revision: int) -> Stored:
        """Take a copy of *given*, stamped with *revision*."""
        thing = copied(given)
        thing.pop("kind", None)
        thing.pop("apiVersion", None)
        thing["metadata"] = {
            **(thing.get("metadata") or {}),
            "resourceVersion": str(revision),
        }
        return cls(thing, revision)

    def at(self, revision: int) -> Stored:
        """Return the same object with another resource version."""
        metadata = {**self.object["metadata"], "resourceVersion": str(revision)}
        return Stored({**self.object, "metadata": metadata}, revision)

    def whole(self, kind: Kind) -> Object:
        """Return it with kind and apiVersion, as outside of lists."""
        return {"kind": kind.kind, "apiVersion": "v1", **self.object}

    @cached_property
    def json(self) -> bytes:
        """It as JSON, for lists."""
        return encoded(self.object)

    def whole_json(self, kind: Kind) -> bytes:
        """Return ``whole`` as JSON."""
        return b'{"kind":"%s","apiVersion":"v1",%s' % (
            kind.kind.encode(),
            self.json[1:],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """
    A change of one object.

    Attributes:
        revision: Which it was.
        resource: Of which kind.
        key: Of which object.
        old: What was before; None if it came.
        new: What was then; None if it went.
    """

    revision: int
    resource: str
    key: str
    old: Stored | None
    new: Stored | None


class Store:
    """
    The objects of all kinds, with their history.

    Args:
        window: How many changes are kept.

    Attributes:
        revision: The last one.
    """

    def __init__(self, window: int = WINDOW) -> None:
        self.revision = 1
        self._window = window
        self._objects: dict[str, dict[str, Stored]] = {name: {} for name in KINDS}
        self._changes: list[Change] = []

    @property
    def compacted(self) -> int:
        """The oldest revision from which changes can be told."""
        return self.revision - len(self._changes)

    def get(self, kind: Kind, key: str) -> Stored | None:
        """Return the object, if there is one."""
        return self._objects[kind.resource].get(key)

    def put(self, kind: Kind, thing: Mapping[str, Any]) -> Stored:
        """Store *thing* in place of what had its key."""
        new = Stored.of(thing, self.revision + 1)
        key = kind.key(new.object)
        self._note(kind, key, new)
        self._objects[kind.resource][key] = new
        return new

    def remove(self, kind: Kind, key: str) -> Stored | None:
        """Remove an object; return what it was."""
        old = self.get(kind, key)
        if old is not None:
            self._note(kind, key, None)
            del self._objects[kind.resource][key]
        return old

    def compact(self) -> None:
        """Forget what has been, as an apiserver does after some minutes."""
        self._changes.clear()

    def now(self, kind: Kind) -> Mapping[str, Stored]:
        """Return the objects as they are."""
        return self._objects[kind.resource]

    def at(self, kind: Kind, revision: int) -> Mapping[str, Stored]:
        """Return the objects as they were; *revision* is no older than ``compacted``."""
        objects = dict(self._objects[kind.resource])
        for change in reversed(self.since(revision)):
            if change.resource == kind.resource:
                objects.pop(change.key, None)
                if change.old is not None:
                    objects[change.key] = change.old
        return objects

    def since(self, revision: int) -> Sequence[Change]:
        """Return what came after *revision*, which is no older than ``compacted``."""
        return self._changes[max(0, revision - self.compacted) :]

    def _note(self, kind: Kind, key: str, new: Stored | None) -> None:
        self.revision += 1
        self._changes.append(
            Change(
                revision=self.revision,
                resource=kind.resource,
                key=key,
                old=self.get(kind, key),
                new=new,
            )
        )
        if len(self._changes) > self._window:
            del self._changes[: len(self._changes) - self._window]


def copied(thing: Mapping[str, Any]) -> Object:
    """
    Return a copy that shares nothing with *thing*.

    Raises:
        TypeError: It can't be written as JSON.
        ValueError: Likewise.
    """
    copy: Object = json.loads(json.dumps(thing))
    return copy


def encoded(thing: Any) -> bytes:
    """Return *thing* as the JSON that goes over the wire."""
    return json.dumps(thing, separators=(",", ":"), ensure_ascii=False).encode()


def in_order(objects: Mapping[str, Stored]) -> Iterator[tuple[str, Stored]]:
    """Give keys and objects in the order of an apiserver: by key."""
    yield from sorted(objects.items())
