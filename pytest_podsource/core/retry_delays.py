"""
How long a reflector waits before it tries again.

Rule 1: a delay doubles each time, up to the longest; at random it is up to twice as
long. Rule 2: after some time without a delay the first one comes again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pytest_podsource.contract import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """
    The delays of one kind of client.

    Attributes:
        first_ns: The first delay.
        longest_ns: The cap, before chance makes it longer.
        jitter: Share of a delay that chance may put on top.
        forget_ns: After so long without a delay the first one comes again.
    """

    first_ns: int
    longest_ns: int
    jitter: float
    forget_ns: int


class RetryDelays:
    """
    Gives one delay after the other.

    Args:
        clock: Tells how long the last one is ago.
        retry: The delays.
        random: Draws a number from 0 to 1.

    Kubelet: ``backoffManager`` of client-go's ``Reflector``.
    """

    def __init__(self, clock: Clock, retry: Retry, random: Callable[[], float]) -> None:
        self._clock = clock
        self._retry = retry
        self._random = random
        self._next_ns = retry.first_ns
        self._last_ns = clock.monotonic_ns()

    def next_ns(self) -> int:
        """
        Return the next delay.
        """
        now_ns = self._clock.monotonic_ns()
        if now_ns - self._last_ns > self._retry.forget_ns:
            self._next_ns = self._retry.first_ns
        self._last_ns = now_ns
        delay_ns = self._next_ns
        self._next_ns = min(2 * delay_ns, self._retry.longest_ns)
        return delay_ns + int(self._random() * self._retry.jitter * delay_ns)
