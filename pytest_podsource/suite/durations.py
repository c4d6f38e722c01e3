"""
Durations in cases: which texts are one, and how one is written for people.
"""

from __future__ import annotations

import re

from pytest_podsource.contract import SECOND_NS

_DURATION = re.compile(r"[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|ms|h|m|s))+\Z")


def is_duration(text: object) -> bool:
    """
    Return whether *text* is a duration with a unit.
    """
    return isinstance(text, str) and _DURATION.match(text) is not None


def text_of(nanoseconds: int) -> str:
    """
    Return *nanoseconds* for people, in seconds: ``20 s``, ``0.6 s``.

    No digit is lost: ``10.000000001 s``.
    """
    whole, rest = divmod(abs(nanoseconds), SECOND_NS)
    digits = f".{rest:09d}".rstrip("0") if rest else ""
    return f"{'-' if nanoseconds < 0 else ''}{whole}{digits} s"
