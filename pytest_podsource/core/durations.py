"""
Durations as Go reads them from flags and configuration files: ``1h30m``, ``-1h``.

Rule 1: every number has a unit, a bare ``0`` excepted. Rule 2: what is smaller than a
nanosecond is cut off, for each part alone.
"""

from __future__ import annotations

import re
from fractions import Fraction

_UNITS_NS = {
    "h": 3_600_000_000_000,
    "m": 60_000_000_000,
    "s": 1_000_000_000,
    "ms": 1_000_000,
    "us": 1_000,
    "µs": 1_000,  # U+00B5, the micro sign
    "μs": 1_000,
    "ns": 1,
}
_PART = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)([a-zµμ]+)")
_MAX_NS = 2**63 - 1


def parse_ns(text: str) -> int:
    """
    Return the nanoseconds that *text* stands for.

    Raises:
        ValueError: It isn't a duration, or one of more than 292 years.

    Go: ``time.ParseDuration``.
    """
    unsigned = text[1:] if text[:1] in ("-", "+") else text
    if unsigned == "0":
        return 0
    parts = _PART.findall(unsigned)
    fits = "".join(number + unit for number, unit in parts) == unsigned
    if not unsigned or not fits or any(unit not in _UNITS_NS for _, unit in parts):
        raise ValueError(f"{text!r} is not a duration. Right would be 20s or 1h30m.")
    total_ns = sum(int(Fraction(number) * _UNITS_NS[unit]) for number, unit in parts)
    if total_ns > _MAX_NS:
        raise ValueError(f"{text!r} is too long. Up to 292 years are possible.")
    return -total_ns if text.startswith("-") else total_ns
