"""
What a text says and what a YAML reader makes of it, where that isn't the same.

Rule 1: a value is odd if it looks like a text and isn't one, or like another number.
Rule 2: ``0644`` for the mode of a file is what was meant.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from pytest_podsource.core.manifest.scalars import plain

_MODES = frozenset({"mode", "defaultMode"})
# A cheap look before the long one: words and numbers that are worth it.
_SUSPECT = re.compile(
    rb"(?:^|[\s,\[{:])(?:y|n|yes|no|on|off|~|null|[-+]?0[0-9xXoObB_][\w]*|[-+]?[0-9]+_[0-9_]*|\+[0-9]+)"
    rb"(?=[\s,\]}:#]|\Z)|-[ \t]*(?:$|#)",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Odd:
    """
    A value, or key, that isn't what it looks like.

    Attributes:
        line: Where it stands.
        field: Its path.
        message: What it is read as.
        hint: How to write what was probably meant.
    """

    line: int
    field: str
    message: str
    hint: str


def odd_values(data: bytes, root: yaml.Node | None) -> Iterator[Odd]:
    """
    Yield the scalars of *root* that YAML reads as something else.
    """
    if root is not None and _SUSPECT.search(data):
        yield from _odd(root, "", "")


def repeated_keys(root: yaml.Node | None, path: str = "") -> Iterator[tuple[int, str]]:
    """
    Yield line and path of each key that stands in its mapping a second time.
    """
    if isinstance(root, yaml.MappingNode):
        names: set[str] = set()
        for key, value in root.value:
            name = str(key.value)
            if name in names and name != "<<":
                yield key.start_mark.line + 1, _below(path, name)
            names.add(name)
            if not isinstance(value, yaml.ScalarNode):
                yield from repeated_keys(value, _below(path, name))
    elif isinstance(root, yaml.SequenceNode):
        for index, each in enumerate(root.value):
            if not isinstance(each, yaml.ScalarNode):
                yield from repeated_keys(each, f"{path}[{index}]")


def read_as(node: yaml.Node | None) -> str:
    """
    Return how the value of *node* differs from what stands there, empty if not.
    """
    if not isinstance(node, yaml.ScalarNode) or node.tag:
        return ""
    value = plain(node.value)
    if isinstance(value, str):
        return ""
    shown = json.dumps(value)
    return "" if shown == node.value else f"{node.value or 'nothing'!r} is {shown}"


def _odd(node: yaml.Node, path: str, key: str) -> Iterator[Odd]:
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            yield from _odd_key(name, path)
            yield from _odd(value, _below(path, str(name.value)), str(name.value))
    elif isinstance(node, yaml.SequenceNode):
        for index, each in enumerate(node.value):
            yield from _odd(each, f"{path}[{index}]", "-")
    elif isinstance(node, yaml.ScalarNode) and (told := _told(node, key)):
        yield Odd(node.start_mark.line + 1, path, told, _quote(node))


def _odd_key(key: yaml.Node, path: str) -> Iterator[Odd]:
    if not isinstance(key, yaml.ScalarNode) or key.tag:
        return
    value = plain(key.value)
    if isinstance(value, (bool, int)) and str(value).lower() != key.value:
        message = f"the key {key.value} is read as {json.dumps(value)}"
        field = _below(path, str(key.value))
        yield Odd(key.start_mark.line + 1, field, message, _quote(key))


def _told(node: yaml.ScalarNode, key: str) -> str:
    if node.tag:
        return ""
    value = plain(node.value)
    if value is None and key == "-":
        return f"{node.value or 'nothing'} in a list is read as an empty text"
    if isinstance(value, bool):
        same = node.value.lower() == str(value).lower()
        return "" if same else f"{node.value} is read as {json.dumps(value)}"
    if isinstance(value, int) and str(value) != node.value and key not in _MODES:
        return f"{node.value} is read as the number {value}"
    return ""


def _quote(node: yaml.ScalarNode) -> str:
    value = plain(node.value)
    if isinstance(value, bool):
        return f'Write {json.dumps(value)}, or "{node.value}" for a text.'
    if isinstance(value, int):
        return f'Write {value}, or "{node.value}" for a text.'
    return f'Write "{node.value}" for a text.'


def _below(path: str, name: str) -> str:
    plain_name = "." not in name and "/" not in name and "[" not in name
    if not path:
        return name if plain_name else f"[{name}]"
    return f"{path}.{name}" if plain_name else f"{path}[{name}]"
