"""
What inotify tells of a change, in fsnotify's words.

Rule 1: a watch is on the inode that its path led to, not on the path. Rule 2: events
carry the watched path, in clean form, and the name within it. Rule 3: all events of one
change are told before anybody acts on them; equal neighbours are one, as the kernel
merges what nobody has read. Rule 4: a watch dies with its inode, in silence.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from pytest_podsource.contract import Cancel, WatchEvent
from pytest_podsource.world.clock import CaseClock, Lane

Inode: TypeAlias = tuple[int, int]
OnEvent: TypeAlias = Callable[[WatchEvent | OSError], None]

# fsnotify's newEvent, in backend_inotify.go.
OPS = {
    "create": "create",
    "moved_to": "create",
    "modify": "write",
    "delete": "remove",
    "delete_self": "remove",
    "moved_from": "rename",
    "move_self": "rename",
    "attrib": "chmod",
}

# What one event may set off at its instant, before it counts as spinning.
_WAKEUPS_AN_EVENT = 10


@dataclass(frozen=True, slots=True)
class Change:
    """
    One thing that the kernel tells of an inode.

    Attributes:
        inode: Device and number of the inode that a watch would be on.
        kind: One of :data:`OPS`, inotify's name of it.
        name: The name within a directory; empty if it is about the inode itself.
    """

    inode: Inode
    kind: str
    name: str = ""


@dataclass(slots=True, eq=False)
class _Watch:
    path: str
    inode: Inode
    is_dir: bool
    on_event: OnEvent
    lane: Lane
    last: Change | None = field(default=None)


class InotifyModel:
    """
    The watches of a case, and what they are told.

    Args:
        clock: Events are told at the instant of the change, by this clock.
        ends_with_move: fsnotify 1.7 and later drop a watch whose own path is moved.
            Earlier ones keep it, and say nothing of names that are gone by then.

    Kubelet: ``backend_inotify.go`` (1.9.0) and ``inotify.go`` (1.4.9) of fsnotify.
    """

    def __init__(self, clock: CaseClock, *, ends_with_move: bool) -> None:
        self._clock = clock
        self._ends_with_move = ends_with_move
        self._watches: list[_Watch] = []

    def add(self, path: str, on_event: OnEvent) -> Cancel:
        """
        Watch what *path* leads to.

        Raises:
            OSError: It leads nowhere.
        """
        clean = os.path.normpath(path)
        status = os.stat(clean)
        watch = _Watch(
            path=clean,
            inode=(status.st_dev, status.st_ino),
            is_dir=stat.S_ISDIR(status.st_mode),
            on_event=on_event,
            lane=Lane(self._clock),
        )
        self._watches.append(watch)
        return lambda: self._cancel(watch)

    def tell(self, changes: Iterable[Change]) -> None:
        """Tell all watches the changes of one verb."""
        for watch in self._watches:
            watch.last = None
        for change in changes:
            for watch in tuple(self._watches):
                if watch.inode == change.inode and watch.last != change:
                    watch.last = change
                    self._tell(watch, change)

    def tell_event(self, name: str, ops: Iterable[str]) -> None:
        """Tell an event that no change stands behind, on *name* in each directory."""
        for watch in self._watches:
            path = os.path.join(watch.path, name) if watch.is_dir else watch.path
            event = WatchEvent(path=os.path.normpath(path), ops=frozenset(ops))
            self._post(watch, event)

    def overflow(self) -> None:
        """End all watches, as when the kernel's queue is full."""
        for watch in self._watches:
            self._post(watch, OSError(errno.EOVERFLOW, "event queue overflow"))
        self._watches.clear()

    def _tell(self, watch: _Watch, change: Change) -> None:
        path = f"{watch.path}/{change.name}" if change.name else watch.path
        op = OPS[change.kind]
        gone = op not in ("remove", "rename") and not os.path.lexists(path)
        if self._ends_with_move or not gone:
            self._post(watch, WatchEvent(path=path, ops=frozenset({op})))
        moved = change.kind == "move_self" and self._ends_with_move
        if moved or change.kind == "delete_self":
            self._watches.remove(watch)

    def _post(self, watch: _Watch, event: WatchEvent | OSError) -> None:
        self._clock.allow(_WAKEUPS_AN_EVENT)
        watch.lane.post(lambda: watch.on_event(event))

    def _cancel(self, watch: _Watch) -> None:
        watch.lane.clear()
        if watch in self._watches:
            self._watches.remove(watch)
