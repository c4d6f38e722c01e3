"""
The bytes of a manifest as one JSON value, the way the kubelet reads them.

Rule 1: what begins with ``{`` is JSON and nothing else; all other text is YAML. Rule 2:
of several YAML documents the first counts, the rest isn't looked at. Rule 3: plain
scalars are read by the rules of go-yaml: ``y``, ``yes`` and ``on`` are booleans, dates
and ``1:20`` are texts, ``010`` is eight. Rule 4: a key given twice counts the last time,
a merge key in the place where it stands; in JSON objects of one key grow together. Rule 5: a JSON key is a text.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import yaml

from pytest_podsource.contract import Refused
from pytest_podsource.core.manifest.scalars import (
    is_date,
    json_float,
    key_float,
    plain,
)

Value: TypeAlias = Any

_TAG = "tag:yaml.org,2002:"
_RESOLVED = ("bool", "int", "float", "null", "timestamp")
_LARGEST_KEY = 2**63 - 1
_MOST_DIGITS = 100
# go-yaml's measure against documents that grow by aliases of aliases.
_MANY_NODES = 4_000_000


@dataclass(frozen=True, slots=True)
class Number:
    """
    A JSON number that isn't written as a whole one, as it is written.
    """

    text: str


@dataclass(frozen=True, slots=True)
class Document:
    """
    What a text holds, and where it stands there.

    Attributes:
        value: The JSON value.
        root: The node of YAML that it was made of; ``None`` for JSON and for nothing.
    """

    value: Value
    root: yaml.Node | None = None


def read(data: bytes) -> Value:
    """
    Return *data* as a JSON value: of YAML, the first document.

    Raises:
        Refused: It is neither JSON nor YAML.

    Kubelet: ``yaml.ToJSON`` in apimachinery.
    """
    return read_document(data).value


def read_document(data: bytes) -> Document:
    """
    Return what *data* holds, as :func:`read` does, with its place in the text.

    Raises:
        Refused: It is neither JSON nor YAML.
    """
    try:
        if is_json(data):
            return Document(_read_json(data))
        return _read_yaml(data)
    except RecursionError:
        raise Refused("the text is nested too deeply") from None


def is_json(data: bytes) -> bool:
    """
    Return whether *data* is read as JSON and as nothing else.
    """
    return data.lstrip().startswith(b"{")


def compose(data: bytes) -> yaml.Node | None:
    """
    Return the nodes of the first document of YAML in *data*, ``None`` for none.

    Raises:
        yaml.YAMLError: It isn't YAML.
    """
    loader = _loader()(data)
    try:
        node: yaml.Node | None = loader.get_node() if loader.check_node() else None
        return node
    finally:
        loader.dispose()


def _read_json(data: bytes) -> Value:
    try:
        return json.loads(
            data.decode("utf-8", "replace"),
            parse_float=Number,
            parse_int=_json_int,
            parse_constant=_no_constant,
            object_pairs_hook=_object,
        )
    except ValueError as error:
        raise Refused(
            f"the text begins with '{{' and isn't JSON: {error}. Right would be one "
            "JSON object with nothing behind it."
        ) from error


def _json_int(text: str) -> int | Number:
    # Python reads no decimal number of any length, and no field takes such a one.
    return int(text) if len(text) <= _MOST_DIGITS else Number(text)


def _object(pairs: list[tuple[str, Value]]) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for key, value in pairs:
        found[key] = _merged(found[key], value) if key in found else value
    return found


def _merged(old: Value, new: Value) -> Value:
    """
    Return what a JSON value becomes that comes a second time under one key.

    Go decodes into what it already has, so objects and lists grow together.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        both = {key: _merged(old[key], new[key]) for key in old.keys() & new.keys()}
        return {**old, **new, **both}
    if isinstance(old, list) and isinstance(new, list):
        both_lists = [_merged(*pair) for pair in zip(old, new)]  # noqa: B905 - the shorter counts
        return both_lists + new[len(old) :]
    return old if new is None and not isinstance(old, (dict, list)) else new


def _no_constant(text: str) -> Value:
    raise ValueError(f"{text} is not a JSON value")


def _read_yaml(data: bytes) -> Document:
    try:
        root = compose(data)
        return Document(None if root is None else _Values().value(root), root)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}: " if mark else ""
        raise Refused(f"{where}not YAML: {error.problem or error.context}") from error
    except (yaml.YAMLError, UnicodeError) as error:
        raise Refused(f"not YAML: {error}") from error


@cache
def _loader() -> Any:
    # The parser of libyaml where PyYAML has it; nodes only, so no tag is resolved here.
    parser: Any = getattr(yaml, "CLoader", yaml.Loader)

    class Nodes(parser):  # type: ignore[misc]
        def resolve(self, kind: Any, value: Any, implicit: Any) -> str:
            plain = kind is yaml.ScalarNode and implicit[0]
            return "" if plain else f"{_TAG}str"

        # There are no resolvers by path, for which each node would be asked.
        def descend_resolver(self, *place: Any) -> None: ...

        def ascend_resolver(self) -> None: ...

    return Nodes


class _Values:
    """
    Makes values of the nodes of one document.
    """

    def __init__(self) -> None:
        self._nodes = 0
        self._flows = 0
        self._open: set[int] = set()

    def value(self, node: yaml.Node) -> Value:
        """Return the value of *node*."""
        self._nodes += 1
        if self._nodes > _MANY_NODES:
            raise Refused("the document is too large: aliases of aliases")
        if isinstance(node, yaml.ScalarNode):
            if self._flows:
                _refuse_question(node)
            value = _scalar(node)
            return _json_number(value, node) if isinstance(value, float) else value
        if id(node) in self._open:
            raise Refused(f"{_line(node)}: an anchor's value contains itself")
        self._open.add(id(node))
        flow = isinstance(node, yaml.CollectionNode) and bool(node.flow_style)
        self._flows += flow
        try:
            if isinstance(node, yaml.SequenceNode):
                return [self.value(each) for each in node.value]
            return self._mapping(node)
        finally:
            self._flows -= flow
            self._open.discard(id(node))

    def _mapping(self, node: yaml.Node) -> dict[str, Value]:
        found: dict[str, Value] = {}
        for key, value in node.value:
            if _is_merge(key):
                for each in self._merged(value):
                    found.update(each)
            else:
                found[self._key(key)] = self.value(value)
        return dict(sorted(found.items()))  # as Go writes a map; the first fault counts

    def _merged(self, node: yaml.Node) -> list[dict[str, Value]]:
        nodes = node.value if isinstance(node, yaml.SequenceNode) else [node]
        if not all(isinstance(each, yaml.MappingNode) for each in nodes):
            raise Refused(f"{_line(node)}: '<<' takes a mapping or a list of mappings")
        # The first one counts most.
        return [self._mapping(each) for each in reversed(nodes)]

    def _key(self, node: yaml.Node) -> str:
        key = None
        if isinstance(node, yaml.ScalarNode):
            if self._flows:
                _refuse_question(node)
            key = _scalar(node)
        if isinstance(key, str):
            return key
        if key is None:
            raise Refused(
                f"{_line(node)}: a key that is no text. Right would be a quoted text; "
                "a template's braces must be filled in first."
            )
        if isinstance(key, bool):
            return "true" if key else "false"
        if isinstance(key, int) and key > _LARGEST_KEY:
            raise Refused(f"{_line(node)}: {key} is too large for a key")
        return key_float(key) if isinstance(key, float) else str(key)


def _refuse_question(node: yaml.ScalarNode) -> None:
    # Within braces the kubelet's scanner takes it for the sign of a key, anywhere.
    if "?" in node.value and not node.style:
        raise Refused(
            f"{_line(node)}: not YAML: a question mark in a text between braces or "
            f"brackets. Quote {node.value!r}."
        )


def _is_merge(node: yaml.Node) -> bool:
    return (
        node.value == "<<"
        and isinstance(node, yaml.ScalarNode)
        and node.tag in ("", f"{_TAG}merge")
    )


def _scalar(node: yaml.ScalarNode) -> Value:
    text: str = node.value
    if not node.tag:
        return plain(text)
    tag = node.tag.removeprefix(_TAG)
    if tag == "binary":
        return _binary(text, node)
    if tag not in _RESOLVED:
        return text
    value = plain(text)
    kinds = {bool: "bool", int: "int", float: "float", type(None): "null"}
    kind = kinds.get(type(value), "timestamp" if is_date(text) else "str")
    if tag == "float" and isinstance(value, int) and kind == "int":
        return float(value)
    if tag == kind:
        return value
    raise Refused(f"{_line(node)}: {text!r} is not a {tag}")


def _binary(text: str, node: yaml.Node) -> str:
    try:
        return base64.b64decode(text).decode("utf-8", "replace")
    except binascii.Error as error:
        raise Refused(f"{_line(node)}: not base64: {error}") from error


def _json_number(value: float, node: yaml.Node) -> int | Number:
    if not math.isfinite(value):
        raise Refused(f"{_line(node)}: {node.value} has no place in JSON")
    text = json_float(value)
    return int(text) if text.lstrip("-").isdigit() else Number(text)


def _line(node: yaml.Node) -> str:
    return f"line {node.start_mark.line + 1}"
