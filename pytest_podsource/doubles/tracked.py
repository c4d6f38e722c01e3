"""
Threads that live in virtual time, and what they wait for.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from pytest_podsource.threads import Handover

if TYPE_CHECKING:
    from pytest_podsource.doubles.clock import VirtualClock


class Ended(BaseException):
    """
    Raised by a wait of a thread that is still there when the clock stops.
    """


class Waiter:
    """
    What a thread waits for; ``release`` is what ``Condition.notify`` calls.
    """

    def __init__(self, clock: VirtualClock, tracked: Tracked | None) -> None:
        self._clock = clock
        self.tracked = tracked
        self.released = False
        self.over = False

    def release(self) -> None:
        """Wake up whoever waits; what ``Condition.notify`` calls."""
        if not self.released and not self.over:
            self.released = True
            self._clock.call_later(0, self._wake)

    def time_out(self) -> None:
        """Wake up whoever waits: it has taken too long."""
        if not self.released:
            self._wake()

    def _wake(self) -> None:
        if not self.over:
            self.over = True
            if self.tracked is not None:
                self._clock.resume(self.tracked)


class Tracked:
    """
    A thread that runs only when it is its turn.
    """

    def __init__(self, thread: threading.Thread) -> None:
        self.thread = thread
        self.handover = Handover()
        self.joiners: list[Waiter] = []
        self.failure: Exception | None = None
        self.ended = False
        self.endings = 0
