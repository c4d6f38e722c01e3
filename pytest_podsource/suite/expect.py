"""
STREAM: whether what was seen is what was expected, and where the two part.

Rule 1: a list is matched exactly and in order. Rule 2: an entry of SET stands for one
or more equal neighbours, with ``at`` for those of that instant, within ``each`` for
one. Rule 3: nothing is reported but the first place where they part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

from pytest_podsource.contract import Operation, PodUpdate, SourceUpdate
from pytest_podsource.suite.values import Names, Values, assign
from pytest_podsource.world.base import Seen, StreamName

OPERATIONS: frozenset[str] = frozenset(get_args(Operation))


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """
    Where what was expected and what came part.

    Attributes:
        expected: Index of the first expected entry without its match.
        got: Index of the first entry that was seen and not expected.
    """

    expected: int
    got: int


def entries(stream: Any) -> list[Any]:
    """
    Return the entries of a STREAM as a story shows them, of the first alternative.
    """
    if stream == "any":
        return ["any"]
    if isinstance(stream, Mapping):
        ((word, inner),) = stream.items()
        return entries(inner[0]) if word == "one_of" else list(inner)
    return list(stream or ())


def judge(
    kind: StreamName, expected: Any, seen: Sequence[Seen], names: Names, values: Values
) -> Names | Divergence:
    """
    Match a STREAM.

    Args:
        kind: Which of the streams.
        expected: As in the grammar.
        seen: What came, in order.
        names: The names bound so far.
        values: How values are compared.

    Returns:
        The names bound by now, or where the two part.
    """
    if expected == "any":
        return names
    if not isinstance(expected, Mapping):
        return _Sequence(kind, expected or [], seen, values).match(names)
    ((word, inner),) = expected.items()
    if word == "one_of":
        return _one_of(kind, inner, seen, names, values)
    if word == "each":
        return _Sequence(kind, inner, seen, values, each=True).match(names)
    if word == "ends_with":
        return _ends_with(kind, inner, seen, names, values)
    return _any_order(kind, inner, seen, names, values)


def _one_of(
    kind: StreamName,
    alternatives: Sequence[Any],
    seen: Sequence[Seen],
    names: Names,
    values: Values,
) -> Names | Divergence:
    results = [judge(kind, each, seen, names, values) for each in alternatives]
    matched = [each for each in results if not isinstance(each, Divergence)]
    return matched[0] if matched else results[0]


def _ends_with(
    kind: StreamName,
    inner: Sequence[Any],
    seen: Sequence[Seen],
    names: Names,
    values: Values,
) -> Names | Divergence:
    for start in range(len(seen), -1, -1):
        found = _Sequence(kind, inner, seen[start:], values).match(names)
        if not isinstance(found, Divergence):
            return found
    first = max(0, len(seen) - len(inner))
    found = _Sequence(kind, inner, seen[first:], values).match(names)
    assert isinstance(found, Divergence), "it was tried above"
    return replace(found, got=first + found.got)


def _any_order(
    kind: StreamName,
    inner: Sequence[Any],
    seen: Sequence[Seen],
    names: Names,
    values: Values,
) -> Names | Divergence:
    entry = _ENTRIES[kind]
    single = [
        each
        for place, each in enumerate(seen)
        if not (place and _same_set(seen[place - 1], each))
    ]

    def match(expected: Any, got: Any, names: Names) -> Names | None:
        return entry(values, expected, got, names)

    found = assign(inner, single, match, names)
    return found if found is not None else _unassigned(inner, seen, match, names)


def _unassigned(
    inner: Sequence[Any],
    seen: Sequence[Seen],
    match: Callable[[Any, Any, Names], Names | None],
    names: Names,
) -> Divergence:
    lacking = [e for e in inner if all(match(e, s, names) is None for s in seen)]
    strange = [s for s in seen if all(match(e, s, names) is None for e in inner)]
    return Divergence(
        expected=list(inner).index(lacking[0]) if lacking else len(inner),
        got=list(seen).index(strange[0]) if strange else len(seen),
    )


class _Sequence:
    """
    One exact sequence, matched with as many equal neighbours as it takes.
    """

    def __init__(
        self,
        kind: StreamName,
        expected: Sequence[Any],
        seen: Sequence[Seen],
        values: Values,
        *,
        each: bool = False,
    ) -> None:
        self._entry = _ENTRIES[kind]
        self._expected = expected
        self._seen = seen
        self._values = values
        self._each = each
        self._furthest = (0, 0)
        self._tried: set[tuple[int, int, str]] = set()
        self._same = [
            place > 0 and _same_set(seen[place - 1], each)
            for place, each in enumerate(seen)
        ]

    def match(self, names: Names) -> Names | Divergence:
        found = self._from(0, 0, names)
        if found is not None:
            return found
        return Divergence(expected=self._furthest[0], got=self._furthest[1])

    def _from(self, i: int, j: int, names: Names) -> Names | None:
        self._furthest = max(self._furthest, (i, j))
        if i == len(self._expected):
            return names if j == len(self._seen) else None
        if j == len(self._seen):
            return None
        attempt = (i, j, repr(names))
        if attempt in self._tried:
            return None
        self._tried.add(attempt)
        found = self._entry(self._values, self._expected[i], self._seen[j], names)
        if found is None:
            return None
        return self._after(i, j, found)

    def _after(self, i: int, j: int, names: Names) -> Names | None:
        for end in reversed(self._ends(i, j)):
            found = self._from(i + 1, end, names)
            if found is not None:
                return found
        return None

    def _ends(self, i: int, j: int) -> list[int]:
        """
        Return where what entry *i* stands for may end: after one, or after an instant.

        Equal sets of one instant needn't be shared out in every way: if any way fits,
        then one of these does.
        """
        ends = [j + 1]
        if self._each:
            return ends
        at_once = "at" in self._expected[i]
        for k in range(j + 1, len(self._seen)):
            same_instant = self._seen[k].at_ns == self._seen[k - 1].at_ns
            if not self._same[k] or (at_once and not same_instant):
                break
            if same_instant and len(ends) > 1:
                ends.pop()
            ends.append(k + 1)
        return ends


def _same_set(one: Seen, other: Seen) -> bool:
    a, b = one.value, other.value
    if not (isinstance(a, SourceUpdate) and isinstance(b, SourceUpdate)):
        return False
    if (a.op, b.op, a.source) != ("SET", "SET", b.source):
        return False
    return a.pods == b.pods or _same_in_any_order(a.pods, b.pods)


def _same_in_any_order(pods: Sequence[Any], others: Sequence[Any]) -> bool:
    left = list(others)
    for pod in pods:
        if pod not in left:
            return False
        left.remove(pod)
    return not left


def _update(values: Values, expected: Any, seen: Seen, names: Names) -> Names | None:
    if not isinstance(seen.value, (SourceUpdate, PodUpdate)):
        return None
    operations = [key for key in expected if key in OPERATIONS]
    if operations != [seen.value.op]:
        return None
    if expected.get("source", seen.value.source) != seen.value.source:
        return None
    found = _at(values, expected, seen, names)
    if found is None:
        return None
    return values.pods(expected[operations[0]], seen.value.pods, found)


def _request(values: Values, expected: Any, seen: Seen, names: Names) -> Names | None:
    found = _at(values, expected, seen, names)
    for key, value in expected.items():
        if found is None or key == "at":
            continue
        got = seen.value.get(key)
        if key == "headers":
            found = _headers(values, value, got or (), found)
        else:
            found = values.value(value, got, found)
    return found


def _headers(
    values: Values, expected: Mapping[str, Any], got: Any, names: Names
) -> Names | None:
    pairs = got.items() if isinstance(got, Mapping) else got
    found: Names | None = names
    for name, value in expected.items():
        sent = [each for other, each in pairs if other.lower() == name.lower()]
        single = sent[0] if len(sent) == 1 else sent or None
        if found is not None:
            many = isinstance(value, list)
            found = values.value(value, sent if many else single, found)
    return found


def _watch(values: Values, expected: Any, seen: Seen, names: Names) -> Names | None:
    if not isinstance(expected, Mapping):
        expected = {"at": expected}
    path = expected.get("path")
    if path and not f"/{seen.value['path']}".endswith(f"/{path.lstrip('/')}"):
        return None
    return _at(values, expected, seen, names)


def _call(values: Values, expected: Any, seen: Seen, names: Names) -> Names | None:
    handlers = [key for key in expected if key != "at"]
    if handlers != [seen.value["handler"]]:
        return None
    found = _at(values, expected, seen, names)
    if found is None:
        return None
    return values.pods(expected[handlers[0]], seen.value["pods"], found)


def _event(values: Values, expected: Any, seen: Seen, names: Names) -> Names | None:
    found = _at(values, expected, seen, names)
    for key, value in expected.items():
        if found is None or key == "at":
            continue
        if key == "pod":
            found = values.pod(value, seen.value["pod"], found)
        else:
            found = values.value(value, seen.value.get(key), found)
    return found


def _log(values: Values, expected: Any, seen: Seen, names: Names) -> Names | None:
    about = expected.get("about")
    if about and not mentions(seen.value, about):
        return None
    found = _at(values, expected, seen, names)
    for key, value in expected.items():
        if found is not None and key not in {"at", "about"}:
            found = values.value(value, seen.value.get(key), found)
    return found


def mentions(value: Any, word: str) -> bool:
    """
    Return whether *word* stands in *value* or anywhere within it, in any case.
    """
    if isinstance(value, Mapping):
        return any(mentions(each, word) for each in value.values())
    if isinstance(value, (list, tuple)):
        return any(mentions(each, word) for each in value)
    return word.lower() in str(value).lower()


def _at(values: Values, expected: Any, seen: Seen, names: Names) -> Names | None:
    if "at" not in expected:
        return names
    return values.value(expected["at"], seen.at_ns, names)


_ENTRIES: Mapping[StreamName, Callable[[Values, Any, Seen, Names], Names | None]] = {
    "expect": _update,
    "requests": _request,
    "watches": _watch,
    "calls": _call,
    "events": _event,
    "logs": _log,
}
