"""
The open watches of a fake apiserver: what each is still to be told.
"""

from __future__ import annotations

import asyncio
from collections import deque
from threading import RLock

from pytest_podsource.apiserver.answers import Call
from pytest_podsource.apiserver.watching import Watch


class Stream:
    """
    A watch under way, with what is told besides; it begins with what is there now.

    Attributes:
        call: What opened it.
        wake: Set where there may be something new; awaited by the server only.
        timeout_s: After how many seconds it is to end; None: it goes on.
    """

    def __init__(self, call: Call, watch: Watch, lock: RLock) -> None:
        self.call = call
        self.wake = asyncio.Event()
        self._is_over = False  # it ends after what is still to be told
        self.timeout_s = watch.options.timeout_s
        self._watch = watch
        self._lock = lock
        self._lines: deque[bytes] = deque()
        self._look()

    def tell(self, line: bytes) -> None:
        """Send *line* as it is, after what came before."""
        with self._lock:
            self._look()
            if not self._is_over:
                self._lines.append(line)

    def bookmark(self) -> None:
        """Send a bookmark to a client that asked for them."""
        with self._lock:
            self._look()
            if not self._is_over and (event := self._watch.bookmark()):
                self._lines.append(event.json())

    def end(self) -> None:
        """End after what came before."""
        with self._lock:
            self._look()
            self._is_over = True

    def take(self) -> tuple[list[bytes], bool]:
        """Return the lines that are to be sent now, and whether they are the last."""
        with self._lock:
            self._look()
            lines = [*self._lines]
            self._lines.clear()
            return lines, self._is_over

    def _look(self) -> None:
        if not self._is_over:
            self._lines.extend(event.json() for event in self._watch.take())
            self._is_over = self._watch.ended
