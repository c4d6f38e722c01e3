"""
Threads, sockets and watches that an implementation makes past its environment.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_podsource.driver.base import Abilities
from pytest_podsource.driver.fence import Fence
from pytest_podsource.exceptions import DriverError
from pytest_podsource.threads import Worker

_DESCRIPTORS = Path("/proc/self/fd")
_WAY_OUT = (
    "The clock of the case doesn't know it, so nobody knows when it is idle. "
    "Use the environment (callbacks, pytest_podsource.threads, pytest_podsource.aio), "
    "or run with --podsource-time=patched or --podsource-time=real."
)


class Foreign:
    """
    Finds what was made since, and isn't ours.

    Args:
        abilities: What the implementation may have of its own.
    """

    def __init__(self, abilities: Abilities) -> None:
        self._is_virtual = abilities == Abilities()
        self._fence = Fence()
        self._threads = set(threading.enumerate())
        self._descriptors = _descriptors()

    @contextmanager
    def watched(self) -> Iterator[None]:
        """
        Keep the code within this block from the network.

        Raises:
            DriverError: It has tried to connect.
        """
        if not self._is_virtual:
            yield
            return
        try:
            with self._fence.closed():
                yield
        finally:
            attempt, self._fence.attempt = self._fence.attempt, None
            if attempt is not None:
                raise DriverError(f"it tried to connect to {attempt}. {_WAY_OUT}")

    def check(self) -> None:
        """
        See that nothing runs that the clock of the case doesn't know.

        Raises:
            DriverError: Something does.
        """
        if not self._is_virtual:
            return
        for thread in threading.enumerate():
            if thread not in self._threads and not isinstance(thread, Worker):
                raise DriverError(
                    f"it has started the thread {thread.name!r}. {_WAY_OUT}"
                )
        for link in _descriptors() - self._descriptors:
            if link.startswith("socket:"):
                raise DriverError(f"it has opened a socket. {_WAY_OUT}")
            if link == "anon_inode:inotify":
                raise DriverError(f"it has asked the kernel's inotify. {_WAY_OUT}")

    def end_workers(self) -> None:
        """End threads of :mod:`pytest_podsource.threads` that nobody has stopped."""
        for thread in threading.enumerate():
            if isinstance(thread, Worker) and thread not in self._threads:
                thread.owner.stop()


def _descriptors() -> set[str]:
    if not _DESCRIPTORS.exists():
        return set()
    return set(filter(None, map(_link, _DESCRIPTORS.iterdir())))


def _link(descriptor: Path) -> str:
    try:
        return str(descriptor.readlink())
    except OSError:
        return ""
