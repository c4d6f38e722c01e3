"""
Exponential backoff per key, as client-go has it.

Rule 1: the first delay of a key is the initial one, even above the cap. Rule 2: each
further one is doubled, up to the cap. Rule 3: a key expires when the event comes *more*
than twice the cap after its last ``next``; exactly twice is not enough. Rule 4: the
event's time decides about expiry only, the clock is what is noted. Rule 5: questions
change nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pytest_podsource.contract import Clock


@dataclass(slots=True)
class _Entry:
    delay_ns: int
    updated_ns: int = 0


class Backoff:
    """
    Delays that grow with each failure of a key.

    Args:
        clock: Its monotonic clock is read.
        initial_ns: The first delay of a key.
        max_ns: The cap of further delays.
        jitter_factor: Share of the previous delay that is drawn on top, 0 for none.
        expires_after_ns: A key expires after more than this, instead of twice the cap.
        random: Draws from [0, 1); asked only if there is jitter.

    Kubelet: ``Backoff`` in client-go's ``util/flowcontrol``.
    """

    def __init__(
        self,
        clock: Clock,
        initial_ns: int,
        max_ns: int,
        *,
        jitter_factor: float = 0.0,
        expires_after_ns: int | None = None,
        random: Callable[[], float],
    ) -> None:
        self._clock = clock
        self._initial_ns = initial_ns
        self._max_ns = max_ns
        self._jitter_factor = jitter_factor
        self._expires_after_ns = (
            2 * max_ns if expires_after_ns is None else expires_after_ns
        )
        self._random = random
        self._entries: dict[str, _Entry] = {}

    def next(self, id_: str, event_ns: int) -> None:
        """
        Move *id_* on to its next delay.

        Args:
            id_: What is backed off, such as ``"watch"``.
            event_ns: When it failed, on the monotonic clock; negative is fine.

        Kubelet: ``Backoff.Next``.
        """
        entry = self._alive(id_, event_ns)
        if entry is None:
            entry = self._entries[id_] = _Entry(self._initial_ns)
            entry.delay_ns += self._jitter_ns(entry.delay_ns)
        else:
            delay_ns = 2 * entry.delay_ns + self._jitter_ns(entry.delay_ns)
            entry.delay_ns = min(delay_ns, self._max_ns)
        entry.updated_ns = self._clock.monotonic_ns()

    def get(self, id_: str) -> int:
        """
        Return the delay of *id_* in nanoseconds, 0 if unknown; expired ones count.

        Kubelet: ``Backoff.Get``.
        """
        entry = self._entries.get(id_)
        return 0 if entry is None else entry.delay_ns

    def reset(self, id_: str) -> None:
        """
        Forget *id_*.

        Kubelet: ``Backoff.Reset``, since 1.20.
        """
        self._entries.pop(id_, None)

    def delete_entry(self, id_: str) -> None:
        """
        Forget *id_*.

        Kubelet: ``Backoff.DeleteEntry``, since 1.20.
        """
        self._entries.pop(id_, None)

    def gc(self) -> None:
        """
        Forget what has expired by now.

        Kubelet: ``Backoff.GC``.
        """
        now_ns = self._clock.monotonic_ns()
        for id_ in [id_ for id_ in self._entries if not self._alive(id_, now_ns)]:
            del self._entries[id_]

    def is_in_backoff_since(self, id_: str, event_ns: int) -> bool:
        """
        Return whether less than the delay has passed from *event_ns* until now.

        Kubelet: ``Backoff.IsInBackOffSince``.
        """
        entry = self._alive(id_, event_ns)
        if entry is None:
            return False
        return self._clock.monotonic_ns() - event_ns < entry.delay_ns

    def is_in_backoff_since_update(self, id_: str, event_ns: int) -> bool:
        """
        Return whether *event_ns* is less than the delay after the last ``next``.

        The clock is not read; an event before that ``next`` counts as in backoff.

        Kubelet: ``Backoff.IsInBackOffSinceUpdate``, since 1.20.
        """
        entry = self._alive(id_, event_ns)
        return entry is not None and event_ns - entry.updated_ns < entry.delay_ns

    def _alive(self, id_: str, event_ns: int) -> _Entry | None:
        entry = self._entries.get(id_)
        if entry is None or event_ns - entry.updated_ns > self._expires_after_ns:
            return None
        return entry

    def _jitter_ns(self, delay_ns: int) -> int:
        if self._jitter_factor <= 0:
            return 0
        return int(self._random() * self._jitter_factor * delay_ns)
