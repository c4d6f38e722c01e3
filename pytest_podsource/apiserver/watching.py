"""
Watches: what has come since, for one who looks from time to time.

Rule 1: a watch keeps only its place in the history; it is asked for what came since.
Rule 2: an object that a change brings into the selection is ADDED, one that it takes out
is DELETED, with its old content and the revision of the change.
Rule 3: what is forgotten ends a watch with an ERROR event, 410.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pytest_podsource.apiserver.failures import Failure, failure, too_large
from pytest_podsource.apiserver.kinds import Kind, Object
from pytest_podsource.apiserver.listing import selection
from pytest_podsource.apiserver.options import Options
from pytest_podsource.apiserver.store import Change, Store, Stored, encoded, in_order

EventType: TypeAlias = Literal["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]

INITIAL_EVENTS_END = "k8s.io/initial-events-end"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """
    A line of a watch.

    Attributes:
        type: What happened.
        object: To what: with kind and apiVersion.
    """

    type: EventType
    object: Object

    def whole(self) -> Object:
        """Return it as an object of the API."""
        return {"type": self.type, "object": self.object}

    def json(self) -> bytes:
        """Return it as a line of JSON."""
        return encoded(self.whole()) + b"\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectEvent:
    """
    An ``Event`` about a stored object, whose JSON is made once for all watches.
    """

    type: EventType
    kind: Kind
    stored: Stored

    def whole(self) -> Object:
        """Return it as an object of the API."""
        return {"type": self.type, "object": self.stored.whole(self.kind)}

    def json(self) -> bytes:
        """Return it as a line of JSON."""
        whole = self.stored.whole_json(self.kind)
        return b'{"type":"%s","object":%s}\n' % (self.type.encode(), whole)


class Watch:
    """
    A watch under way.

    Attributes:
        kind: Of what.
        options: What was asked for.
        ended: Whether an error has ended it.
    """

    def __init__(self, store: Store, kind: Kind, options: Options) -> None:
        options.check_watch()
        self.kind = kind
        self.options = options
        self.ended = False
        self._store = store
        self._selects = selection(kind, options)
        self._initial = _wants_state(options)
        newest = not options.version and not self._initial
        self._seen = store.revision if newest else options.version

    def take(self) -> list[Event | ObjectEvent]:
        """Return what came since the last time."""
        if self.ended:
            return []
        if self._initial:
            self._initial = False
            return self._state()
        if self._seen < self._store.compacted:
            return [self._end(_too_old(self._seen, self._store.compacted))]
        changes = self._store.since(self._seen)
        self._seen = max(self._seen, self._store.revision)
        return [
            event
            for change in changes
            if change.resource == self.kind.resource
            for event in self._told(change)
        ]

    def bookmark(self) -> Event | None:
        """Return a bookmark of what was taken; None if the client wants none."""
        return self._bookmark(None) if self.options.bookmarks else None

    def _state(self) -> list[Event | ObjectEvent]:
        asked, newest = self.options.version, self._store.revision
        if asked > newest:
            return [self._end(too_large(asked, newest))]
        self._seen = newest
        events: list[Event | ObjectEvent] = [
            ObjectEvent(type="ADDED", kind=self.kind, stored=stored)
            for _, stored in in_order(self._store.now(self.kind))
            if self._selects(stored.object)
        ]
        if self.options.bookmarks:
            events.append(self._bookmark({INITIAL_EVENTS_END: "true"}))
        return events

    def _told(self, change: Change) -> Iterator[ObjectEvent]:
        old, new = change.old, change.new
        was = old is not None and self._selects(old.object)
        if new is not None and self._selects(new.object):
            type_: EventType = "MODIFIED" if was else "ADDED"
            yield ObjectEvent(type=type_, kind=self.kind, stored=new)
        elif old is not None and was:
            last = old.at(change.revision)
            yield ObjectEvent(type="DELETED", kind=self.kind, stored=last)

    def _bookmark(self, annotations: Object | None) -> Event:
        metadata: Object = {"resourceVersion": str(self._seen)}
        if annotations:
            metadata["annotations"] = annotations
        named = {"kind": self.kind.kind, "apiVersion": "v1", "metadata": metadata}
        thing = {**named, **self.kind.blank}
        return Event(type="BOOKMARK", object=thing)

    def _end(self, why: Failure) -> Event:
        self.ended = True
        return error_event(why)


def error_event(why: Failure) -> Event:
    """Return the event that tells a failure in the middle of a watch."""
    return Event(type="ERROR", object=why.status)


def _wants_state(options: Options) -> bool:
    if options.initial_events is None:
        return options.version == 0
    return options.initial_events


def _too_old(asked: int, oldest: int) -> Failure:
    return failure(410, f"too old resource version: {asked} ({oldest})")
