"""
What counts as equal, rule by rule.
"""

from __future__ import annotations

from typing import Any

import pytest

from pytest_podsource.contract import Operation, SourceUpdate
from pytest_podsource.differential.equality import Happened, compare_traces
from pytest_podsource.world.base import Seen

A, B = "a" * 32, "b" * 32


def pod(name: str = "web", uid: str = A, **spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": name, "uid": uid}, "spec": spec}


def seen(*pods: dict[str, Any], at_ns: int = 0, op: Operation = "SET") -> Seen:
    return Seen(at_ns=at_ns, value=SourceUpdate(source="file", pods=pods, op=op))


def step(*updates: Seen, **outcome: Any) -> Happened:
    return Happened(step={"start": None}, updates=updates, outcome=outcome)


def event(type_: str = "Warning", message: str = "m") -> Happened:
    value = {"type": type_, "reason": "r", "pod": pod(), "message": message}
    return Happened(step={"start": None}, events=[Seen(at_ns=0, value=value)])


EQUAL = {
    "other UIDs": ([step(seen(pod(uid=A)))], [step(seen(pod(uid=B)))]),
    "null and missing": ([step(seen(pod(a=None)))], [step(seen(pod()))]),
    "empty and missing": ([step(seen(pod(a=[], limits={})))], [step(seen(pod()))]),
    "two equal sets": ([step(seen(pod()), seen(pod()))], [step(seen(pod()))]),
    "order of the pods of a set": (
        [step(seen(pod("a"), pod("b", B)))],
        [step(seen(pod("b", B), pod("a")))],
    ),
    "order at one instant": (
        [step(seen(), seen(pod()))],
        [step(seen(pod()), seen())],
    ),
    "the message of an event": ([event(message="x")], [event(message="y")]),
}
DIFFERENT = {
    "sameness of UIDs": (
        [step(seen(pod(uid=A))), step(seen(pod(uid=A)))],
        [step(seen(pod(uid=A))), step(seen(pod(uid=B)))],
    ),
    "two UIDs that become one": (
        [step(seen(pod("a", A), pod("b", B)))],
        [step(seen(pod("a", A), pod("b", A)))],
    ),
    "explicit UIDs": ([step(seen(pod(uid="x")))], [step(seen(pod(uid="y")))]),
    "a field": ([step(seen(pod(a=1)))], [step(seen(pod(a=2)))]),
    "false and 0": ([step(seen(pod(a=False)))], [step(seen(pod(a=0)))]),
    "the text of a label": (
        [step(seen({"metadata": {"labels": {"a": ""}}}))],
        [step(seen({"metadata": {"labels": {}}}))],
    ),
    "the instant": ([step(seen(pod()))], [step(seen(pod(), at_ns=1))]),
    "equal sets at two instants": (
        [step(seen(pod()), seen(pod(), at_ns=1))],
        [step(seen(pod()))],
    ),
    "order of the pods of an ADD": (
        [step(seen(pod("a"), pod("b", B), op="ADD"))],
        [step(seen(pod("b", B), pod("a"), op="ADD"))],
    ),
    "the operation": ([step(seen(pod(), op="ADD"))], [step(seen(pod(), op="UPDATE"))]),
    "what is returned": ([step(returned=True)], [step(returned=False)]),
    "parsed": (
        [step(raised="Refused", parsed=True)],
        [step(raised="Refused", parsed=False)],
    ),
    "the type of an event": ([event("Normal")], [event("Warning")]),
    "how far they came": ([step(), step()], [step()]),
}


@pytest.mark.parametrize("rule", EQUAL)
def test_what_may_differ_is_equal(rule: str) -> None:
    """An implementation is free in this."""
    ours, theirs = EQUAL[rule]

    assert compare_traces(ours, theirs, ordered=False) is None


@pytest.mark.parametrize("rule", DIFFERENT)
def test_what_counts_is_told(rule: str) -> None:
    """The step where they part is named, whichever side it is."""
    ours, theirs = DIFFERENT[rule]

    for one, other in ((ours, theirs), (theirs, ours)):
        parting = compare_traces(one, other, ordered=False)
        assert parting is not None
        assert parting.how


def test_in_one_step_of_podconfig_order_counts() -> None:
    """REMOVE before ADD is a rule, not a chance."""
    remove, add = seen(pod(), op="REMOVE"), seen(pod(uid=B), op="ADD")

    assert compare_traces([step(remove, add)], [step(add, remove)], ordered=True)
    assert not compare_traces([step(remove, add)], [step(add, remove)], ordered=False)
