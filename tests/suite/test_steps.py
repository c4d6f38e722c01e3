"""
Given, steps and calls become what worlds and connections take.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pytest_podsource.contract import SECOND_NS, PodUpdate, SourceUpdate
from pytest_podsource.exceptions import CaseError
from pytest_podsource.suite.calls import call_of
from pytest_podsource.suite.case import Case
from pytest_podsource.suite.pods import for_object
from pytest_podsource.suite.scene import scene_of
from pytest_podsource.suite.steps import (
    Step,
    for_world,
    steps_of,
    update_to_deliver,
    update_to_send,
)
from pytest_podsource.world.base import ScriptedReply

MakeCase = Callable[..., Case]


def _step(verb: str, argument: Any) -> Step:
    return Step(number=1, where="here", verb=verb, argument=argument)


def test_given_becomes_a_scene(a_case: MakeCase) -> None:
    """Durations are nanoseconds, contents bytes, pods objects."""
    case = a_case(
        component="file",
        given={
            "period": "1s",
            "headers": {"X": ["1", "2"]},
            "gates": {"g": True},
            "files": {"a": {"text": "x"}},
            "dir": "symlink",
            "user": "nobody",
            "replies": [{"status": 500}],
            "api": {"pods": ["a"]},
            "answers": {"all_ready": True},
            "watch": {"fails": "EMFILE", "times": 2},
            "wall": "1970-01-02T00:00:03.5Z",
        },
    )

    scene = scene_of(case, kubelet="1.20", seed=7)

    assert (scene.config.kubelet, scene.config.period_ns) == ("1.20", SECOND_NS)
    assert scene.config.headers == (("X", "1"), ("X", "2"))
    assert scene.config.gates == {"g": True}
    assert (scene.files, scene.dir, scene.user) == ({"a": b"x"}, "symlink", "nobody")
    assert scene.replies == [ScriptedReply(status=500)]
    assert scene.pods == [for_object("a")]
    assert scene.answers == {"all_ready": True}
    assert (scene.watch_fails, scene.watch_fails_times) == ("EMFILE", 2)
    assert scene.wall_ns == 86_403 * SECOND_NS + SECOND_NS // 2
    assert scene.seed == 7


@pytest.mark.parametrize(
    ("given", "sources"),
    [
        ({}, ("file",)),
        ({"files": {}}, ("file",)),
        ({"replies": []}, ("http",)),
        ({"dir": "missing", "url": "http://x", "api": {}}, ("file", "http", "api")),
        ({"files": {}, "sources": ["api"]}, ("api",)),
    ],
)
def test_sources_are_what_there_is_something_for(
    a_case: MakeCase, given: Any, sources: tuple[str, ...]
) -> None:
    """What the case says comes first."""
    case = a_case(component="sources", given=given)

    assert scene_of(case, kubelet="1.37").config.sources == sources


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"period": "20"}, "period can't be '20': '20' is not a duration"),
        ({"period": 20}, "period can't be 20"),
        ({"wall": "today"}, "wall can't be 'today'. Right would be 2024-"),
        ({"files": {"a": {}}}, "a content has one of text"),
    ],
)
def test_given_that_cant_be_made_is_refused(
    a_case: MakeCase, given: Any, reason: str
) -> None:
    """The error names the file and ``given``."""
    with pytest.raises(CaseError) as caught:
        scene_of(a_case(given=given), kubelet="1.37")

    assert str(caught.value).startswith(f"cases/podconfig/x.yaml, given: {reason}")


def test_rounds_are_spelled_out(a_case: MakeCase) -> None:
    """What is beside a repeat is judged once, after all rounds."""
    case = a_case(
        {"start": None},
        {
            "repeat": {"call": {"next": "${it}"}},
            "for": ["a", "b"],
            "then": {"advance": "1s", "expect": ["${it}"]},
            "logs": [],
        },
    )

    steps = steps_of(case)

    assert [(each.number, each.verb) for each in steps] == [
        (1, "start"),
        (2, "call"),
        (2, "advance"),
        (2, "call"),
        (2, "advance"),
        (2, ""),
    ]
    assert steps[3].argument == {"next": "b"}
    assert steps[4].expectations == {"expect": ["b"]}
    assert steps[5].expectations == {"logs": []}


def test_range_counts_from_zero(a_case: MakeCase) -> None:
    """The value of a round keeps its type."""
    step = {"repeat": {"call": {"get": "${it}"}}, "for": {"range": 3}}

    assert [each.argument["get"] for each in steps_of(a_case(step))] == [0, 1, 2]


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        ({"expect": []}, "step 1: a step has one verb; here: none."),
        ({"start": None, "stop": None}, "here: start, stop."),
        ({"repeat": {"start": None}}, "'for' can't be None. It is a list or"),
    ],
)
def test_step_without_exactly_one_verb_is_refused(
    a_case: MakeCase, step: Any, reason: str
) -> None:
    """The error names the step."""
    with pytest.raises(CaseError) as caught:
        steps_of(a_case(step))

    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("verb", "argument", "converted"),
    [
        ("place", {"a": {"text": "x"}}, {"a": b"x"}),
        ("rename", ["a", "b"], ["a", "b"]),
        ("jump", "-1h", -3600 * SECOND_NS),
        ("replies", [{"delay": "1s"}], [ScriptedReply(delay_ns=SECOND_NS)]),
        ("api", {"ADDED": "a"}, {"ADDED": for_object("a")}),
        ("api", {"ERROR": 410}, {"ERROR": 410}),
        ("api", {"end": None}, {"end": None}),
        ("hold", None, None),
    ],
)
def test_world_gets_bytes_replies_pods_and_nanoseconds(
    verb: str, argument: Any, converted: Any
) -> None:
    """A world knows nothing of the grammar of values."""
    assert for_world(_step(verb, argument)) == converted


@pytest.mark.parametrize(
    ("verb", "argument"), [("jump", 1), ("place", "a"), ("api", []), ("jump", "1")]
)
def test_argument_that_cant_be_converted_is_refused(verb: str, argument: Any) -> None:
    """It is the case's fault, and the step is named."""
    with pytest.raises(CaseError, match=f"^here: {verb} can't be"):
        for_world(_step(verb, argument))


def test_send_takes_one_source() -> None:
    """A set by default; older kubelets take other operations as well."""
    assert update_to_send(_step("send", {"file": ["a"]})) == SourceUpdate(
        source="file", pods=(for_object("a"),)
    )
    assert update_to_send(_step("send", {"file": None, "op": "ADD"})).op == "ADD"
    with pytest.raises(CaseError, match="send takes one source"):
        update_to_send(_step("send", {"file": [], "http": []}))


def test_deliver_takes_one_operation() -> None:
    """Also one that nobody knows."""
    assert update_to_deliver(_step("deliver", {"NONE": ["a"], "source": "api"})) == (
        PodUpdate(op="NONE", source="api", pods=(for_object("a"),))  # type: ignore[arg-type]
    )
    with pytest.raises(CaseError, match="deliver takes one operation"):
        update_to_deliver(_step("deliver", {"source": "api"}))


@pytest.mark.parametrize(
    ("component", "argument", "owner", "arguments"),
    [
        ("backoff", {"next": "a"}, "backoff", {"id_": "a", "event_ns": 5}),
        (
            "backoff",
            {"next": {"id": "a", "at": "-2ns"}},
            "backoff",
            {"id_": "a", "event_ns": 3},
        ),
        ("backoff", {"get": "a"}, "backoff", {"id_": "a"}),
        ("backoff", "gc", "backoff", {}),
        ("backoff", {"gc": None}, "backoff", {}),
        (
            "sources",
            {"seen_all_sources": ["file"]},
            "sources",
            {"seen": frozenset({"file"})},
        ),
        ("podconfig", {"seen_all_sources": None}, "podconfig", None),
        ("ready", {"seen_all_sources": []}, "podconfig", {"seen": frozenset()}),
        ("podconfig", {"channel": ""}, "podconfig", {"source": ""}),
        (
            "diff",
            {"diff_snapshots": {"old": {}, "new": {"a": 1}}},
            "diff",
            {"old": {}, "new": {"a": 1}},
        ),
        ("flags", {"parse_flags": ["--x"]}, "flags", {"argv": ["--x"]}),
    ],
)
def test_call_finds_its_component_and_arguments(
    component: str, argument: Any, owner: str, arguments: Any
) -> None:
    """The case's own component comes first; times are relative to now."""
    if arguments is None:
        with pytest.raises(CaseError, match="seen_all_sources needs 'seen'"):
            call_of(_step("call", argument), component, now_ns=5)
        return

    call = call_of(_step("call", argument), component, now_ns=5)

    assert call.component == owner
    assert call.arguments == arguments


def test_functions_take_settings_beside_their_content() -> None:
    """Path and node name are Config's, the rest is the text."""
    step = _step("call", {"decode_manifest": {"text": "x", "path": "/m/a"}})

    call = call_of(step, "manifest", now_ns=0)

    assert (call.arguments, call.config) == ({"data": b"x"}, {"path": "/m/a"})

    step = _step("call", {"parse_flags": {"argv": ["--x"], "node_name": "n"}})

    call = call_of(step, "flags", now_ns=0)

    assert (call.arguments, call.config) == ({"argv": ["--x"]}, {"node_name": "n"})


@pytest.mark.parametrize(
    ("argument", "reason"),
    [
        ({"nexxt": "a"}, "'nexxt' is no method. Known: add_source"),
        ({"get": "a", "next": "a"}, "call takes one method"),
        ({"next": {"id": "a", "at": "soon"}}, "'soon' is not a duration"),
        ({"diff_snapshots": {"old": {}}}, "diff_snapshots needs 'new'"),
    ],
)
def test_call_that_is_no_call_is_refused(argument: Any, reason: str) -> None:
    """The known methods are named."""
    with pytest.raises(CaseError, match=f"^here: {reason}"):
        call_of(_step("call", argument), "backoff", now_ns=0)
