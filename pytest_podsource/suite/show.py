"""
Lines for people: steps, what was expected of them, what came.

Rule: generated UIDs show as the names that they are bound to, ``$old``; one without a
name becomes ``$uid1``, ``$uid2`` in the order in which they are met.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pytest_podsource.contract import Pod, PodUpdate, SourceUpdate
from pytest_podsource.core.durations import parse_ns
from pytest_podsource.suite.durations import is_duration, text_of
from pytest_podsource.suite.expect import OPERATIONS, entries
from pytest_podsource.suite.pods import look_up, name_of
from pytest_podsource.suite.steps import CONTENTS, Step
from pytest_podsource.suite.values import name_in
from pytest_podsource.world.base import Seen, StreamName

_UID = re.compile(r"\b[0-9a-f]{32}\b")
_WIDEST = 60
_MOST_PODS = 8


class Shown:
    """
    How the values of one case are written; keeps the names of its UIDs.

    Args:
        source: The source whose name goes without saying, empty if there are several.
    """

    def __init__(self, source: str = "") -> None:
        self._source = source
        self._names: dict[str, str] = {}

    def learn(self, names: Mapping[str, Any]) -> None:
        """Write the values of *names* as ``$name`` from now on."""
        for name, value in names.items():
            if isinstance(value, str) and len(value) > 1:
                self._names.setdefault(value, f"${name}")

    def guess(self, expected: Any, seen: Iterable[Seen]) -> None:
        """Give names that are still free in *expected* to UIDs that are new."""
        free = [f"${name}" for name in _names_in(expected)]
        free = [name for name in free if name not in self._names.values()]
        uids = [look_up(pod, "uid") for each in seen for pod in _pods_of(each.value)]
        found = [uid for uid in uids if isinstance(uid, str) and _UID.fullmatch(uid)]
        new = [uid for uid in found if uid not in self._names]
        self._names.update(zip(dict.fromkeys(new), free, strict=False))

    def value(self, value: Any) -> str:
        """Return *value* in one line, cut off where it is long."""
        text = value if isinstance(value, str) else _json(value)
        for known, name in self._names.items():
            if text == known or len(known) >= 32:  # noqa: PLR2004 - hex digits of a UID
                text = text.replace(known, name)
        text = _UID.sub(lambda found: self._new(found[0]), text)
        return _short(text)

    def result(self, value: Any, expected: Any) -> str:
        """Return a returned *value*, as a duration where *expected* is one."""
        if is_duration(value):
            return text_of(parse_ns(value))
        if is_duration(expected) and type(value) is int:
            return text_of(value)
        return self.value(value)

    def pods(self, value: Any, expected: Any) -> str:
        """Return pods that were returned, with the keys that *expected* asks for."""
        listed = value if isinstance(value, (list, tuple)) else [value]
        if not all(isinstance(each, Mapping) for each in listed):
            return self.value(value)
        wanted = expected if isinstance(expected, (list, Mapping)) else []
        return self._pods(listed, _keys_in([{"SET": _listing(wanted)}]))

    def expected_pods(self, expected: Any) -> str:
        """Return what pods were expected to be returned."""
        return self._expected_pods(_listing(expected))

    def expected(self, kind: StreamName, stream: Any) -> list[str]:
        """Return a line for each entry of a STREAM."""
        return [self._expected(kind, each) for each in entries(stream)]

    def seen(self, kind: StreamName, seen: Sequence[Seen], stream: Any) -> list[str]:
        """Return a line for each entry that came, with the keys that *stream* asks for."""
        keys = _keys_in(stream)
        timed = '"at"' in json.dumps(stream) or kind == "watches"
        return [self._seen(kind, each, keys, timed=timed) for each in seen]

    def _expected(self, kind: StreamName, entry: Any) -> str:
        if not isinstance(entry, Mapping):
            return f"watch at {_time(entry)}" if kind == "watches" else str(entry)
        at = f" at {_time(entry['at'])}" if "at" in entry else ""
        if kind == "expect":
            op = next((key for key in entry if key in OPERATIONS), "?")
            source = entry.get("source", self._source)
            return f"{op}{_spaced(source)} {self._expected_pods(entry.get(op))}{at}"
        if kind == "calls":
            handler = next((key for key in entry if key != "at"), "?")
            return f"{handler} {self._expected_pods(entry.get(handler))}{at}"
        fields = {key: value for key, value in entry.items() if key != "at"}
        return f"{_SINGULAR[kind]}{_spaced(self._fields(fields))}{at}"

    def _seen(
        self, kind: StreamName, seen: Seen, keys: Sequence[str], *, timed: bool
    ) -> str:
        at = f" at {text_of(seen.at_ns)}" if timed else ""
        if kind == "expect" and not isinstance(seen.value, (SourceUpdate, PodUpdate)):
            return f"{self.value(seen.value)} is no update{at}"
        if kind == "expect":
            pods = self._pods(seen.value.pods, keys)
            return f"{seen.value.op}{_spaced(seen.value.source)} {pods}{at}"
        if kind == "calls":
            return f"{seen.value['handler']} {self._pods(seen.value['pods'], keys)}{at}"
        if kind == "watches":
            return f"watch{at}"
        fields = dict(seen.value)
        if isinstance(fields.get("pod"), Mapping):
            fields["pod"] = look_up(fields["pod"], "name")
        return f"{_SINGULAR[kind]}{_spaced(self._fields(fields))}{at}"

    def _expected_pods(self, pods: Any) -> str:
        if isinstance(pods, Mapping) and "any_order" in pods:
            return f"{self._expected_pods(pods['any_order'])} in any order"
        if isinstance(pods, Mapping):
            return f"[{self.value(pods.get('count'))} pods]"
        if not isinstance(pods, list):
            return "[]" if pods is None else str(pods)
        return _listed([self._expected_pod(each) for each in pods])

    def _expected_pod(self, pod: Any) -> str:
        if not isinstance(pod, Mapping):
            return str(pod)
        others = {key: value for key, value in pod.items() if key != "name"}
        name = name_of(pod) if "name" in pod else ""
        return f"{name} {self._fields(others)}".strip()

    def _pods(self, pods: Any, keys: Sequence[str]) -> str:
        if not isinstance(pods, (list, tuple)):
            return self.value(pods)
        return _listed([self._pod(each, keys) for each in pods])

    def _pod(self, pod: Pod, keys: Sequence[str]) -> str:
        fields = {key: look_up(pod, key) for key in keys}
        present = {key: value for key, value in fields.items() if value is not None}
        return f"{name_of(pod)} {self._fields(present)}".strip()

    def _fields(self, fields: Mapping[str, Any]) -> str:
        return " ".join(f"{key}={self.value(value)}" for key, value in fields.items())

    def _new(self, uid: str) -> str:
        taken = sum(name.startswith("$uid") for name in self._names.values())
        return self._names.setdefault(uid, f"$uid{taken + 1}")


_SINGULAR = {"requests": "GET", "watches": "watch", "events": "event", "logs": "log"}


def done(step: Step) -> str:
    """
    Return what *step* does, as short as it can be said.
    """
    argument = step.argument
    if step.verb in {"send", "deliver", "api"}:
        argument = {key: _in_short(value) for key, value in argument.items()}
    elif step.verb in CONTENTS:
        argument = list(argument)
    return f"{step.verb or 'repeat'} {_short(_words(argument))}".strip()


def given(world: Mapping[str, Any]) -> str:
    """
    Return the world before the first step, as short as it can be said.
    """
    parts = [
        f"{key} {_words(list(value) if key == 'files' else value)}"
        for key, value in world.items()
    ]
    return "; ".join(_short(part) for part in parts)


def _in_short(pods: Any) -> Any:
    """
    Return P by its name, and a list of P by their names.
    """
    if isinstance(pods, list):
        return [name_of(each) for each in pods]
    return name_of(pods) if isinstance(pods, Mapping) else pods


def _words(argument: Any) -> str:
    if argument is None:
        return ""
    if isinstance(argument, Mapping):
        pairs = (f"{key} {_words(value)}".strip() for key, value in argument.items())
        return " ".join(pairs)
    if isinstance(argument, list):
        words = ", ".join(_words(each) for each in argument)
        return words if len(argument) == 1 else f"[{words}]"
    return argument if isinstance(argument, str) else json.dumps(argument)


def _short(text: str) -> str:
    """
    Return *text* in one line, cut off where it is long.
    """
    line = " ".join(text.split())
    return line if len(line) <= _WIDEST else f"{line[: _WIDEST - 4].rstrip()} ..."


def _pods_of(value: Any) -> Sequence[Any]:
    pods = (
        value.get("pods") if isinstance(value, Mapping) else getattr(value, "pods", ())
    )
    return pods if isinstance(pods, (list, tuple)) else ()


def _names_in(expected: Any) -> list[str]:
    if isinstance(expected, Mapping):
        return [name for each in expected.values() for name in _names_in(each)]
    if isinstance(expected, list):
        return [name for each in expected for name in _names_in(each)]
    name = name_in(expected)
    return [name] if name else []


def _listing(expected: Any) -> Any:
    """
    Return PODS; of one pod alone, a list of it.
    """
    words = expected.keys() if isinstance(expected, Mapping) else set()
    if isinstance(expected, list) or words & {"any_order", "count"}:
        return expected
    return [expected]


def _keys_in(stream: Any) -> list[str]:
    """
    Return the short keys that the pods of *stream* are asked for, each once.
    """
    found: dict[str, None] = {}
    for entry in entries(stream):
        for pods in entry.values() if isinstance(entry, Mapping) else ():
            listed = pods.get("any_order", ()) if isinstance(pods, Mapping) else pods
            for pod in listed if isinstance(listed, list) else ():
                if isinstance(pod, Mapping):
                    found.update(dict.fromkeys(pod))
    found.pop("name", None)
    return list(found)


def _listed(texts: Sequence[str]) -> str:
    shown = list(texts[:_MOST_PODS])
    if len(texts) > _MOST_PODS:
        shown.append(f"and {len(texts) - _MOST_PODS} more")
    return f"[{', '.join(shown)}]"


def _time(at: Any) -> str:
    return text_of(parse_ns(at)) if is_duration(at) else json.dumps(at)


def _spaced(text: str) -> str:
    return f" {text}" if text else ""


def _json(value: Any) -> str:
    try:
        return json.dumps(value, default=_plain)
    except (TypeError, ValueError):  # what an implementation gave, not a case
        return repr(value)


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, (set, frozenset)) else repr(value)
