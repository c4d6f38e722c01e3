"""
The real world: the kernel tells, a server answers, and time is waited for.
"""

from __future__ import annotations

import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_podsource.contract import (
    SECOND_NS,
    Config,
    Reply,
    SourceUpdate,
    WatchEvent,
)
from pytest_podsource.exceptions import CannotRunHere
from pytest_podsource.world.base import Scene, ScriptedReply
from pytest_podsource.world.real import RealWorld

Make = Callable[..., RealWorld]
SET = SourceUpdate(source="file", pods=())


@pytest.fixture
def make() -> Iterator[Make]:
    made: list[RealWorld] = []

    def world(told: bool = True, **scene: Any) -> RealWorld:  # noqa: FBT001, FBT002 - a fixture
        made.append(RealWorld(Scene(**{"config": Config(), **scene}), told=told))
        return made[-1]

    yield world
    for each in made:
        each.close()


def test_kernel_tells_what_a_verb_does(make: Make) -> None:
    """Each event once, in the kernel's order."""
    world = make()
    told: list[str] = []

    def hear(event: WatchEvent | OSError) -> None:
        assert isinstance(event, WatchEvent)
        told.append(f"{'+'.join(event.ops)} {Path(event.path).name}")

    world.env.watch(world.config.path, hear)
    world.apply("place", {"a": b"a"})
    world.settle()

    assert told == ["create .t", "write .t", "rename .t", "create a"]
    assert len(world.take("watches")) == 1


def test_timer_of_the_environment_keeps_the_cases_time(make: Make) -> None:
    """The clock stands while a step settles, so ticks have their instants."""
    world = make()

    def tick() -> None:
        world.env.send(SET)
        world.env.clock.call_later(SECOND_NS // 2, tick)

    tick()
    world.settle()
    world.settle()
    world.advance(SECOND_NS)

    assert [seen.at_ns for seen in world.take("expect")] == [
        0,
        SECOND_NS // 2,
        SECOND_NS,
    ]


def test_thread_of_its_own_is_seen_at_its_time(make: Make) -> None:
    """On a grid of 100 ms, not before it came; within a step at the step's instant."""
    world = make(told=False)
    timers = [threading.Timer(at, world.env.send, [SET]) for at in (0.05, 0.5)]
    for timer in timers:
        timer.start()

    world.settle()
    at_once = world.take("expect")
    world.advance(SECOND_NS)

    assert [seen.at_ns for seen in at_once] == [0]
    (later,) = world.take("expect")
    assert later.at_ns >= SECOND_NS // 2
    assert later.at_ns % (SECOND_NS // 10) == 0


def test_time_of_a_case_goes_on_when_the_implementation_starts(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What came before took real time, but no timer ran."""
    world = make(told=False)
    monkeypatch.setattr(world, "_real_ns", lambda: 10**9 * SECOND_NS)

    world.starts()
    world._catch_up(SECOND_NS)

    assert world.now_ns() == 0


def test_a_program_does_not_move_the_clock_of_the_case(make: Make) -> None:
    """Its own clock goes on while a step settles."""
    world = make(told=False)

    world.reached(SECOND_NS)

    assert world.now_ns() == 0


def test_step_is_over_after_5_s_of_noise_at_most(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An implementation that never falls silent doesn't hold up the run."""
    world = make()
    moments = iter(range(10**6))
    monkeypatch.setattr(world, "_real_ns", lambda: next(moments) * SECOND_NS // 100)
    monkeypatch.setattr(world, "_run_slice", lambda: world.env.send(SET))

    world.settle()

    assert 50 < len(world.take("expect")) < 500


def test_request_is_answered_by_a_real_server(make: Make) -> None:
    """After its delay, to any client, and noted with its headers."""
    world = make(
        replies=[
            ScriptedReply(status=201, headers=(("X", "y"),), body=b"a"),
            ScriptedReply(body=b"b", delay_ns=SECOND_NS // 5),
        ]
    )
    done: list[Reply | OSError] = []
    world.env.fetch(world.config.url, (("X-Tok", "abc"),), 0, done.append)
    world.settle()

    with urllib.request.urlopen(world.config.url) as answer:
        second = answer.read()

    assert isinstance(done[0], Reply)
    assert (done[0].status, done[0].body) == (201, b"a")
    assert ("X", "y") in done[0].headers
    assert second == b"b"
    first_request, _ = world.take("requests")
    assert first_request.value["url"] == world.config.url
    assert ("X-Tok", "abc") in first_request.value["headers"]


@pytest.mark.parametrize(
    "reply",
    [
        ScriptedReply(error="refused"),
        ScriptedReply(error="reset"),
        ScriptedReply(body=b"abc", cut_at=1),
    ],
    ids=["refused", "reset", "cut"],
)
def test_failing_reply_fails_for_real(make: Make, reply: ScriptedReply) -> None:
    """The client gets an error, and the next reply is good."""
    world = make(replies=[reply, ScriptedReply(body=b"good")])
    done: list[Reply | OSError] = []

    for _ in range(2):
        world.env.fetch(world.config.url, (), 0, done.append)
        world.settle()

    assert isinstance(done[0], OSError)
    assert isinstance(done[1], Reply)


def test_late_answer_is_a_timeout(make: Make) -> None:
    """And closing the world doesn't wait for it."""
    world = make(replies=[ScriptedReply(delay_ns=3600 * SECOND_NS)])
    done: list[Reply | OSError] = []

    world.env.fetch(world.config.url, (), SECOND_NS // 10, done.append)
    world.advance(SECOND_NS // 5)

    assert isinstance(done[0], OSError)
    assert "time" in str(done[0])


def test_delay_of_the_script_is_the_delay_in_the_case(make: Make) -> None:
    """Whatever the machine adds, the next timer counts from the scripted end."""
    world = make(replies=[ScriptedReply(delay_ns=SECOND_NS // 5)])
    ended: list[int] = []

    def again(_: Any = None) -> None:
        ended.append(world.now_ns())
        world.env.clock.call_later(SECOND_NS // 5, fetch)

    def fetch() -> None:
        world.env.fetch(world.config.url, (), 0, again)

    fetch()
    world.advance(SECOND_NS)

    assert ended == [SECOND_NS // 5, 3 * SECOND_NS // 5, SECOND_NS]


def test_hold_and_release_work_as_ever(make: Make) -> None:
    """What waits comes at the release."""
    world = make()
    world.apply("hold", None)
    world.env.send(SET)
    held = world.take("expect")

    world.apply("release", None)

    assert (held, len(world.take("expect"))) == ([], 1)


def test_watch_faults_are_told_to_those_who_ask(make: Make) -> None:
    """A new watch fails as ordered, and an overflow ends the present ones."""
    world = make(watch_fails="EMFILE", watch_fails_times=1)
    told: list[Any] = []
    with pytest.raises(OSError, match="Too many open files"):
        world.env.watch(world.config.path, told.append)
    world.env.watch(world.config.path, told.append)

    world.apply("fault", {"on": "watch", "error": "overflow"})
    world.apply("write", {"a": b"a"})
    world.settle()

    assert [type(each) for each in told] == [OSError]


def test_cancelled_watch_is_told_nothing(make: Make) -> None:
    """Neither by the kernel nor by an overflow."""
    world = make()
    told: list[Any] = []
    cancel = world.env.watch(world.config.path, told.append)

    cancel()
    world.apply("write", {"a": b"a"})
    world.apply("fault", {"on": "watch", "error": "overflow"})
    world.settle()

    assert told == []


@pytest.mark.parametrize(
    ("scene", "says"),
    [
        ({"length_ns": 80 * SECOND_NS}, r"would take 80 s.*real-limit is 5s"),
        ({"replies": [ScriptedReply(error="dns")]}, "can't fail with 'dns'"),
        ({"watch_fails": "EMFILE", "told": False}, "--podsource-time=real"),
        ({"user": "nobody", "told": False}, "asks its environment"),
        ({"config": Config(period_ns=0)}, "whether it spins"),
        (
            {"config": Config(url="http://a"), "replies": [ScriptedReply()]},
            "only the simulated world answers at http://a",
        ),
    ],
    ids=["too long", "dns", "watch", "user", "period", "url"],
)
def test_scene_that_real_things_cannot_show_is_refused(
    make: Make, scene: dict[str, Any], says: str
) -> None:
    """The case is disabled, with the reason."""
    with pytest.raises(CannotRunHere, match=says):
        make(**scene)


@pytest.mark.parametrize(
    ("verb", "argument", "told"),
    [
        ("event", {"name": "a", "ops": ["write"]}, True),
        ("jump", 5, False),
        ("fault", {"on": "read", "name": "a", "error": "EIO"}, True),
        ("fault", {"on": "watch", "error": "overflow"}, False),
        ("replies", [ScriptedReply(error="tls")], True),
    ],
)
def test_verb_that_real_things_cannot_show_is_refused(
    make: Make,
    verb: str,
    argument: Any,
    told: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """The case is disabled, with the reason."""
    with pytest.raises(CannotRunHere):
        make(told=told).apply(verb, argument)


def test_close_leaves_neither_server_nor_directory() -> None:
    """Nobody listens any more, and no thread is left."""
    before = threading.active_count()
    world = RealWorld(Scene(config=Config(), replies=[ScriptedReply()]))

    world.close()

    assert threading.active_count() == before
    assert not Path(world.config.path).exists()
    with pytest.raises(urllib.error.URLError, match="refused"):
        urllib.request.urlopen(world.config.url)
