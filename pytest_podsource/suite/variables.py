"""
``${name}`` in cases.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_NAME = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_-]*)\}")


def put_in(value: Any, variables: Mapping[str, Any]) -> Any:
    """
    Return *value* with *variables* put in; unknown names stay.

    A text that is nothing but ``${name}`` becomes the variable with its type.
    """
    if not variables:
        return value
    if isinstance(value, str):
        return _text(value, variables)
    if isinstance(value, dict):
        return {
            str(_text(key, variables)): put_in(each, variables)
            for key, each in value.items()
        }
    if isinstance(value, list):
        return [put_in(each, variables) for each in value]
    return value


def names_in(value: Any) -> set[str]:
    """
    Return the names of all variables in *value*.
    """
    return set(_NAME.findall(json.dumps(value)))


def _text(text: str, variables: Mapping[str, Any]) -> Any:
    if "${" not in text:
        return text
    whole = _NAME.fullmatch(text)
    if whole and whole[1] in variables:
        return variables[whole[1]]
    return _NAME.sub(
        lambda found: (
            _written(variables[found[1]]) if found[1] in variables else found[0]
        ),
        text,
    )


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
