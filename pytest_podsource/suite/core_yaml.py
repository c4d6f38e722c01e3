"""
YAML as cases are written: the core schema of YAML 1.2, with the line of every key.

Rule 1: ``yes``, ``no``, dates and ``0o17`` are texts. Rule 2: keys are texts and come
once. Rule 3: no tags, no merge keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import yaml

from pytest_podsource.exceptions import CaseError

_BASE = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULLS = {"", "~", "null", "Null", "NULL"}
_BOOLEANS = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]+\Z")


class Document:
    """
    One YAML file: its value, and the line of any place in it.

    Args:
        path: The file; errors name it.

    Raises:
        CaseError: It can't be read, or breaks a rule of the format.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._root = _compose(path)
        self.value: Any = self._build(self._root)

    def where(self, keys: Sequence[str | int] = ()) -> str:
        """Return file, line and key of the place that *keys* lead to."""
        node = self._root
        for key in keys:
            node = _child(node, key) or node
        line = f"line {node.start_mark.line + 1}" if node else "line 1"
        dotted = ".".join(str(key) for key in keys)
        return f"{self.path}, {line}" + (f", {dotted}" if dotted else "")

    def _build(self, node: yaml.Node | None) -> Any:
        if node is None:
            return None
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node)
        if isinstance(node, yaml.SequenceNode):
            return [self._build(each) for each in node.value]
        quoted = isinstance(node, yaml.ScalarNode) and node.style
        return node.value if quoted else _plain(node.value)

    def _mapping(self, node: yaml.MappingNode) -> dict[str, Any]:
        built: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise self._error(key, "a key is not a text. Write a plain name.")
            if key.value in built:
                raise self._error(key, f"the key {key.value!r} is there twice.")
            built[key.value] = self._build(value)
        return built

    def _error(self, node: yaml.Node, reason: str) -> CaseError:
        return CaseError(f"{self.path}, line {node.start_mark.line + 1}", reason)


def _compose(path: Path) -> yaml.Node | None:
    try:
        loader = _BASE(path.read_bytes())
    except OSError as error:
        raise CaseError(str(path), f"can't be read: {error.strerror}.") from error
    try:
        node: yaml.Node | None = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise CaseError(f"{path}, line {line}", f"{error.problem}.") from error
    except yaml.YAMLError as error:
        raise CaseError(f"{path}, line 1", f"{error}.") from error
    finally:
        loader.dispose()
    return node


def _plain(text: str) -> Any:
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _INTEGER.match(text):
        return int(text)
    if _HEXADECIMAL.match(text):
        return int(text, 16)
    if _FLOAT.match(text) and not _LEADING_ZERO.match(text):
        return float(text)
    return text


def _child(node: yaml.Node | None, key: str | int) -> yaml.Node | None:
    if isinstance(node, yaml.SequenceNode) and isinstance(key, int):
        items: Sequence[yaml.Node] = node.value
        return items[key] if key < len(items) else None
    if isinstance(node, yaml.MappingNode):
        return _value_of(node.value, str(key))
    return None


def _value_of(
    pairs: Iterable[tuple[yaml.Node, yaml.Node]], key: str
) -> yaml.Node | None:
    return next((value for name, value in pairs if name.value == key), None)
