"""
The recorder of updates: ``expect`` as in cases, and a table where they part.
"""

from __future__ import annotations

from typing import Any

import pytest

from pytest_podsource import Pods, PodUpdate, SourceUpdate, Updates
from pytest_podsource.contract import SECOND_NS

PODS = Pods()


@pytest.fixture
def updates() -> Updates:
    return Updates(now_ns=lambda: 3 * SECOND_NS)


def test_what_came_is_expected_and_then_forgotten(updates: Updates) -> None:
    """In order, by name; each call judges what came since the last one."""
    updates.add("ADD", [PODS("web"), PODS("db")])
    updates.add("REMOVE", [PODS("old")], source="http")

    updates.expect(
        [{"ADD": ["web", "db"], "at": "3s"}, {"REMOVE": ["old"], "source": "http"}]
    )

    updates.expect([])
    assert [each.op for each in updates.seen] == ["ADD", "REMOVE"]


def test_it_can_be_the_environments_send(updates: Updates) -> None:
    """Values of the contract, taken at once."""
    taken: list[int] = []
    set_ = SourceUpdate(source="file", pods=(PODS("web"),))
    removed = PodUpdate(op="REMOVE", source="file", pods=())

    updates.send(set_, lambda: taken.append(1))
    updates.send(removed)

    updates.expect([{"SET": ["web"]}, {"REMOVE": []}])
    assert taken == [1]


def test_fields_and_names_are_compared_over_several_calls(updates: Updates) -> None:
    """A UID is bound at first sight and must be the same, or another, later."""
    updates.add("ADD", [PODS("web", uid="a" * 32)])
    updates.expect([{"ADD": [{"name": "web", "uid": "$old"}]}])
    updates.add("REMOVE", [PODS("web", uid="a" * 32)])
    updates.add("ADD", [PODS("web", uid="b" * 32, image="nginx:2")])

    updates.expect(
        [{"REMOVE": [{"uid": "$old"}]}, {"ADD": [{"uid": "$new", "image": "nginx:2"}]}]
    )


def test_order_may_be_left_open(updates: Updates) -> None:
    """As in the grammar of cases."""
    updates.add("ADD", [PODS("b"), PODS("a")])
    updates.expect([{"ADD": {"any_order": ["a", "b"]}}])
    updates.add("ADD", [PODS("c")])

    updates.expect("any")


def test_difference_is_shown_side_by_side(updates: Updates) -> None:
    """With the first place where they part."""
    updates.add("ADD", [PODS("web")])
    updates.add("UPDATE", [PODS("web", image="nginx:2")])

    with pytest.raises(AssertionError) as caught:
        updates.expect([{"ADD": ["web"]}, {"REMOVE": ["web"]}, {"ADD": ["web"]}])

    assert str(caught.value).splitlines() == [
        "podsource_updates: they part at the first >",
        "  expected       got",
        "  ADD [web]      ADD file [web]",
        "> REMOVE [web]   UPDATE file [web]",
        "> ADD [web]      (nothing)",
    ]


def test_something_that_came_unexpected_is_shown(updates: Updates) -> None:
    """An empty list is an expectation."""
    updates.add("ADD", [PODS("web")])

    with pytest.raises(AssertionError, match=r"> \(nothing\) +ADD file \[web\]"):
        updates.expect([])


@pytest.mark.parametrize(
    "stream", ["all", [{"ADDED": ["web"]}], [{"ADD": [], "SET": []}], ["web"]]
)
def test_what_is_no_stream_is_refused(updates: Updates, stream: Any) -> None:
    """A slip isn't taken for a difference."""
    with pytest.raises(ValueError, match="expect: "):
        updates.expect(stream)


def test_time_counts_from_the_start() -> None:
    """Without a clock it is the real one."""
    updates = Updates()
    updates.add("ADD")

    updates.expect([{"ADD": [], "at": {"between": ["0s", "1h"]}}])
