"""
Where things stand in the text of a manifest.

Rule 1: a field is a path as the API's errors have it: ``spec.containers[0].image``,
``metadata.labels[a.b]``. Rule 2: what isn't there stands where its parent stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from pytest_podsource.core.manifest import compose

_SEGMENT = re.compile(r"\.?([^.\[\]]+)|\[([^\]]*)\]")
_NEXT_DOCUMENT = re.compile(rb"^(?:\xef\xbb\xbf)?---(?:[ \t\r\n]|\Z)")


def nodes_of(data: bytes) -> yaml.Node | None:
    """
    Return the nodes of *data*, JSON or YAML, ``None`` where it can't be parsed.
    """
    try:
        return compose(data)
    except (yaml.YAMLError, UnicodeError, RecursionError):
        return None


def segments(field: str) -> list[str]:
    """
    Return the parts of a field's path: names, indexes and keys.
    """
    return [plain or bracketed for plain, bracketed in _SEGMENT.findall(field)]


def node_at(root: yaml.Node | None, field: str) -> yaml.Node | None:
    """
    Return the node of *field*'s value, ``None`` if it isn't there.
    """
    found = _way(root, field)
    return found[-1][1] if len(found) == len(segments(field)) + 1 else None


def line_of(root: yaml.Node | None, field: str) -> int:
    """
    Return the line where *field* stands, or its nearest parent; 0 without a text.

    A field of a mapping stands where its key stands.
    """
    found = _way(root, field)
    return found[-1][0] if found else 0


def next_document(data: bytes, root: yaml.Node | None) -> int:
    """
    Return the line of a second document that isn't empty, 0 if there is none.
    """
    if root is None or b"\n---" not in data:
        return 0
    lines = data.split(b"\n")
    for index in range(root.end_mark.line, len(lines)):
        if _NEXT_DOCUMENT.match(lines[index]) and _says_something(lines[index:]):
            return index + 1
    return 0


def _says_something(lines: list[bytes]) -> bool:
    texts = [lines[0].strip()[3:], *(line.strip() for line in lines[1:])]
    return any(
        text and not text.startswith(b"#") and text not in (b"---", b"...")
        for text in (each.strip() for each in texts)
    )


def _way(root: yaml.Node | None, field: str) -> list[tuple[int, yaml.Node]]:
    """Return line and node of each part of *field* that is there, from the root on."""
    if root is None:
        return []
    way = [(root.start_mark.line + 1, root)]
    for name in segments(field):
        step = next(_children(way[-1][1], name), None)
        if step is None:
            break
        way.append(step)
    return way


def _children(node: yaml.Node, name: str) -> Iterator[tuple[int, yaml.Node]]:
    if isinstance(node, yaml.SequenceNode):
        if name.isdecimal() and int(name) < len(node.value):
            item = node.value[int(name)]
            yield item.start_mark.line + 1, item
    elif isinstance(node, yaml.MappingNode):
        for key, value in reversed(node.value):  # the last one counts
            if key.value == name:
                yield key.start_mark.line + 1, value
