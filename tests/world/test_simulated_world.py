"""
The simulated world: what an implementation asks is answered, and noted.
"""

from __future__ import annotations

import errno
import os
import socket
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_podsource.contract import (
    SECOND_NS,
    Config,
    PodUpdate,
    Reply,
    SourceUpdate,
)
from pytest_podsource.exceptions import CannotRunHere, CaseError, Spins
from pytest_podsource.world.base import Scene, ScriptedReply, World
from pytest_podsource.world.simulated import SimulatedWorld

Make = Callable[..., SimulatedWorld]
SET = SourceUpdate(source="file", pods=({"metadata": {"name": "a"}},))


@pytest.fixture
def make() -> Iterator[Make]:
    made: list[SimulatedWorld] = []

    def world(config: Config | None = None, **scene: Any) -> SimulatedWorld:
        made.append(SimulatedWorld(Scene(config=config or Config(), **scene)))
        return made[-1]

    yield world
    for each in made:
        each.close()


def test_simulated_world_is_a_world(make: Make) -> None:
    """It fits the seam that the runner is written against."""
    world: World = make()

    assert world.now_ns() == 0


def test_update_is_seen_with_its_time(make: Make) -> None:
    """What is sent is seen once, at the case's time."""
    world = make()
    world.advance(3)

    world.env.send(SET)

    (seen,) = world.take("expect")
    assert (seen.at_ns, seen.value) == (3, SET)
    assert world.take("expect") == []


def test_update_is_seen_as_it_was_when_taken(make: Make) -> None:
    """A pod that is changed afterwards doesn't change what was seen."""
    world = make()
    pod = {"metadata": {"name": "a"}}
    world.env.send(SourceUpdate(source="file", pods=(pod,)))

    pod["metadata"]["name"] = "b"

    assert world.take("expect")[0].value.pods[0]["metadata"]["name"] == "a"


def test_anything_but_an_update_is_refused(make: Make) -> None:
    """The error says what is sent."""
    world = make()

    with pytest.raises(TypeError, match="a SourceUpdate"):
        world.env.send(["a"])  # type: ignore[arg-type]


def test_taken_is_called_when_the_reader_has_accepted(make: Make) -> None:
    """Not within send, but before the step is over."""
    world = make()
    taken: list[str] = []

    world.env.send(SET, lambda: taken.append("a"))
    within = list(taken)
    world.settle()

    assert (within, taken) == ([], ["a"])


def test_held_reader_takes_nothing_until_released(make: Make) -> None:
    """What waits comes in order at the release; taken too."""
    world = make()
    taken: list[str] = []
    world.apply("hold", None)
    world.env.send(SET, lambda: taken.append("a"))
    world.env.send(
        PodUpdate(op="ADD", source="file", pods=()), lambda: taken.append("b")
    )
    world.advance(5)
    held = (world.take("expect"), list(taken))

    world.apply("release", None)
    world.settle()

    assert held == ([], [])
    assert [type(seen.value) for seen in world.take("expect")] == [
        SourceUpdate,
        PodUpdate,
    ]
    assert taken == ["a", "b"]


def _events(world: SimulatedWorld) -> list[str]:
    told: list[str] = []
    base = Path(world.config.path).parent

    def hear(event: Any) -> None:
        if isinstance(event, OSError):
            told.append(os.strerror(event.errno or 0))
        else:
            told.append(f"{'+'.join(event.ops)} {os.path.relpath(event.path, base)}")

    world.env.watch(world.config.path, hear)
    return told


def test_verb_of_the_disk_tells_its_events_while_settling(make: Make) -> None:
    """The file is complete before the first event is told."""
    world = make()
    told = _events(world)

    world.apply("write", {"a": b"a"})
    before = list(told)
    world.settle()

    assert before == []
    assert told == ["create manifests/a", "write manifests/a"]


def test_told_event_needs_no_change(make: Make) -> None:
    """``event`` tells what isn't on the disk."""
    world = make()
    told = _events(world)

    world.apply("event", {"name": "a", "ops": ["chmod"]})
    world.settle()

    assert told == ["chmod manifests/a"]


def test_event_on_a_watched_file_carries_its_path(make: Make) -> None:
    """A watch on a file has no names within it."""
    world = make(dir="file", files={"p.yaml": b"p"})
    told = _events(world)

    world.apply("event", {"name": "p.yaml", "ops": ["write"]})
    world.settle()

    assert told == ["write p.yaml"]


def test_overflow_ends_the_watch(make: Make) -> None:
    """One error, and no event after it."""
    world = make()
    told = _events(world)

    world.apply("fault", {"on": "watch", "error": "overflow"})
    world.apply("write", {"a": b"a"})
    world.settle()

    assert told == [os.strerror(errno.EOVERFLOW)]


def test_new_watches_fail_as_often_as_ordered(make: Make) -> None:
    """Each attempt is seen, with its time."""
    world = make(watch_fails="EMFILE", watch_fails_times=2)

    for _ in range(2):
        with pytest.raises(OSError, match=os.strerror(errno.EMFILE)):
            world.env.watch(world.config.path, lambda _: None)
        world.advance(1)
    world.env.watch(world.config.path, lambda _: None)

    assert [seen.at_ns for seen in world.take("watches")] == [0, 1, 2]


def test_fault_of_the_watch_begins_and_ends_by_a_verb(make: Make) -> None:
    """``times: 0`` is the end of it."""
    world = make()
    world.apply("fault", {"on": "watch", "error": "ENOSPC"})
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        world.env.watch(world.config.path, lambda _: None)

    world.apply("fault", {"on": "watch", "error": "ENOSPC", "times": 0})

    world.env.watch(world.config.path, lambda _: None)


def test_watch_of_a_missing_path_is_no_attempt(make: Make) -> None:
    """The kubelet looks before it watches; so nothing is noted."""
    world = make(dir="missing", watch_fails="EMFILE")

    with pytest.raises(FileNotFoundError):
        world.env.watch(world.config.path, lambda _: None)

    assert world.take("watches") == []


def test_fault_of_reading_needs_no_event(make: Make) -> None:
    """The file fails to be read, and nobody is told."""
    world = make(files={"a": b"a"})
    told = _events(world)

    world.apply("fault", {"on": "read", "name": "a", "error": "EIO"})
    world.settle()

    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        Path(world.config.path, "a").read_bytes()
    assert told == []


def test_counted_fault_of_reading_cannot_be_had(make: Make) -> None:
    """Nobody sees how often a real file is read."""
    world = make(files={"a": b"a"})

    with pytest.raises(CannotRunHere, match="--podsource-fs=fake"):
        world.apply("fault", {"on": "read", "name": "a", "error": "EIO", "times": 1})


def _fetch(
    world: SimulatedWorld, timeout_ns: int = 0
) -> list[tuple[int, Reply | OSError]]:
    done: list[tuple[int, Reply | OSError]] = []
    world.env.fetch(
        world.config.url,
        (("X-Tok", "abc"),),
        timeout_ns,
        lambda reply: done.append((world.now_ns(), reply)),
    )
    return done


def test_replies_come_in_order_and_the_last_repeats(make: Make) -> None:
    """Each request is seen with its headers."""
    world = make(replies=[ScriptedReply(body=b"1"), ScriptedReply(body=b"2")])

    bodies = []
    for _ in range(3):
        done = _fetch(world)
        world.settle()
        assert isinstance(done[0][1], Reply)
        bodies.append(done[0][1].body)

    assert bodies == [b"1", b"2", b"2"]
    assert [seen.value for seen in world.take("requests")] == [
        {"url": world.config.url, "headers": (("X-Tok", "abc"),)}
    ] * 3


def test_new_replies_replace_the_old(make: Make) -> None:
    """The verb ``replies`` scripts what comes next."""
    world = make(replies=[ScriptedReply(body=b"1")])

    world.apply("replies", [ScriptedReply(status=404)])
    done = _fetch(world)
    world.settle()

    assert done == [(0, Reply(status=404))]


def test_delayed_reply_comes_after_its_delay(make: Make) -> None:
    """Not a nanosecond before."""
    world = make(replies=[ScriptedReply(delay_ns=SECOND_NS)])
    done = _fetch(world, timeout_ns=10 * SECOND_NS)

    world.advance(SECOND_NS - 1)
    before = list(done)
    world.advance(1)

    assert before == []
    assert done == [(SECOND_NS, Reply(status=200))]


def test_reply_after_the_limit_is_a_timeout(make: Make) -> None:
    """The error comes at the limit, and no reply after it."""
    world = make(replies=[ScriptedReply(delay_ns=12 * SECOND_NS)])
    done = _fetch(world, timeout_ns=10 * SECOND_NS)

    world.advance(20 * SECOND_NS)

    ((at_ns, error),) = done
    assert at_ns == 10 * SECOND_NS
    assert isinstance(error, TimeoutError)


def test_cancelled_request_is_not_answered(make: Make) -> None:
    """Cancel is heard of no more."""
    world = make(replies=[ScriptedReply(delay_ns=5)])
    done: list[Any] = []
    cancel = world.env.fetch(world.config.url, (), 0, done.append)

    cancel()
    world.advance(10)

    assert done == []


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (ScriptedReply(error="refused"), ConnectionRefusedError),
        (ScriptedReply(error="reset"), ConnectionResetError),
        (ScriptedReply(error="dns"), socket.gaierror),
        (ScriptedReply(error="tls"), ssl.SSLError),
        (ScriptedReply(body=b"abc", cut_at=1), ConnectionAbortedError),
    ],
    ids=["refused", "reset", "dns", "tls", "cut"],
)
def test_failing_reply_is_an_error_of_its_kind(
    make: Make, reply: ScriptedReply, kind: type[OSError]
) -> None:
    """Each way to fail can be told from the others."""
    world = make(replies=[reply])
    done = _fetch(world)

    world.settle()

    assert type(done[0][1]) is kind or isinstance(done[0][1], kind)
    assert isinstance(done[0][1], OSError)


def test_url_is_set_where_a_case_answers_or_asks(make: Make) -> None:
    """Without replies there is no URL, unless the http source is asked for."""
    assert make().config.url == ""
    assert make(replies=[ScriptedReply()]).config.url.startswith("http://")
    assert make(Config(sources=("http",))).config.url.startswith("http://")
    assert make(Config(url="ftp://x")).config.url == "ftp://x"


def test_listing_has_the_pods_and_watch_tells_what_comes(make: Make) -> None:
    """A watch from the list's version tells each later change once."""
    world = make(pods=[{"metadata": {"name": "a"}}])
    listed: list[Any] = []
    events: list[Any] = []
    world.env.list_pods(listed.append)
    world.settle()
    world.apply("api", {"ADDED": {"metadata": {"name": "b"}}})

    world.env.watch_pods(listed[0]["metadata"]["resourceVersion"], events.append)
    world.apply("api", {"DELETED": {"metadata": {"name": "a"}}})
    world.settle()

    assert [pod["metadata"]["name"] for pod in listed[0]["items"]] == ["a"]
    assert [(e["type"], e["object"]["metadata"]["name"]) for e in events] == [
        ("ADDED", "b"),
        ("DELETED", "a"),
    ]
    assert [seen.value for seen in world.take("requests")] == [
        {"list": "spec.nodeName=node1", "resource_version": ""},
        {
            "watch": "spec.nodeName=node1",
            "resource_version": "2",
            "initial": False,
        },
    ]


def test_error_event_and_end_close_the_watch(make: Make) -> None:
    """After ERROR the stream ends; nothing comes afterwards."""
    world = make()
    events: list[Any] = []
    world.env.watch_pods("1", events.append)

    world.apply("api", {"ERROR": 410})
    world.apply("api", {"ADDED": {"metadata": {"name": "b"}}})
    world.settle()

    assert [event and event["type"] for event in events] == ["ERROR", None]
    assert events[0]["object"]["code"] == 410


def test_bookmark_carries_the_version_only(make: Make) -> None:
    """It names no pod."""
    world = make()
    events: list[Any] = []
    world.env.watch_pods("", events.append)

    world.apply("api", {"BOOKMARK": None})
    world.settle()

    assert events[0]["type"] == "BOOKMARK"
    assert events[0]["object"]["metadata"] == {"resourceVersion": "1"}


def test_list_fails_once_for_each_order(make: Make) -> None:
    """The error carries the status."""
    world = make()
    listed: list[Any] = []
    world.apply("api", {"list_fails": 500})

    for _ in range(2):
        world.env.list_pods(listed.append)
        world.settle()

    assert listed[0].status == 500
    assert listed[1]["items"] == []


def test_cancelled_watch_of_pods_is_told_nothing(make: Make) -> None:
    """Also not what was on its way."""
    world = make()
    events: list[Any] = []
    cancel = world.env.watch_pods("1", events.append)
    world.apply("api", {"ADDED": {"metadata": {"name": "b"}}})

    cancel()
    world.settle()

    assert events == []


def test_unknown_word_of_the_apiserver_names_the_known(make: Make) -> None:
    """The case is at fault, and learns what would have been right."""
    world = make()

    with pytest.raises(CaseError, match=r"'ADD' is not known.*ADDED, MODIFIED"):
        world.apply("api", {"ADD": {}})


def test_questions_are_answered_as_the_case_says(make: Make) -> None:
    """A plain value, a default, names that are needed, and a change."""
    world = make(
        answers={"all_ready": False, "seen_all_sources": {"needs": ["file", "http"]}}
    )
    ask = world.env.ask

    before = ask("all_ready")
    world.apply("answer", {"all_ready": True})

    assert (before, ask("all_ready"), ask("node_has_synced")) == (False, True, True)
    assert ask("seen_all_sources", frozenset({"file"})) is False
    assert ask("seen_all_sources", frozenset({"file", "http", "api"})) is True


def test_unknown_question_names_the_known(make: Make) -> None:
    """An implementation that asks something else is told so."""
    with pytest.raises(LookupError, match=r"'synced' is no question.*node_has_synced"):
        make().env.ask("synced")


def test_other_streams_keep_what_is_told(make: Make) -> None:
    """Calls, events and logs, each with its fields."""
    world = make()
    pod = {"metadata": {"name": "a"}}

    world.env.handle("handle_pod_additions", [pod])
    world.env.event(pod, "Warning", "FailedValidation", "twice")
    world.env.log("error", "can't read", path="/a")

    assert world.take("calls")[0].value == {
        "handler": "handle_pod_additions",
        "pods": (pod,),
    }
    assert world.take("events")[0].value == {
        "type": "Warning",
        "reason": "FailedValidation",
        "pod": pod,
        "message": "twice",
    }
    assert world.take("logs")[0].value == {
        "level": "error",
        "message": "can't read",
        "path": "/a",
    }


def test_jump_moves_the_wall_clock_only(make: Make) -> None:
    """The scene's wall clock, moved back an hour."""
    world = make(wall_ns=10_000 * SECOND_NS)

    world.apply("jump", -3_600 * SECOND_NS)

    assert world.env.clock.now_ns() == 6_400 * SECOND_NS
    assert world.env.clock.monotonic_ns() == 0


def test_spinning_implementation_is_seen(make: Make) -> None:
    """A fetch that is answered at once and asked again at once spins."""
    world = make(replies=[ScriptedReply()])

    def again(_: Any = None) -> None:
        world.env.fetch(world.config.url, (), 0, again)

    again()
    with pytest.raises(Spins):
        world.settle()


def test_burst_of_files_does_not_count_as_spinning(make: Make) -> None:
    """What a verb tells is the world's doing."""
    world = make()
    told = _events(world)

    world.apply("place", {f"{n}.yaml": b"x" for n in range(600)})
    world.settle()

    assert len(told) == 4 * 600


@pytest.mark.parametrize(
    ("verb", "argument", "says"),
    [
        ("remove", "no-such", "can't be carried out"),
        ("wait", None, "is no verb of a world"),
        ("fault", {"on": "watch", "error": "ENONSENSE"}, "'ENONSENSE' is no error"),
    ],
)
def test_verb_that_cannot_be_carried_out_is_the_cases_fault(
    make: Make, verb: str, argument: Any, says: str
) -> None:
    """The error says why."""
    with pytest.raises(CaseError, match=says):
        make().apply(verb, argument)


class _Follower:
    """
    Ticks by its own clock, and tells the world when it asks something.
    """

    def __init__(self, world: SimulatedWorld, period_ns: int) -> None:
        self._world = world
        self._period_ns = period_ns
        self._next_ns = period_ns
        self.log: list[tuple[str, int]] = []

    def settle(self) -> None:
        self.log.append(("settle", self._world.now_ns()))

    def advance_to(self, target_ns: int) -> int:
        if self._next_ns > target_ns:
            return target_ns
        at_ns, self._next_ns = self._next_ns, self._next_ns + self._period_ns
        self._world.reached(at_ns)
        self._world.env.fetch("http://x", (), 0, lambda _: self._answered())
        return at_ns

    def hold(self, held: bool) -> None:  # noqa: FBT001 - a state, not an option
        self.log.append(("hold" if held else "release", self._world.now_ns()))

    def _answered(self) -> None:
        self.log.append(("answered", self._world.now_ns()))


def test_follower_and_world_move_on_in_turns(make: Make) -> None:
    """Whoever has something to do first, stops the other there."""
    world = make(replies=[ScriptedReply(delay_ns=3)])
    follower = _Follower(world, period_ns=10)
    world.follow(follower)

    world.advance(25)

    assert [seen.at_ns for seen in world.take("requests")] == [10, 20]
    assert [entry for entry in follower.log if entry[0] == "answered"] == [
        ("answered", 13),
        ("answered", 23),
    ]
    assert world.now_ns() == 25


def test_follower_knows_when_the_reader_is_held(make: Make) -> None:
    """It takes nothing from the implementation meanwhile."""
    world = make()
    follower = _Follower(world, period_ns=10)
    world.follow(follower)

    world.apply("hold", None)
    world.apply("release", None)

    assert [word for word, _ in follower.log] == ["hold", "release"]


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user")


@needs_root
def test_nobody_acts_as_an_ordinary_user(make: Make) -> None:
    """Within ``acting`` a file without permission can't be read; outside it can."""
    world = make(files={"a": b"a"}, user="nobody")
    world.apply("chmod", {"a": "0000"})
    path = Path(world.config.path, "a")

    with world.acting(), pytest.raises(PermissionError):
        path.read_bytes()

    assert path.read_bytes() == b"a"
    assert os.geteuid() == 0


def test_nobody_needs_root(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """An ordinary user can't become another one: the case can't run here."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)

    with pytest.raises(CannotRunHere, match="root"):
        make(user="nobody")


def test_close_removes_the_directory(make: Make) -> None:
    """Nothing is left on the disk."""
    world = make(files={"a": b"a"})

    world.close()

    assert not Path(world.config.path).parent.exists()
