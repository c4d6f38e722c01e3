"""
Durations as Go reads them.
"""

from __future__ import annotations

import pytest

from pytest_podsource.core.durations import parse_ns


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("0", 0),
        ("+0", 0),
        ("0s", 0),
        ("20s", 20_000_000_000),
        ("-1h", -3_600_000_000_000),
        ("1h30m", 5_400_000_000_000),
        ("1.5s", 1_500_000_000),
        (".5s", 500_000_000),
        ("1.s", 1_000_000_000),
        ("10s1ns", 10_000_000_001),
        ("1.9ns", 1),
        ("1.5ns1.5ns", 2),
        ("3us", 3_000),
        ("3\N{MICRO SIGN}s", 3_000),
        ("3\N{GREEK SMALL LETTER MU}s", 3_000),
    ],
)
def test_parse_ns_reads_what_go_reads(text: str, nanoseconds: int) -> None:
    """Every number has a unit, parts add up, less than 1 ns is cut off."""
    assert parse_ns(text) == nanoseconds


@pytest.mark.parametrize(
    "text",
    ["", "-", "20", "s", ".s", "1d", "1 s", " 1s", "1s ", "--1s", "1e3s", "9999999h"],
)
def test_parse_ns_refuses_what_go_refuses(text: str) -> None:
    """The error shows the text."""
    with pytest.raises(ValueError, match=f"'{text}'"):
        parse_ns(text)
