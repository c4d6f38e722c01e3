"""
Durations as Go writes them: ``1h30m``, ``-1h``, ``10s1ns``.
"""

from __future__ import annotations

import re
from fractions import Fraction

UNITS_NS = {
    "h": 3_600_000_000_000,
    "m": 60_000_000_000,
    "s": 1_000_000_000,
    "ms": 1_000_000,
    "us": 1_000,
    "µs": 1_000,
    "ns": 1,
}
_PART = r"(\d+\.?\d*|\.\d+)(ns|us|µs|ms|h|m|s)"
_WHOLE = re.compile(rf"[-+]?(?:{_PART})+\Z")


def is_duration(text: object) -> bool:
    """
    Return whether *text* is a duration with a unit.
    """
    return isinstance(text, str) and _WHOLE.match(text) is not None


def parse_ns(text: str) -> int:
    """
    Return the nanoseconds of *text*.

    Raises:
        ValueError: It isn't a duration.
    """
    if text == "0":
        return 0
    if not is_duration(text):
        raise ValueError(f"{text!r} is not a duration. Right would be 20s or 1h30m.")
    total = sum(
        Fraction(number) * UNITS_NS[unit] for number, unit in re.findall(_PART, text)
    )
    return -int(total) if text.startswith("-") else int(total)


def text_of(nanoseconds: int) -> str:
    """
    Return *nanoseconds* for people, in seconds: ``20 s``, ``0.6 s``.

    No digit is lost: ``10.000000001 s``.
    """
    whole, rest = divmod(abs(nanoseconds), UNITS_NS["s"])
    digits = f".{rest:09d}".rstrip("0") if rest else ""
    return f"{'-' if nanoseconds < 0 else ''}{whole}{digits} s"
