"""
STREAM: exactly this, in this order, and where it parts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pytest_podsource.contract import PodUpdate
from pytest_podsource.suite.expect import Divergence, entries, judge
from pytest_podsource.suite.values import Names, Values
from pytest_podsource.world.base import Seen, StreamName

Make = Callable[..., Seen]
SECOND = 1_000_000_000


def _judge(expected: Any, came: list[Seen], kind: StreamName = "expect") -> Any:
    return judge(kind, expected, came, {}, Values())


def _fits(expected: Any, came: list[Seen], kind: StreamName = "expect") -> bool:
    return not isinstance(_judge(expected, came, kind), Divergence)


def test_list_is_matched_exactly_and_in_order(seen: Make) -> None:
    """Nothing more, nothing less, nothing in another order."""
    came = [seen("REMOVE", "a"), seen("ADD", "b")]

    assert _fits([{"REMOVE": ["a"]}, {"ADD": ["b"]}], came)
    assert not _fits([{"ADD": ["b"]}, {"REMOVE": ["a"]}], came)
    assert not _fits([{"REMOVE": ["a"]}], came)
    assert not _fits([{"REMOVE": ["a"]}, {"ADD": ["b"]}, {"ADD": ["c"]}], came)
    assert not _fits([], came)
    assert _fits([], [])
    assert _fits("any", came)


@pytest.mark.parametrize(
    ("expected", "part"),
    [
        ([{"ADD": ["x"]}, {"UPDATE": ["b"]}, {"DELETE": ["c"]}], (0, 0)),
        ([{"ADD": ["a"]}, {"ADD": ["b"]}, {"DELETE": ["c"]}], (1, 1)),
        ([{"ADD": ["a"]}, {"UPDATE": ["b"]}], (2, 2)),
        (
            [{"ADD": ["a"]}, {"UPDATE": ["b"]}, {"DELETE": ["c"]}, {"ADD": ["d"]}],
            (3, 3),
        ),
        ({"any_order": [{"ADD": ["a"]}, {"ADD": ["z"]}, {"DELETE": ["c"]}]}, (1, 1)),
        ({"any_order": [{"ADD": ["a"]}]}, (1, 1)),
        ({"ends_with": [{"ADD": ["c"]}]}, (0, 2)),
        ({"ends_with": [{"UPDATE": ["b"]}, {"DELETE": ["z"]}]}, (1, 2)),
        ({"one_of": [[{"ADD": ["a"]}], []]}, (1, 1)),
    ],
)
def test_first_place_where_they_part_is_named(
    seen: Make, expected: Any, part: tuple[int, int]
) -> None:
    """A story points at one line on each side."""
    came = [seen("ADD", "a"), seen("UPDATE", "b"), seen("DELETE", "c")]

    assert _judge(expected, came) == Divergence(expected=part[0], got=part[1])


def test_source_and_instant_count_where_they_are_said(seen: Make) -> None:
    """What isn't said isn't compared."""
    came = [seen("ADD", "a", source="http", at_ns=20 * SECOND)]

    assert _fits([{"ADD": ["a"]}], came)
    assert _fits([{"ADD": ["a"], "source": "http", "at": "20s"}], came)
    assert _fits([{"ADD": ["a"], "at": {"between": ["19s", "21s"]}}], came)
    assert not _fits([{"ADD": ["a"], "source": "file"}], came)
    assert not _fits([{"ADD": ["a"], "at": "20001ms"}], came)


def test_equal_neighbouring_sets_count_as_one(seen: Make) -> None:
    """A plain write tells one or two events, and both are right."""
    a, b = seen("SET", "a"), seen("SET", "a", "b")
    again = seen("SET", "b", "a")

    assert _fits([{"SET": ["a"]}], [a, a, a])
    assert _fits([{"SET": ["a"]}, {"SET": {"any_order": ["a", "b"]}}], [a, a, b, again])
    assert _fits([{"SET": ["a"]}, {"SET": ["a"]}], [a, a, a])
    assert not _fits([{"SET": ["a"]}, {"SET": ["a"]}], [a])
    assert not _fits([{"SET": ["a"]}], [a, b])
    assert not _fits([{"SET": ["a"]}, {"SET": ["a"]}], [a, b, a])
    assert not _fits([{"each": []}], [a])


def test_sets_of_two_sources_are_not_one(seen: Make) -> None:
    """Neighbours are equal only if they come from one source."""
    came = [seen("SET", "a"), seen("SET", "a", source="http")]

    assert not _fits([{"SET": ["a"]}], came)
    assert not _fits({"any_order": [{"SET": ["a"]}]}, came)


def test_set_of_pod_config_is_told_apart_from_that_of_a_source(seen: Make) -> None:
    """A SET that PodConfig sends on, up to 1.34, is an operation like any other."""
    one = seen("SET", "a")
    other = Seen(at_ns=0, value=PodUpdate(op="SET", source="file", pods=one.value.pods))

    assert not _fits([{"SET": ["a"]}], [one, other])
    assert not _fits([{"SET": ["a"]}], [other, other])
    assert not _fits([{"SET": ["a"]}], [one, Seen(at_ns=0, value="rubbish")])


def test_equal_operations_are_never_one(seen: Make) -> None:
    """Only whole sets may be told twice."""
    add = seen("ADD", "a")

    assert not _fits([{"ADD": ["a"]}], [add, add])


def test_set_with_an_instant_stands_for_those_of_that_instant(seen: Make) -> None:
    """Ticks are told apart although their sets are equal."""
    came = [seen("SET", "a", at_ns=n * SECOND) for n in (0, 0, 20)]

    assert _fits([{"SET": ["a"], "at": "0s"}, {"SET": ["a"], "at": "20s"}], came)
    assert not _fits([{"SET": ["a"], "at": "0s"}], came)
    assert _fits([{"SET": ["a"]}], came)


def test_each_counts_equal_sets_apart(seen: Make) -> None:
    """Where the number of sets is the point of the case."""
    a = seen("SET", "a")

    assert _fits({"each": [{"SET": ["a"]}, {"SET": ["a"]}]}, [a, a])
    assert not _fits({"each": [{"SET": ["a"]}]}, [a, a])


def test_any_order_takes_the_entries_in_whatever_order(seen: Make) -> None:
    """Equal neighbours of SET still count as one."""
    a, b = seen("SET", "a"), seen("SET", "b")

    assert _fits({"any_order": [{"SET": ["b"]}, {"SET": ["a"]}]}, [a, a, b])
    assert not _fits({"any_order": [{"SET": ["b"]}, {"SET": ["a"]}]}, [a, b, a])


def test_one_of_and_ends_with(seen: Make) -> None:
    """Alternatives, and what comes last whatever was before."""
    a, b = seen("ADD", "a"), seen("REMOVE", "a")
    either = {"one_of": [[], {"ends_with": [{"REMOVE": ["a"]}]}]}

    assert _fits(either, [])
    assert _fits(either, [a, a, b])
    assert not _fits(either, [b, a])


def test_names_are_bound_along_the_stream(seen: Make) -> None:
    """A UID that was added is the one that is removed."""
    came = [
        seen("REMOVE", {"name": "a", "uid": "1"}),
        seen("ADD", {"name": "a", "uid": "2"}),
    ]
    expected = [{"REMOVE": [{"uid": "$old"}]}, {"ADD": [{"uid": "$new"}]}]

    assert _judge(expected, came) == {"old": "1", "new": "2"}
    names: Names = {"old": "3"}
    assert judge("expect", expected, came, names, Values()) == Divergence(
        expected=0, got=0
    )


def test_hundreds_of_equal_sets_are_judged_at_once(seen: Make) -> None:
    """The number of ways to share them out doesn't matter."""
    came = [seen("SET", "a")] * 400

    assert not _fits([{"SET": ["a"]}] * 30 + [{"SET": ["b"]}], came)


REQUEST = {"url": "http://m/x", "headers": (("X-Tok", "1"), ("X-Tok", "2"), ("A", "b"))}


@pytest.mark.parametrize(
    ("expected", "fits"),
    [
        ({"at": "20s"}, True),
        ({"at": "21s"}, False),
        ({"url": "http://m/x"}, True),
        ({"url": {"match": "y$"}}, False),
        ({"headers": {"x-tok": ["1", "2"]}}, True),
        ({"headers": {"X-Tok": "1"}}, False),
        ({"headers": {"a": "b"}}, True),
        ({"headers": {"a": ["b"]}}, True),
        ({"headers": {"X-Tok": "$any"}}, True),
        ({"headers": {"C": "$absent"}}, True),
        ({"headers": {"A": "$absent"}}, False),
        ({"list": "$absent"}, True),
        ({"list": "spec.nodeName=node1"}, False),
        ({}, True),
    ],
)
def test_request_is_judged_by_fields_and_headers(expected: Any, *, fits: bool) -> None:
    """Names of headers are in any case, values of one name in order."""
    came = [Seen(at_ns=20 * SECOND, value=REQUEST)]

    assert _fits([expected], came, "requests") is fits


@pytest.mark.parametrize(
    ("expected", "fits"),
    [
        ("1s", True),
        ("2s", False),
        ({"path": "manifests"}, True),
        ({"path": "r/manifests", "at": "1s"}, True),
        ({"path": "ests"}, False),
        ({"at": "2s"}, False),
    ],
)
def test_watch_is_judged_by_instant_and_end_of_path(
    expected: Any, *, fits: bool
) -> None:
    """Where the world's root lies is nobody's business."""
    came = [Seen(at_ns=SECOND, value={"path": "/tmp/r/manifests"})]

    assert _fits([expected], came, "watches") is fits


@pytest.mark.parametrize(
    ("expected", "fits"),
    [
        ({"handle_pod_additions": ["a"]}, True),
        ({"handle_pod_additions": ["a"], "at": "0s"}, True),
        ({"handle_pod_additions": ["a"], "at": "1s"}, False),
        ({"handle_pod_additions": ["b"]}, False),
        ({"handle_pod_additions": None}, False),
        ({"handle_pod_updates": ["a"]}, False),
    ],
)
def test_call_is_judged_by_handler_and_pods(
    seen: Make, expected: Any, *, fits: bool
) -> None:
    """A handler without pods is written with null."""
    pods = seen("ADD", "a").value.pods
    came = [Seen(at_ns=0, value={"handler": "handle_pod_additions", "pods": pods})]
    cleanups = [Seen(at_ns=0, value={"handler": "handle_pod_cleanups", "pods": ()})]

    assert _fits([expected], came, "calls") is fits
    assert _fits([{"handle_pod_cleanups": None}], cleanups, "calls")


@pytest.mark.parametrize(
    ("expected", "fits"),
    [
        ({"type": "Warning", "pod": "a"}, True),
        ({"reason": "FailedValidation", "at": "0s"}, True),
        ({"pod": {"name": "a", "uid": "$u"}}, True),
        ({"pod": "b"}, False),
        ({"type": "$absent"}, False),
    ],
)
def test_event_is_judged_by_fields_and_pod(
    seen: Make, expected: Any, *, fits: bool
) -> None:
    """The text of an event is nobody's business."""
    (pod,) = seen("ADD", "a").value.pods
    value = {
        "type": "Warning",
        "reason": "FailedValidation",
        "pod": pod,
        "message": "x",
    }

    assert _fits([expected], [Seen(at_ns=0, value=value)], "events") is fits


@pytest.mark.parametrize(
    ("expected", "fits"),
    [
        ({"level": "error"}, True),
        ({"level": "info"}, False),
        ({"about": "A.yaml"}, True),
        ({"about": "b.yaml"}, False),
        ({"about": "refused", "at": "0s"}, True),
        ({"path": "/m/a.yaml"}, True),
        ({"path": "$absent"}, False),
    ],
)
def test_log_is_judged_by_level_fields_and_a_word(expected: Any, *, fits: bool) -> None:
    """A word may stand in the message or in any field."""
    value = {"level": "error", "message": "refused", "path": "/m/a.yaml", "n": [1]}

    assert _fits([expected], [Seen(at_ns=0, value=value)], "logs") is fits


@pytest.mark.parametrize(
    ("stream", "lines"),
    [
        ("any", ["any"]),
        (None, []),
        ([1, 2], [1, 2]),
        ({"any_order": [1]}, [1]),
        ({"one_of": [{"ends_with": [3]}, []]}, [3]),
    ],
)
def test_story_shows_the_entries_of_the_first_alternative(
    stream: Any, lines: list[Any]
) -> None:
    """Whatever the form, there is a line for each entry."""
    assert entries(stream) == lines
