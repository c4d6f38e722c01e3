"""
VALUE, POD and PODS match what the grammar says.
"""

from __future__ import annotations

from typing import Any

import pytest

from pytest_podsource.suite.pods import for_object
from pytest_podsource.suite.values import Values

MATCHES: list[tuple[Any, Any]] = [
    (1, 1),
    ("a", "a"),
    (None, None),
    (True, True),
    ("4s", 4_000_000_000),
    ("-1h", -3_600_000_000_000),
    ("4s", "4s"),
    ({"a": 1}, {"a": 1, "b": 2}),
    ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}),
    ({}, {"a": 1}),
    ({}, None),
    ({"exact": {"a": 1}}, {"a": 1}),
    ([1, "$any"], [1, 2]),
    ([1, 2], (1, 2)),
    ([], None),
    ("", None),
    ("$any", 0),
    ("$absent", None),
    ("$absent", []),
    ("$absent", ""),
    ({"a": "$absent"}, {"b": 1}),
    ({"between": [1, 2]}, 2),
    ({"between": ["1s", "2s"]}, 1_000_000_000),
    ({"match": "^a.c$"}, "abc"),
    ({"match": "b"}, "abc"),
    ({"any_order": [1, 2]}, [2, 1]),
    ({"any_order": []}, None),
    ("$5", "$5"),
    ("$(VAR)", "$(VAR)"),
    (1, 1.0),
]
DIFFERS: list[tuple[Any, Any]] = [
    (1, 2),
    (1, "1"),
    (1, True),
    (False, 0),
    (False, None),
    (0, None),
    ("4s", 4),
    ("4", 4),
    ("a", None),
    ("a", {"a": 1}),
    ({"a": 1}, {"b": 1}),
    ({"a": 1}, [1]),
    ({"exact": {"a": 1}}, {"a": 1, "b": 2}),
    ([1], [1, 2]),
    ([1, 2], [2, 1]),
    ([1], 1),
    ([], 0),
    ("$any", None),
    ("$absent", 0),
    ("$absent", False),
    ({"between": [1, 2]}, 3),
    ({"between": [0, 2]}, True),
    ({"between": [1, 2]}, "1"),
    ({"match": "^b"}, "abc"),
    ({"match": "1"}, 1),
    ({"any_order": [1, 1]}, [1, 2]),
    ({"any_order": [1]}, "1"),
]


@pytest.mark.parametrize(("expected", "got"), MATCHES)
def test_value_matches(expected: Any, got: Any) -> None:
    """A match binds nothing where there is no name."""
    assert Values().value(expected, got, {}) == {}


@pytest.mark.parametrize(("expected", "got"), DIFFERS)
def test_value_differs(expected: Any, got: Any) -> None:
    """Types count, order counts, and what is extra where it is said."""
    assert Values().value(expected, got, {}) is None


@pytest.mark.parametrize(
    ("expected", "got"), [("$absent", []), ({}, None), ([], None), ("$absent", "")]
)
def test_nil_and_empty_differ_in_cases_of_that_level(expected: Any, got: Any) -> None:
    """Elsewhere they are alike, since many serialisers drop empties."""
    assert Values(nil_and_empty=True).value(expected, got, {}) is None
    assert Values().value(expected, got, {}) == {}


def test_empty_text_is_itself_at_every_level() -> None:
    """Where absent and empty differ, an empty text still equals an empty text."""
    strict = Values(nil_and_empty=True)

    assert strict.value("", "", {}) == {}
    assert strict.value(None, None, {}) == {}
    assert strict.value("", None, {}) is None


def test_name_binds_at_first_sight_and_must_be_equal_later() -> None:
    """A name keeps its value for the whole case."""
    values = Values()

    names = values.value(["$u", "$u"], ["x", "x"], {})

    assert names == {"u": "x"}
    assert values.value("$u", "y", names) is None
    assert values.value(["$u", "$u"], ["x", "y"], {}) is None


def test_two_names_have_different_values() -> None:
    """Unless the case says that they may be equal."""
    may = Values(may_equal=frozenset({frozenset({"a", "b"})}))

    assert Values().value(["$a", "$b"], ["x", "x"], {}) is None
    assert may.value(["$a", "$b"], ["x", "x"], {}) == {"a": "x", "b": "x"}
    assert may.value(["$a", "$c"], ["x", "x"], {}) is None


def test_name_needs_a_value() -> None:
    """What is absent can't be named."""
    assert Values().value({"uid": "$u"}, {}, {}) is None


def test_any_order_finds_the_assignment_that_fits_all() -> None:
    """A greedy choice that leaves the others without a match is taken back."""
    values = Values()

    names = values.value({"any_order": ["$u", 1]}, [1, 2], {})

    assert names == {"u": 2}


@pytest.mark.parametrize(
    ("expected", "matches"),
    [
        (["a", "b"], True),
        (["b", "a"], False),
        ({"any_order": ["b", "a"]}, True),
        ({"any_order": ["b"]}, False),
        ({"count": 2}, True),
        ({"count": 3}, False),
        ({"count": {"between": [1, 2]}}, True),
        ([{"name": "a", "image": "nginx:1"}, {"uid": "b_default"}], True),
        ([{"name": "a", "image": "other"}, "b"], False),
        ([{"spec": {"restartPolicy": "Always"}}, "b"], True),
        ([{"match": "^a"}, "b"], False),
        (["a"], False),
        ([], False),
        (None, False),
        ("$any", True),
    ],
)
def test_pods_match_by_name_or_short_keys(expected: Any, *, matches: bool) -> None:
    """A list is in order, and there are no pods beyond it."""
    pods = [for_object("a"), for_object("b")]

    assert (Values().pods(expected, pods, {}) is not None) is matches


def test_names_bound_in_one_pod_hold_in_the_next() -> None:
    """Two pods that share a UID can be expected."""
    pods = [for_object({"name": n, "uid": "u"}) for n in "ab"]

    expected = [{"name": "a", "uid": "$u"}, {"name": "b", "uid": "$u"}]
    assert Values().pods(expected, pods, {}) == {"u": "u"}
