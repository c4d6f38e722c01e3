"""
The kernel's inotify, in fsnotify's words.

Rule 1: a watch is on the inode that the path leads to. Rule 2: a full queue ends the
watch with an ``OSError``. Rule 3: a watch whose own path is moved or deleted tells that
and then nothing any more, as with the fsnotify of kubelets from 1.30 on.
"""

from __future__ import annotations

import errno
import functools
import operator
import os
import sys
from collections.abc import Callable

from pytest_podsource.contract import Cancel, WatchEvent
from pytest_podsource.shells.loop import Loop

# Not at the first watch: what happens between a listing and its watch is lost.
if sys.platform == "linux":
    from inotify_simple import INotify, flags

OnEvent = Callable[[WatchEvent | OSError], None]


class InotifyWatch:
    """
    One path, watched by an inotify instance of its own.

    Args:
        loop: Reads the instance.
        path: A directory or a file.
        on_event: Is told each event, and an ``OSError`` at the end.

    Raises:
        OSError: The path can't be watched.
    """

    def __init__(self, loop: Loop, path: str, on_event: OnEvent) -> None:
        if sys.platform != "linux":
            raise OSError(errno.ENOSYS, "watching needs inotify, which only Linux has")
        self._ops = {
            flags.CREATE: "create",
            flags.MOVED_TO: "create",
            flags.MODIFY: "write",
            flags.DELETE: "remove",
            flags.DELETE_SELF: "remove",
            flags.MOVED_FROM: "rename",
            flags.MOVE_SELF: "rename",
            flags.ATTRIB: "chmod",
        }
        self._path = os.path.normpath(path)
        self._on_event = on_event
        self._inotify = INotify(nonblocking=True)
        self._forget: Cancel = _nothing
        try:
            mask = functools.reduce(operator.or_, self._ops)
            self._descriptor = self._inotify.add_watch(self._path, mask)
        except OSError:
            self._inotify.close()
            raise
        self._forget = loop.on_readable(self._inotify, self._read)

    def close(self) -> None:
        """
        Tell nothing any more, and give the instance back.
        """
        self._forget()
        self._inotify.close()

    def _read(self) -> None:
        for event in self._inotify.read(timeout=0):
            if self._inotify.closed:
                return
            if event.mask & flags.Q_OVERFLOW:
                self.close()
                self._on_event(OSError(errno.EOVERFLOW, "event queue overflow"))
                return
            self._tell(event.mask, event.name)

    def _tell(self, mask: int, name: str) -> None:
        path = f"{self._path}/{name}" if name else self._path
        ops = frozenset(op for flag, op in self._ops.items() if mask & flag)
        if ops:
            self._on_event(WatchEvent(path=path, ops=ops))
        if mask & flags.MOVE_SELF and not self._inotify.closed:
            self._inotify.rm_watch(self._descriptor)


def _nothing() -> None:
    """Cancel nothing."""
