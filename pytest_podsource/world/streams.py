"""
What was seen in a case, by stream; and the reader at the end of the chain.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from copy import deepcopy
from typing import Any, TypeAlias, get_args

from pytest_podsource.contract import Clock, PodUpdate, SourceUpdate
from pytest_podsource.world.base import Seen, StreamName
from pytest_podsource.world.clock import Lane

Taken: TypeAlias = "Callable[[], None] | None"


class Streams:
    """
    What was seen, by stream, with the time of the case's clock.

    Attributes:
        noted: How many entries came so far.
    """

    def __init__(self, now_ns: Callable[[], int]) -> None:
        self._now_ns = now_ns
        self.noted = 0
        self._seen: dict[StreamName, list[Seen]] = {
            name: [] for name in get_args(StreamName)
        }

    def note(self, stream: StreamName, value: Any) -> None:
        """Keep a copy of *value*, as it is now."""
        self._seen[stream].append(Seen(at_ns=self._now_ns(), value=deepcopy(value)))
        self.noted += 1

    def take(self, stream: StreamName) -> list[Seen]:
        """Return what came since the last call, in order."""
        seen, self._seen[stream] = self._seen[stream], []
        return seen


class Reader:
    """
    Takes what the implementation sends, unless it is held.
    """

    def __init__(self, clock: Clock, streams: Streams) -> None:
        self._streams = streams
        self._lane = Lane(clock)
        self._held = False
        self._waiting: deque[tuple[SourceUpdate | PodUpdate, Taken]] = deque()

    def send(self, update: SourceUpdate | PodUpdate, taken: Taken) -> None:
        """Take *update*, or let it wait."""
        if self._held:
            self._waiting.append((update, taken))
        else:
            self._take(update, taken)

    def hold(self) -> None:
        """Take nothing more."""
        self._held = True

    def release(self) -> None:
        """Take what waits, in order, and what comes."""
        self._held = False
        while self._waiting:
            self._take(*self._waiting.popleft())

    def _take(self, update: SourceUpdate | PodUpdate, taken: Taken) -> None:
        self._streams.note("expect", update)
        if taken is not None:
            self._lane.post(taken)
