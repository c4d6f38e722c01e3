"""
Virtual time: a heap of callbacks, and a clock that moves only when told.

Rule 1: nothing waits. Rule 2: callbacks run in the order in which they are due; those
due at one instant in the order in which they were asked for, or permuted by a seed.
Rule 3: whoever wakes up too often at one instant spins.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from random import Random

from pytest_podsource.contract import Cancel, Clock
from pytest_podsource.exceptions import Spins

WAKEUPS_AT_ONE_INSTANT = 1_000


@dataclass(order=True, slots=True)
class _Planned:
    due_ns: int
    rank: float
    number: int
    callback: Callable[[], None] | None = field(compare=False)

    def cancel(self) -> None:
        self.callback = None


class CaseClock:
    """
    The clock of a case: ``Clock`` for the implementation, a heap for the world.

    Args:
        wall_ns: The wall clock at the start, in nanoseconds since 1970.
        seed: Permutes callbacks that are due at one instant; 0 keeps their order.
    """

    def __init__(self, wall_ns: int = 0, seed: int = 0) -> None:
        self._now_ns = 0
        self._offset_ns = wall_ns
        self._heap: list[_Planned] = []
        self._numbers = count()
        self._random = Random(seed) if seed else None  # noqa: S311 - not a secret
        self._wakeups = 0
        self._allowed = WAKEUPS_AT_ONE_INSTANT

    def now_ns(self) -> int:
        """Return the wall clock, in nanoseconds since 1970."""
        return self._now_ns + self._offset_ns

    def monotonic_ns(self) -> int:
        """Return the monotonic clock, 0 at the start."""
        return self._now_ns

    def call_later(self, delay_ns: int, callback: Callable[[], None]) -> Cancel:
        """Call *callback* after *delay_ns*; the result cancels that."""
        planned = _Planned(
            due_ns=self._now_ns + max(delay_ns, 0),
            rank=self._random.random() if self._random else 0.0,
            number=next(self._numbers),
            callback=callback,
        )
        heapq.heappush(self._heap, planned)
        return planned.cancel

    def jump(self, by_ns: int) -> None:
        """Move the wall clock only."""
        self._offset_ns += by_ns

    def next_due_ns(self) -> int | None:
        """Return when the next callback is due, ``None`` if nothing is planned."""
        while self._heap and self._heap[0].callback is None:
            heapq.heappop(self._heap)
        return self._heap[0].due_ns if self._heap else None

    def move_to(self, instant_ns: int) -> None:
        """Move on to *instant_ns*, without running anything; never back."""
        if instant_ns > self._now_ns:
            self._now_ns = instant_ns
            self.rest()

    def rest(self) -> None:
        """Note that all is done at this instant; what comes now is a new step."""
        self._wakeups = 0
        self._allowed = WAKEUPS_AT_ONE_INSTANT

    def allow(self, wakeups: int) -> None:
        """Let so many more pass at this instant: the world itself is the reason."""
        self._allowed += wakeups

    def run_due(self) -> None:
        """
        Run what is due by now, and what that asks for at this instant.

        Raises:
            Spins: 1,000 wake-ups at one instant.
        """
        while self.is_due():
            callback = heapq.heappop(self._heap).callback
            assert callback is not None
            self._wakeups += 1
            if self._wakeups > self._allowed:
                raise Spins(self._wakeups - 1, self._now_ns)
            callback()

    def is_due(self) -> bool:
        """Return whether something is left to do at this instant."""
        due_ns = self.next_due_ns()
        return due_ns is not None and due_ns <= self._now_ns

    def advance(self, duration_ns: int) -> None:
        """Move on by *duration_ns*, stopping at whatever is due, and run it."""
        target_ns = self._now_ns + duration_ns
        self.run_due()
        while (due_ns := self.next_due_ns()) is not None and due_ns <= target_ns:
            self.move_to(due_ns)
            self.run_due()
        self.move_to(target_ns)
        self.rest()


class Lane:
    """
    Calls that keep their order at one instant, whatever the seed.

    What a watch tells, or what a reader takes, comes in order; two lanes don't know of
    each other, so the seed permutes them.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._waiting: deque[Callable[[], None]] = deque()

    def post(self, call: Callable[[], None]) -> None:
        """Make *call* soon, after all that was posted before."""
        self._waiting.append(call)
        if len(self._waiting) == 1:
            self._clock.call_later(0, self._run)

    def clear(self) -> None:
        """Forget what was posted and has not been made."""
        self._waiting.clear()

    def _run(self) -> None:
        if not self._waiting:
            return
        call = self._waiting.popleft()
        if self._waiting:
            self._clock.call_later(0, self._run)
        call()
