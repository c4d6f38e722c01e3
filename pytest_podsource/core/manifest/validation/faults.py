"""
How a fault reads: the field's path, then what is wrong, as the API's errors have it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from typing import Any


def required(path: str, reason: str = "") -> str:
    """
    Say that a field is needed.
    """
    return f"{path}: Required value" + (f": {reason}" if reason else "")


def invalid(path: str, value: Any, reason: str) -> str:
    """
    Say that a value can't be used, and why.
    """
    return f"{path}: Invalid value: {json.dumps(value, default=str)}: {reason}"


def duplicate(path: str, value: Any) -> str:
    """
    Say that a value stands there a second time.
    """
    return f"{path}: Duplicate value: {json.dumps(value)}"


def not_found(path: str, value: str) -> str:
    """
    Say that what a value names isn't there.
    """
    return f"{path}: Not found: {json.dumps(value)}"


def forbidden(path: str, reason: str) -> str:
    """
    Say that a field may not be set.
    """
    return f"{path}: Forbidden: {reason}"


def unsupported(path: str, value: Any, known: Collection[str]) -> str:
    """
    Say that a value is none of the known ones.
    """
    shown = ", ".join(json.dumps(each) for each in sorted(known))
    return f"{path}: Unsupported value: {json.dumps(value)}: supported values: {shown}"


def checked(path: str, value: Any, check: Callable[[Any], str]) -> Iterator[str]:
    """
    Yield what *check* says about *value*.
    """
    if reason := check(value):
        yield invalid(path, value, reason)


def needed(path: str, value: Any, check: Callable[[Any], str]) -> Iterator[str]:
    """
    Yield that *value* is needed, or what *check* says about it.
    """
    if value:
        yield from checked(path, value, check)
    else:
        yield required(path)


def one_of(path: str, value: str, known: Collection[str]) -> Iterator[str]:
    """
    Yield that *value* is none of *known*, or needed if it is empty.
    """
    if not value:
        yield required(path)
    elif value not in known:
        yield unsupported(path, value, known)


def not_negative(path: str, value: int) -> Iterator[str]:
    """
    Yield that *value* is below zero.
    """
    if value < 0:
        yield invalid(path, value, "must be greater than or equal to 0")
