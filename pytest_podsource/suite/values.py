"""
VALUE, POD and PODS: whether what came is what was expected.

Rule 1: a match gives the names that are bound afterwards, no match gives ``None``;
nothing is changed. Rule 2: ``None`` is what is absent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from pytest_podsource.core.durations import parse_ns
from pytest_podsource.suite.durations import is_duration
from pytest_podsource.suite.pods import look_up

Names: TypeAlias = Mapping[str, Any]
Match: TypeAlias = Callable[[Any, Any, Names], "Names | None"]

_NAME = re.compile(r"\$([a-z][a-z0-9_-]*)\Z")


def name_in(expected: Any) -> str | None:
    """
    Return the name that *expected* binds, if it is ``$name``.
    """
    found = _NAME.match(expected) if isinstance(expected, str) else None
    return None if not found or found[1] in {"any", "absent"} else found[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """
    How the values of one case are compared.

    Attributes:
        may_equal: Pairs of names that may have the same value.
        nil_and_empty: What is absent and what is empty are told apart.
    """

    may_equal: frozenset[frozenset[str]] = frozenset()
    nil_and_empty: bool = False

    def value(self, expected: Any, got: Any, names: Names) -> Names | None:
        """Match a VALUE."""
        if isinstance(expected, str) and expected.startswith("$"):
            return self._dollar(expected, got, names)
        if isinstance(expected, Mapping):
            return self._mapping(expected, got, names)
        if isinstance(expected, list):
            return self._list(expected, got, names)
        return names if self._literal(expected, got) else None

    def pod(self, expected: Any, pod: Any, names: Names) -> Names | None:
        """Match a POD: a name, or a mapping by short keys."""
        if not isinstance(pod, Mapping):  # an implementation gives what it likes
            return None
        if not isinstance(expected, Mapping):
            return self.value(expected, look_up(pod, "name"), names)
        found: Names | None = names
        for key, value in expected.items():
            if found is not None:
                found = self.value(value, look_up(pod, key), found)
        return found

    def pods(self, expected: Any, pods: Any, names: Names) -> Names | None:
        """Match PODS: a list in order, in any order, or counted."""
        if not _is_list(pods):
            return None
        if isinstance(expected, Mapping) and "count" in expected:
            return self.value(expected["count"], len(pods), names)
        if isinstance(expected, Mapping):
            return assign(expected["any_order"], pods, self.pod, names)
        if expected == "$any":
            return names
        return in_order(expected or [], pods, self.pod, names)

    def is_absent(self, got: Any) -> bool:
        """Return whether *got* counts as absent."""
        if got is None:
            return True
        return not self.nil_and_empty and got in ("", [], {}, ())

    def _dollar(self, expected: str, got: Any, names: Names) -> Names | None:
        if expected == "$absent":
            return names if self.is_absent(got) else None
        if expected == "$any":
            return None if got is None else names
        name = name_in(expected)
        if name is None:
            return names if self._literal(expected, got) else None
        return None if got is None else self._bind(name, got, names)

    def _bind(self, name: str, got: Any, names: Names) -> Names | None:
        if name in names:
            return names if names[name] == got else None
        for other, value in names.items():
            if value == got and frozenset((name, other)) not in self.may_equal:
                return None
        return {**names, name: got}

    def _mapping(
        self, expected: Mapping[str, Any], got: Any, names: Names
    ) -> Names | None:
        if len(expected) == 1:
            ((word, argument),) = expected.items()
            special = _SPECIAL.get(word)
            if special:
                return special(self, argument, got, names)
        if self.is_absent(got) and not self.nil_and_empty:
            got = {}
        if not isinstance(got, Mapping):
            return None
        found: Names | None = names
        for key, value in expected.items():
            if found is not None:
                found = self.value(value, got.get(key), found)
        return found

    def _list(self, expected: list[Any], got: Any, names: Names) -> Names | None:
        if not expected and self.is_absent(got) and not self.nil_and_empty:
            return names
        if not _is_list(got):
            return None
        return in_order(expected, got, self.value, names)

    def _literal(self, expected: Any, got: Any) -> bool:
        if isinstance(expected, bool) or isinstance(got, bool):
            return expected is got
        if isinstance(got, int) and is_duration(expected):
            return parse_ns(expected) == got
        if not self.nil_and_empty and expected in (None, ""):
            return self.is_absent(got)
        return bool(expected == got)

    def _between(self, bounds: Any, got: Any, names: Names) -> Names | None:
        low, high = (parse_ns(each) if is_duration(each) else each for each in bounds)
        number = isinstance(got, (int, float)) and not isinstance(got, bool)
        return names if number and low <= got <= high else None

    def _matches(self, pattern: Any, got: Any, names: Names) -> Names | None:
        return names if isinstance(got, str) and re.search(pattern, got) else None

    def _exact(self, expected: Any, got: Any, names: Names) -> Names | None:
        found = self.value(expected, got, names)
        if isinstance(got, Mapping) and set(got) - set(expected):
            return None
        return found

    def _any_order(self, expected: Any, got: Any, names: Names) -> Names | None:
        if self.is_absent(got) and not self.nil_and_empty:
            got = []
        return assign(expected, got, self.value, names) if _is_list(got) else None


_SPECIAL: Mapping[str, Callable[[Values, Any, Any, Names], Names | None]] = {
    "between": Values._between,
    "match": Values._matches,
    "exact": Values._exact,
    "any_order": Values._any_order,
}


def in_order(
    expected: Sequence[Any], got: Sequence[Any], match: Match, names: Names
) -> Names | None:
    """
    Match as many, each with the one at its place.
    """
    if len(expected) != len(got):
        return None
    found: Names | None = names
    for one, other in zip(expected, got, strict=True):
        if found is not None:
            found = match(one, other, found)
    return found


def assign(
    expected: Sequence[Any], got: Sequence[Any], match: Match, names: Names
) -> Names | None:
    """
    Match as many, each with another one, in whatever order.
    """
    if len(expected) != len(got):
        return None
    if not expected:
        return names
    for place, candidate in enumerate(got):
        found = match(expected[0], candidate, names)
        if found is not None:
            others = [*got[:place], *got[place + 1 :]]
            whole = assign(expected[1:], others, match, found)
            if whole is not None:
                return whole
    return None


def _is_list(got: Any) -> bool:
    return isinstance(got, (list, tuple, set, frozenset))
