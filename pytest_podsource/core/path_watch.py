"""
The watch of the file source, and how it is set up again after it ends.

Rule 1: an attempt is made at once, and then a second after the last one ended. Rule 2:
a path that is missing isn't watched; that sends an empty set and never backs off. Rule
3: any other failure, also of a watch that ran, moves the backoff on: 1 s doubling to
20 s. Rule 4: names that begin with a dot are dropped here.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable

from pytest_podsource.contract import (
    SECOND_NS,
    Cancel,
    Environment,
    Pod,
    WatchEvent,
)
from pytest_podsource.core.backoff import Backoff
from pytest_podsource.core.disk import Disk

RETRY_NS = SECOND_NS
MAX_RETRY_NS = 20 * SECOND_NS
BACKOFF_ID = "watch"

Send = Callable[[tuple[Pod, ...], Callable[[], None]], None]


class PathWatch:
    """
    Keeps one path watched.

    Args:
        path: A directory or a file.
        env: Clock, watch and log.
        disk: Tells what the path is.
        on_event: Takes each event whose name has no leading dot.
        send: Sends a set; its second argument is called when it has been taken.

    Kubelet: ``startWatch``, ``doWatch`` in ``pkg/kubelet/config/file_linux.go``.
    """

    def __init__(
        self,
        path: str,
        env: Environment,
        disk: Disk,
        on_event: Callable[[WatchEvent], None],
        send: Send,
    ) -> None:
        self._path = path
        self._env = env
        self._disk = disk
        self._on_event = on_event
        self._send = send
        self._backoff = Backoff(env.clock, RETRY_NS, MAX_RETRY_NS, random=lambda: 0.0)
        self._timer: Cancel | None = None
        self._watch: Cancel | None = None
        self._stopped = False

    def start(self) -> None:
        """
        Make the first attempt at once, in the background.
        """
        self._timer = self._env.clock.call_later(0, self._attempt)

    def stop(self) -> None:
        """
        End the watch and the attempts.
        """
        self._stopped = True
        for cancel in (self._timer, self._watch):
            if cancel is not None:
                cancel()
        self._timer = self._watch = None

    def _attempt(self) -> None:
        now_ns = self._env.clock.monotonic_ns()
        if self._backoff.is_in_backoff_since_update(BACKOFF_ID, now_ns):
            self._again()
            return
        look = self._disk.look(self._path)
        if look.state == "missing":
            self._env.log("error", "the path does not exist", path=self._path)
            self._send((), self._again)
        elif look.state == "unreadable":
            self._failed(look.error)
        else:
            self._begin()

    def _begin(self) -> None:
        try:
            self._watch = self._env.watch(self._path, self._told)
        except OSError as error:
            self._failed(f"it can't be watched: {error}")

    def _told(self, event: WatchEvent | OSError) -> None:
        if isinstance(event, OSError):
            self._watch = None
            self._failed(f"the watch has ended: {event}")
        elif not posixpath.basename(event.path).startswith("."):
            self._on_event(event)

    def _failed(self, message: str) -> None:
        self._env.log("error", message, path=self._path)
        self._backoff.next(BACKOFF_ID, self._env.clock.monotonic_ns())
        self._again()

    def _again(self) -> None:
        if self._stopped:
            return
        self._timer = self._env.clock.call_later(RETRY_NS, self._attempt)
