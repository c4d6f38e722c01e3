"""
Quantities.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_podsource.core.manifest.quantity import Quantity, parse_quantity

SUFFIXES = ["", "n", "u", "m", "k", "M", "G", "Ki", "Mi", "Gi", "e3", "E-2"]


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("0", "0"),
        ("0.1", "100m"),
        ("1000m", "1"),
        ("1024Mi", "1Gi"),
        ("1.5Gi", "1536Mi"),
        ("0.5Ki", "512"),
        ("1500k", "1500k"),
        ("1000Ki", "1000Ki"),
        ("1E3", "1E3"),
        ("10e2", "1e3"),
        ("1e5", "100e3"),
        ("+1", "+1"),
        ("1n", "1n"),
        ("0.1n", "1n"),
        ("-0.1n", "-1n"),
        ("8Ei", "9223372036854775807"),
        (".5", "500m"),
        ("000", "0"),
        ("-1", "-1"),
    ],
)
def test_parse_quantity_gives_the_kubelet_s_text(text: str, canonical: str) -> None:
    """The family of the suffix stays, the suffix becomes the largest whole one."""
    assert str(parse_quantity(text)) == canonical


@pytest.mark.parametrize("text", ["", "x", "1Zi", "1 Ki", "1ki", "1K", "1e", "--1"])
def test_parse_quantity_refuses_other_texts(text: str) -> None:
    """The reason shows the text and what would be right."""
    with pytest.raises(ValueError, match="not a quantity"):
        parse_quantity(text)


@pytest.mark.parametrize(
    ("text", "rounded"), [("1.1m", "2m"), ("-1.1m", "-2m"), ("1n", "1m"), ("2", "2")]
)
def test_rounded_up_goes_away_from_zero(text: str, rounded: str) -> None:
    """Whoever wants a little gets a little."""
    assert str(parse_quantity(text).rounded_up()) == rounded


@given(st.integers(-(10**9), 10**9), st.sampled_from(SUFFIXES))
def test_a_canonical_text_is_the_same_amount(number: int, suffix: str) -> None:
    """Nothing is lost between reading, writing and reading again."""
    quantity = parse_quantity(f"{number}{suffix}")
    bare = Quantity(quantity.number, quantity.scale, quantity.family)

    assert parse_quantity(str(bare)).value == quantity.value
    assert quantity.value == number * parse_quantity(f"1{suffix}").value


def test_value_is_exact() -> None:
    """A tenth is a tenth."""
    assert parse_quantity("0.1").value == Fraction(1, 10)
