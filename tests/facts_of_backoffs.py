"""
Facts of the backoff, each with a line of the reference that breaks it.
"""

from __future__ import annotations

from tests.broken_reference import Patch

_BACKOFF = "core.backoff"
_SINCE = "return self._clock.monotonic_ns() - event_ns < entry.delay_ns"
_SINCE_UPDATE = "event_ns - entry.updated_ns < entry.delay_ns"
_EXPIRY = "2 * max_ns if expires_after_ns is None else expires_after_ns"

FACTS: dict[str, Patch] = {
    "BACKOFF-01": Patch(
        module=_BACKOFF,
        old="return 0 if entry is None",
        new="return self._initial_ns if entry is None",
    ),
    "BACKOFF-02": Patch(
        module=_BACKOFF,
        old="_Entry(self._initial_ns)",
        new="_Entry(min(self._initial_ns, self._max_ns))",
    ),
    "BACKOFF-03": Patch(
        module=_BACKOFF,
        old="delay_ns = 2 * entry.delay_ns +",
        new="delay_ns = 3 * entry.delay_ns +",
    ),
    "BACKOFF-04": Patch(
        module=_BACKOFF,
        old="event_ns - entry.updated_ns > self._expires_after_ns",
        new="event_ns - entry.updated_ns >= self._expires_after_ns",
    ),
    "BACKOFF-05": Patch(
        module=_BACKOFF,
        old="entry.updated_ns = self._clock.monotonic_ns()",
        new="entry.updated_ns = event_ns",
    ),
    "BACKOFF-06": Patch(
        module=_BACKOFF,
        old="_Entry(self._initial_ns)",
        new="_Entry(self._initial_ns or self._max_ns)",
    ),
    "BACKOFF-07": Patch(
        module=_BACKOFF,
        old="        entry = self._alive(id_, event_ns)\n        if entry is None:\n            entry =",
        new="        entry = next((each for each in map(lambda key: self._alive(key, event_ns), self._entries) if each), None)\n        if entry is None:\n            entry =",
    ),
    "BACKOFF-08": Patch(module=_BACKOFF, old=_SINCE, new=_SINCE.replace("<", "<=")),
    "BACKOFF-09": Patch(
        module=_BACKOFF, old=_SINCE_UPDATE, new=_SINCE_UPDATE.replace("<", "<=")
    ),
    "BACKOFF-10": Patch(
        module=_BACKOFF, old=_SINCE_UPDATE, new=f"0 <= {_SINCE_UPDATE}"
    ),
    "BACKOFF-11": Patch(
        module=_BACKOFF,
        old="            return False\n",
        new="            self._entries.pop(id_, None)\n            return False\n",
    ),
    "BACKOFF-12": Patch(
        module=_BACKOFF, old=_SINCE, new=_SINCE.replace("return", "return 0 <")
    ),
    "BACKOFF-13": Patch(
        module=_BACKOFF, old=_EXPIRY, new=_EXPIRY.replace("2 *", "3 *")
    ),
    "BACKOFF-14": Patch(
        module=_BACKOFF,
        old="if not self._alive(id_, now_ns)]",
        new="if not self.is_in_backoff_since_update(id_, now_ns)]",
    ),
    "BACKOFF-15": Patch(
        module=_BACKOFF,
        old='``Backoff.Reset``, since 1.20.\n        """\n        self._entries.pop(id_, None)',
        new='``Backoff.Reset``, since 1.20.\n        """\n        self._entries[id_] = _Entry(self._initial_ns)',
    ),
    "BACKOFF-16": Patch(module=_BACKOFF, old=_EXPIRY, new=_EXPIRY.replace("2 *", "")),
    "BACKOFF-17": Patch(module=_BACKOFF, old=_EXPIRY, new="2 * max_ns"),
    "BACKOFF-18": Patch(
        module=_BACKOFF,
        old="int(self._random() * self._jitter_factor * delay_ns)",
        new="int(self._jitter_factor * delay_ns)",
    ),
    "BACKOFF-22": Patch(
        module="core.path_watch",
        old="Backoff(env.clock, RETRY_NS, MAX_RETRY_NS,",
        new="Backoff(env.clock, RETRY_NS, RETRY_NS,",
    ),
}
