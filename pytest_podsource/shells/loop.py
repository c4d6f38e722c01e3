"""
One thread that waits for timers, files and words from other threads.

Rule 1: every callback runs in the thread that called ``run``, one at a time. Rule 2:
what is due at one instant runs in the order in which it was asked for. Rule 3: what was
cancelled or forgotten is never called, even if it was due already.
"""

from __future__ import annotations

import heapq
import itertools
import os
import selectors
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from pytest_podsource.contract import Cancel

Callback = Callable[[], None]


class Loop:
    """
    Timers, readable files and posted callbacks, until it is stopped.
    """

    def __init__(self) -> None:
        self._began_ns = time.monotonic_ns()
        self._timers: list[tuple[int, int]] = []
        self._callbacks: dict[int, Callback] = {}
        self._numbers = itertools.count()
        self._posted: deque[Callback] = deque()
        self._selector = selectors.DefaultSelector()
        self._wake_reader, self._wake_writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._selector.register(self._wake_reader, selectors.EVENT_READ, self._drain)
        self._running = False
        self._closed = False
        self._lock = threading.Lock()

    def now_ns(self) -> int:
        """
        Return the wall clock, in nanoseconds since 1970.
        """
        return time.time_ns()

    def monotonic_ns(self) -> int:
        """
        Return the nanoseconds since this loop was made.
        """
        return time.monotonic_ns() - self._began_ns

    def call_later(self, delay_ns: int, callback: Callback) -> Cancel:
        """
        Call *callback* after *delay_ns*; only from within the loop, or before it runs.
        """
        number = next(self._numbers)
        due_ns = self.monotonic_ns() + max(0, delay_ns)
        heapq.heappush(self._timers, (due_ns, number))
        self._callbacks[number] = callback
        return lambda: self._cancel(number)

    def post(self, callback: Callback) -> None:
        """
        Call *callback* in the loop, soon, unless it is closed; from any thread.
        """
        self._posted.append(callback)
        with self._lock, suppress(BlockingIOError):  # a full pipe wakes it as well
            if not self._closed:
                os.write(self._wake_writer, b"\0")

    def on_readable(self, file: Any, callback: Callback) -> Cancel:
        """
        Call *callback* whenever *file* can be read.
        """
        self._selector.register(file, selectors.EVENT_READ, callback)
        return lambda: self._forget(file)

    def run(self) -> None:
        """
        Run callbacks until :meth:`stop`.
        """
        self._running = True
        while self._running:
            for key, _ in self._selector.select(self._timeout()):
                if self._selector.get_map().get(key.fd) is key:
                    key.data()
            self._run_posted()
            self._run_due()

    def stop(self) -> None:
        """
        Let :meth:`run` return after the callback that runs now; from any thread.
        """
        self.post(self._end)

    def close(self) -> None:
        """
        Give the files back; the loop can't run any more.
        """
        self._selector.close()
        with self._lock:
            self._closed = True
            os.close(self._wake_reader)
            os.close(self._wake_writer)

    def _end(self) -> None:
        self._running = False

    def _timeout(self) -> float:
        if self._posted:
            return 0
        if not self._timers:
            return 3600
        return max(0, self._timers[0][0] - self.monotonic_ns()) / 1e9

    def _run_posted(self) -> None:
        for _ in range(len(self._posted)):
            self._posted.popleft()()

    def _run_due(self) -> None:
        until_ns = self.monotonic_ns()
        while self._timers and self._timers[0][0] <= until_ns:
            callback = self._callbacks.pop(heapq.heappop(self._timers)[1], None)
            if callback is not None:
                callback()

    def _cancel(self, number: int) -> None:
        self._callbacks.pop(number, None)

    def _drain(self) -> None:
        os.read(self._wake_reader, 4096)

    def _forget(self, file: Any) -> None:
        if file in self._selector.get_map():
            self._selector.unregister(file)
