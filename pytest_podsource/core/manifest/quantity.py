"""
Amounts of a resource: ``100m``, ``1.5Gi``, ``1e3``.

Rule 1: an amount is a whole number times a power of ten, so nothing is lost. Rule 2:
what is smaller than a billionth is rounded away from zero. Rule 3: the canonical text
keeps the family of the suffix, and has the largest suffix that needs no fraction.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

_DECIMAL = {
    "n": -9,
    "u": -6,
    "m": -3,
    "": 0,
    "k": 3,
    "M": 6,
    "G": 9,
    "T": 12,
    "P": 15,
    "E": 18,
}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_FORM = re.compile(
    r"(?P<sign>[+-]?)(?P<whole>[0-9]*)(?:\.(?P<part>[0-9]*))?"
    r"(?P<suffix>[numkMGTPE]?|[KMGTPE]i|[eE][+-]?[0-9]+)\Z"
)
_LONGEST_SUFFIX = 20  # of an exponent in 64 bits, with its sign and letter
_NANO = -9
_MILLI = -3
_BINARY_DIGITS = 14
_DECIMAL_DIGITS = 18
_LARGEST_BINARY = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Quantity:
    """
    *number* times ten to the power of *scale*.

    Attributes:
        number: A whole number.
        scale: -9 or more.
        family: Of the suffix: ``decimal``, ``binary`` or ``exponent``.
        text: As it was written, if that is taken for canonical.

    Kubelet: ``resource.Quantity`` in apimachinery.
    """

    number: int
    scale: int = 0
    family: str = "decimal"
    text: str = ""

    @property
    def value(self) -> Fraction:
        """Return the exact amount."""
        return self.number * Fraction(10) ** self.scale

    def plus(self, other: Quantity) -> Quantity:
        """Return the sum, in this family unless this is nothing."""
        if not other.number:
            return self
        scale = min(self.scale, other.scale)
        number = sum(each.number * 10 ** (each.scale - scale) for each in (self, other))
        return Quantity(number, scale, (self if self.number else other).family)

    def rounded_up(self) -> Quantity:
        """Return the amount in whole thousandths, rounded away from zero."""
        return _at_least(self, _MILLI)

    def __str__(self) -> str:
        if self.text or not self.number:
            return self.text or "0"
        if self.family == "binary" and self._is_binary():
            number, power = _without_factors(int(self.value), 1024)
            return f"{Decimal(number)}{_suffix(_BINARY, power * 10)}"
        number, power = _without_factors(self.number, 10)
        power += self.scale
        number, power = number * 10 ** (power % 3), power - power % 3
        if self.family == "exponent":
            return f"{Decimal(number)}e{power}" if power else str(Decimal(number))
        return f"{Decimal(number)}{_suffix(_DECIMAL, power)}"

    def _is_binary(self) -> bool:
        return self.value.denominator == 1 and abs(self.value) >= 1024  # noqa: PLR2004 - one Ki


ZERO = Quantity(0)


def parse_quantity(text: str) -> Quantity:
    """
    Return the quantity that *text* stands for.

    Raises:
        ValueError: It isn't one.

    Kubelet: ``resource.ParseQuantity``.
    """
    form = _FORM.match(text)
    if not text or not form or len(form["suffix"]) > _LONGEST_SUFFIX:
        raise ValueError(
            f"{text!r} is not a quantity. Right would be a number, with a suffix such "
            "as m, k, M, Ki, Mi or without."
        )
    part = form["part"] or ""
    digits = form["whole"].lstrip("0") + part
    number = int(Decimal(f"{form['sign']}0{digits}"))  # int alone stops at 4,300 digits
    found = _scaled(number, form["suffix"], len(part))
    kept = _is_kept(digits or "0", form["suffix"], len(part))
    return replace(found, text=text) if kept else found


def _scaled(number: int, suffix: str, places: int) -> Quantity:
    if suffix in _BINARY:
        return _binary(number * 2 ** _BINARY[suffix], -places)
    family = "decimal" if suffix in _DECIMAL else "exponent"
    return _at_least(Quantity(number, _power(suffix) - places, family), _NANO)


def _power(suffix: str) -> int:
    return _DECIMAL[suffix] if suffix in _DECIMAL else int(suffix[1:])


def _is_kept(digits: str, suffix: str, places: int) -> bool:
    """
    Return whether the kubelet takes a text for canonical, which it need not be.
    """
    if suffix in _BINARY:
        room = _BINARY_DIGITS - len(digits) - _BINARY[suffix] * 3 // 10
        return not places and room >= 0 and int(digits) % 8 != 0
    scale = _power(suffix) - places
    fits = len(digits) <= _DECIMAL_DIGITS and scale >= _NANO and scale % 3 == 0
    return fits and digits[0] != "0" and not digits.endswith("000")


def _binary(number: int, scale: int) -> Quantity:
    found = _at_least(Quantity(number, scale, "binary"), _NANO)
    if found.value > _LARGEST_BINARY:
        return Quantity(_LARGEST_BINARY, 0, "binary")
    if 0 < found.value < 1:
        return Quantity(found.number, found.scale)
    return found


def _at_least(quantity: Quantity, scale: int) -> Quantity:
    if quantity.scale >= scale:
        return quantity
    size = -(-abs(quantity.number) // 10 ** (scale - quantity.scale))
    return Quantity(size if quantity.number >= 0 else -size, scale, quantity.family)


def _without_factors(number: int, factor: int) -> tuple[int, int]:
    power = 0
    while number and number % factor == 0:
        number, power = number // factor, power + 1
    return number, power


def _suffix(suffixes: dict[str, int], power: int) -> str:
    # A power without a suffix is printed without one, as the kubelet does.
    return next((text for text, each in suffixes.items() if each == power), "")
