"""
Label and field selectors: a text in, a predicate out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from pytest_podsource.apiserver.failures import failure
from pytest_podsource.apiserver.kinds import Kind, Object

Predicate: TypeAlias = Callable[[Object], bool]

_KEY = r"(?:[A-Za-z0-9.-]+/)?[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"
_VALUE = r"(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?"
_SET = re.compile(rf"({_KEY})\s+(in|notin)\s*\(([^()]*)\)")
_COMPARED = re.compile(rf"({_KEY})\s*(==|=|!=|>|<)\s*({_VALUE})")
_PRESENT = re.compile(rf"(!?)\s*({_KEY})")
_COMMA = re.compile(r",(?![^()]*\))")
_TERM = re.compile(r"((?:[^=!\\,]|\\.)*)(==|!=|=)((?:[^=\\,]|\\.)*)")
_FIELD_COMMA = re.compile(r"((?:[^\\,]|\\.)*)(?:,|$)")


def by_labels(text: str) -> Predicate:
    """
    Return what *text* selects, such as ``app=web,tier in (a, b),!old``.

    Raises:
        Failure: 400: it can't be read.
    """
    if not text.strip():
        return _everything
    tests = [_requirement(part.strip()) for part in _COMMA.split(text)]

    def selects(thing: Object) -> bool:
        labels = (thing.get("metadata") or {}).get("labels") or {}
        return all(test(labels) for test in tests)

    return selects


def by_fields(kind: Kind, text: str) -> Predicate:
    """
    Return what *text* selects, such as ``spec.nodeName=node1,status.phase!=Failed``.

    Raises:
        Failure: 400: it can't be read, or *kind* can't be selected by that field.
    """
    terms = [_term(kind, part) for part in _field_parts(text)]
    if not terms:
        return _everything
    return lambda thing: all(
        (_field(thing, path, kind.fields[path]) == value) == equal
        for path, value, equal in terms
    )


def _everything(thing: Object) -> bool:
    return True


def _requirement(text: str) -> Callable[[Mapping[str, str]], bool]:
    if found := _SET.fullmatch(text):
        key, word, values = found.groups()
        return _among(
            key, {each.strip() for each in values.split(",")}, wanted=word == "in"
        )
    if found := _COMPARED.fullmatch(text):
        key, sign, value = found.groups()
        if sign in "<>":
            return _beyond(key, sign, value)
        return _among(key, {value}, wanted=sign != "!=")
    if found := _PRESENT.fullmatch(text):
        absent, key = found.groups()
        return lambda labels: (key in labels) != bool(absent)
    raise failure(400, f"unable to parse requirement: {text!r}")


def _among(
    key: str, values: set[str], *, wanted: bool
) -> Callable[[Mapping[str, str]], bool]:
    if wanted:
        return lambda labels: labels.get(key) in values
    return lambda labels: labels.get(key) not in values


def _beyond(key: str, sign: str, value: str) -> Callable[[Mapping[str, str]], bool]:
    if not re.fullmatch(r"[0-9]+", value):
        raise failure(400, f"unable to parse requirement: {value!r} is not a number")
    limit = int(value)

    def test(labels: Mapping[str, str]) -> bool:
        text = labels.get(key, "")
        if not re.fullmatch(r"-?[0-9]+", text):
            return False
        return int(text) > limit if sign == ">" else int(text) < limit

    return test


def _field_parts(text: str) -> Iterator[str]:
    yield from (part for part in _FIELD_COMMA.findall(text) if part)


def _term(kind: Kind, text: str) -> tuple[str, str, bool]:
    found = _TERM.fullmatch(text)
    if found is None:
        raise failure(
            400, f"invalid selector: {text!r}; can't understand {_unescaped(text)!r}"
        )
    label, sign, value = found.groups()
    path = kind.aliases.get(label, label)
    if path not in kind.fields:
        raise failure(400, f"field label not supported: {label}")
    return path, _unescaped(value), sign != "!="


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def _field(thing: Object, path: str, unset: str) -> str:
    value: Any = thing
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    if value in (None, "") or isinstance(value, (Mapping, list)):
        return unset
    return str(value).lower() if isinstance(value, bool) else str(value)
