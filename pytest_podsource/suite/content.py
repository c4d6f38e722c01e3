"""
CONTENT and REPLY: what stands in a file or in an answer, as bytes.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from typing import Any

from pytest_podsource.core.durations import parse_ns
from pytest_podsource.exceptions import CaseError
from pytest_podsource.suite.pods import for_manifest
from pytest_podsource.suite.variables import put_in
from pytest_podsource.world.base import ScriptedReply

KINDS = ("text", "base64", "pod", "pods", "list")
MODIFIERS = ("as", "comment", "pad_to", "vars")
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*\Z")
_NOT_PLAIN = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}


def render(content: Mapping[str, Any], where: str) -> bytes:
    """
    Return the bytes of a CONTENT.

    Args:
        content: As in the grammar.
        where: Step of the case, for errors.

    Raises:
        CaseError: It isn't exactly one kind of content, or the parts don't go together.
    """
    kinds = [kind for kind in KINDS if kind in content]
    if len(kinds) != 1:
        raise CaseError(
            where, f"a content has one of {', '.join(KINDS)}; here: {kinds or 'none'}."
        )
    as_json = content.get("as") == "json"
    data = _body(kinds[0], put_in(content, content.get("vars") or {}), as_json=as_json)
    if "comment" in content:
        if as_json:
            raise CaseError(where, "JSON has no comments. Leave out 'comment' or 'as'.")
        data = b"# " + str(content["comment"]).encode() + b"\n" + data
    return _padded(data, content.get("pad_to"), where, as_json=as_json)


def reply(given: Mapping[str, Any], where: str) -> ScriptedReply:
    """
    Return what a REPLY stands for.

    Raises:
        CaseError: Its content can't be rendered.
    """
    has_body = any(kind in given for kind in KINDS)
    return ScriptedReply(
        status=given.get("status", 200),
        headers=headers(given.get("headers") or {}),
        body=render(given, where) if has_body else b"",
        delay_ns=parse_ns(given.get("delay", "0")),
        cut_at=given.get("cut_at"),
        error=given.get("error"),
    )


def headers(given: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """
    Return headers in order; a list is several values of one name.
    """
    return tuple(
        (name, str(value))
        for name, values in given.items()
        for value in (values if isinstance(values, list) else [values])
    )


def _body(kind: str, content: Mapping[str, Any], *, as_json: bool) -> bytes:
    value = content[kind]
    if kind == "text":
        return str(value).encode()
    if kind == "base64":
        return base64.b64decode(value)
    write = _json if as_json else _yaml
    if kind == "pod":
        return write(for_manifest(value)).encode()
    if kind == "pods":
        return "---\n".join(write(for_manifest(each)) for each in value).encode()
    items = [for_manifest(each) for each in value]
    return write({"apiVersion": "v1", "kind": "PodList", "items": items}).encode()


def _padded(data: bytes, size: int | None, where: str, *, as_json: bool) -> bytes:
    if size is None:
        return data
    missing = size - len(data)
    if missing < 0:
        raise CaseError(where, f"pad_to is {size}, the content has {len(data)} bytes.")
    filling = b" " * missing if as_json else (b"\n" + b"#" * missing)[:missing]
    return data + filling


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _yaml(value: Any) -> str:
    return "\n".join(_lines(value)) + "\n"


def _lines(value: Any) -> list[str]:
    """
    Write block YAML in which every text that could be read otherwise is quoted.
    """
    if isinstance(value, dict) and value:
        return [line for key, each in value.items() for line in _entry(key, each)]
    if isinstance(value, list) and value:
        return [line for each in value for line in _item(each)]
    return [_scalar(value)]


def _entry(key: str, value: Any) -> list[str]:
    inner = _lines(value)
    if isinstance(value, (dict, list)) and value:
        return [f"{_scalar(key)}:", *(f"  {line}" for line in inner)]
    return [f"{_scalar(key)}: {inner[0]}"]


def _item(value: Any) -> list[str]:
    first, *others = _lines(value)
    return [f"- {first}", *(f"  {line}" for line in others)]


def _scalar(value: Any) -> str:
    plain = isinstance(value, str) and _PLAIN.match(value)
    if plain and value.lower() not in _NOT_PLAIN:
        return str(value)
    return json.dumps(value, ensure_ascii=False)
