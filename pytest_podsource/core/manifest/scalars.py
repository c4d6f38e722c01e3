"""
Plain scalars of YAML as go-yaml reads them, and numbers as Go writes them.
"""

from __future__ import annotations

import math
import re
import struct
from decimal import Decimal

_SMALLEST, _LARGEST = -(2**63), 2**64 - 1
_MOST_DIGITS = len(str(_LARGEST))
# Go writes numbers beyond these with an exponent.
_JSON_SMALLEST, _JSON_LARGEST = 1e-6, 1e21
_KEY_SMALLEST, _KEY_LARGEST = -5, 6
_KEY_DIGITS = 9
_CONSTANTS = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "on", "On", "ON"), True),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "off", "Off", "OFF"), False),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
_INT = re.compile(r"[-+]?(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ].*)?\Z")


def plain(text: str) -> bool | int | float | str | None:
    """
    Return what a plain scalar stands for.

    Go: ``resolve`` in go-yaml 2.
    """
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] == ".":
        return _float(text)
    if text[0] not in "+-0123456789":
        return text
    digits = text.replace("_", "")
    if _INT.match(digits):
        whole = _whole(digits)
        if whole is not None and _SMALLEST <= whole <= _LARGEST:
            return whole
    number = _float(digits)
    return text if isinstance(number, str) else number


def _whole(digits: str) -> int | None:
    unsigned = digits.lstrip("+-")
    if unsigned[0] != "0" and len(unsigned) > _MOST_DIGITS:
        return None  # Python reads no decimal number of any length
    octal = re.match("0[0-7]", unsigned)
    number = int(unsigned, 8 if octal else 0)
    return -number if digits.startswith("-") else number


def _float(text: str) -> float | str:
    # What a float can't hold stays a text.
    number = float(text) if _FLOAT.match(text) else math.inf
    return number if math.isfinite(number) else text


def is_date(text: str) -> bool:
    """
    Return whether *text* would do as a timestamp; it is read as a text.
    """
    return bool(_DATE.match(text))


def json_float(value: float) -> str:
    """
    Return *value* as Go's encoding/json writes it.
    """
    shortest = repr(value)
    if value and not _JSON_SMALLEST <= abs(value) < _JSON_LARGEST:
        return shortest.replace("e-0", "e-")
    return f"{Decimal(shortest):f}".removesuffix(".0")


def key_float(value: float) -> str:
    """
    Return *value* as the key of a mapping: in single precision.

    Go: ``strconv.FormatFloat(v, 'g', -1, 32)``.
    """
    if not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    scientific = next(
        text
        for digits in range(_KEY_DIGITS)
        if _single(float(text := f"{value:.{digits}e}")) == _single(value)
    )
    mantissa, _, exponent = scientific.partition("e")
    if value and not _KEY_SMALLEST < int(exponent) < _KEY_LARGEST:
        return f"{mantissa}e{exponent}"
    return f"{Decimal(scientific):f}"


def _single(value: float) -> float:
    number: float = struct.unpack("f", struct.pack("f", value))[0]
    return number
