"""
The words of the driver protocol: lines, and values to and from JSON.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_podsource.contract import (
    Config,
    PodUpdate,
    Reply,
    ServerStatus,
    SourceUpdate,
    WatchEvent,
)
from pytest_podsource.driver import protocol
from pytest_podsource.world.base import ScriptedReply
from pytest_podsource.world.replies import FAILURES, as_outcome


def over_the_wire(value: Any) -> Any:
    return json.loads(json.dumps(value))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"Starting\n", "Expecting value"),
        (b"[1]\n", "it is not an object"),
        (b'{"jsonrpc": "2.0"}\n', "neither method nor id"),
        (b'{"method": "settle", "params": [1]}\n', "its params are not an object"),
        (b"\xff\n", "can't decode byte"),
    ],
)
def test_parse_of_what_is_no_message_says_why(line: bytes, reason: str) -> None:
    """The error shows the beginning of the line and what would have been right."""
    with pytest.raises(protocol.NotAMessage, match=reason) as caught:
        protocol.parse(line)

    assert "one JSON-RPC 2.0 object on one line" in str(caught.value)


def test_a_request_is_one_line_that_parses() -> None:
    """Line breaks inside of texts don't end a message."""
    line = protocol.request(3, "component/call", {"text": "a\nb"})

    assert line.count(b"\n") == 1
    assert protocol.parse(line)["params"] == {"text": "a\nb"}


@pytest.mark.parametrize(
    ("method", "params", "reason"),
    [
        ("env/frob", {}, "'env/frob' is no word of an adapter"),
        ("env/cancel", {}, "its params lack 'id'"),
        ("env/watch", {"id": 1, "path": 2}, "'path' must not be 2"),
    ],
)
def test_check_refuses_what_is_no_word(
    method: str, params: dict[str, Any], reason: str
) -> None:
    """Unknown methods and params that don't fit are told apart."""
    with pytest.raises(protocol.NotAWord, match=reason):
        protocol.check(method, params)


def test_config_survives_the_wire() -> None:
    """Every field of Config comes back as it went."""
    config = Config(
        path="/m",
        headers=(("a", "1"), ("a", "2")),
        sources=("file", "api"),
        gates={"X": True},
        expires_after_ns=5,
        jitter_factor=0.5,
    )

    assert protocol.config_from_wire(over_the_wire(protocol.to_wire(config))) == config


@pytest.mark.parametrize(
    "arguments",
    [
        {"id_": "a", "event_ns": -3},
        {"data": b"\x00\xff", "config": Config(node_name="n")},
        {"seen": frozenset({"b", "a"})},
        {"update": PodUpdate(op="ADD", source="file", pods=({"spec": {}},))},
        {"update": None},
        {"old": {"a": 1}, "new": {}},
    ],
)
def test_arguments_survive_the_wire(arguments: dict[str, Any]) -> None:
    """What the suite calls with is what the implementation is called with."""
    wire = over_the_wire(protocol.arguments_to_wire(arguments))

    assert protocol.arguments_from_wire(wire) == arguments


def test_diff_survives_the_wire() -> None:
    """A diff is a mapping on the wire and a tuple on both ends."""
    wire = protocol.value_to_wire("diff_snapshots", (["a"], [], ["b"]))

    assert wire == {"added": ["a"], "updated": [], "removed": ["b"]}
    assert protocol.value_from_wire("diff_snapshots", wire) == (["a"], [], ["b"])


def test_reply_survives_the_wire() -> None:
    """Headers keep their order, the body its bytes."""
    reply = Reply(status=200, headers=(("B", "1"), ("A", "2")), body=b"\x00\xff")

    assert (
        protocol.reply_from_wire(over_the_wire(protocol.reply_to_wire(reply))) == reply
    )


@pytest.mark.parametrize("kind", ["refused", "reset", "dns", "tls", "cut"])
def test_failures_of_a_url_keep_their_kind(kind: str) -> None:
    """Each failure of the grammar has a kind of its own, and comes back as it went."""
    reply = (
        ScriptedReply(body=b"long", cut_at=1)
        if kind == "cut"
        else ScriptedReply(error=kind)
    )
    failure = as_outcome(reply)
    assert isinstance(failure, OSError)

    wire = over_the_wire(protocol.failure_to_wire(failure))

    assert wire["kind"] == kind
    assert isinstance(failure, type(protocol.failure_from_wire(wire)))
    assert set(FAILURES) == {"refused", "reset", "dns", "tls"}


def test_a_refused_list_keeps_its_status() -> None:
    """An HTTP status is a failure of its own kind."""
    wire = over_the_wire(protocol.failure_to_wire(ServerStatus(500, "no")))
    failure = protocol.failure_from_wire(wire)

    assert isinstance(failure, ServerStatus)
    assert failure.status == 500


def test_watch_event_survives_the_wire() -> None:
    """The operations of an event are a sorted list on the wire."""
    event = WatchEvent(path="/m/a", ops=frozenset({"write", "create"}))

    wire = over_the_wire(protocol.event_to_wire(event))

    assert wire["ops"] == ["create", "write"]
    assert protocol.event_from_wire(wire) == event


@pytest.mark.parametrize(
    ("op", "kind"), [("SET", SourceUpdate), ("ADD", PodUpdate), ("REMOVE", PodUpdate)]
)
def test_what_is_sent_is_a_set_or_an_operation(op: str, kind: type) -> None:
    """SET is a source's, everything else PodConfig's."""
    update = protocol.update_from_wire({"op": op, "source": "file", "pods": [{}]})

    assert isinstance(update, kind)
    assert update.pods == ({},)
