"""
What a client tells in a thread of its own, waited for with a limit.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from queue import Queue
from typing import TypeAlias

from pytest_podsource import FakeApiserver

LIMIT_S = 20
Told: TypeAlias = tuple[str, str]


def lose_history(api: FakeApiserver) -> None:
    """Something else changes, and is forgotten: open watches can't be gone on with."""
    api.nodes.add("new")
    api.forget()
    api.end_watches()


class Following:
    """
    Events that are taken one by one; what their source raises is an event too.
    """

    def __init__(self, source: Callable[[], Iterable[Told]] | None = None) -> None:
        self.events: Queue[Told] = Queue()
        if source is not None:
            self._source = source
            threading.Thread(target=self._run, daemon=True).start()

    def next(self, count: int) -> list[Told]:
        """Return the next events, each within the limit."""
        return [self.events.get(timeout=LIMIT_S) for _ in range(count)]

    def until(self, last: Told) -> list[Told]:
        """Return the events up to *last*."""
        told = self.next(1)
        while told[-1] != last:
            told += self.next(1)
        return told

    def _run(self) -> None:
        try:
            for told in self._source():
                self.events.put(told)
            self.events.put(("END", ""))
        except Exception as error:  # noqa: BLE001 - to be told in the test's thread
            self.events.put(("RAISED", f"{type(error).__name__}: {error}"))
