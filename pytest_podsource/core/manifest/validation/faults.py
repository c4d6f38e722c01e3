"""
How a fault reads: the field's path, then what is wrong, as the API's errors have it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any


def required(path: str) -> str:
    """
    Say that a field is needed.
    """
    return f"{path}: Required value"


def invalid(path: str, value: Any, reason: str) -> str:
    """
    Say that a value can't be used, and why.
    """
    return f"{path}: Invalid value: {value!r}: {reason}"


def duplicate(path: str, value: Any) -> str:
    """
    Say that a value stands there a second time.
    """
    return f"{path}: Duplicate value: {value!r}"


def forbidden(path: str, reason: str) -> str:
    """
    Say that a field may not be set.
    """
    return f"{path}: Forbidden: {reason}"


def unsupported(path: str, value: Any, known: Collection[str]) -> str:
    """
    Say that a value is none of the known ones.
    """
    return f"{path}: Unsupported value: {value!r}: one of {', '.join(sorted(known))}"
