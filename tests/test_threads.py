"""
Threads over an environment: blocking calls, one thread at a time, in virtual time.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from pytest_podsource import threads
from pytest_podsource.contract import (
    SECOND_NS,
    Config,
    PodUpdate,
    SourceUpdate,
)
from pytest_podsource.world.base import Scene, ScriptedReply
from pytest_podsource.world.simulated import SimulatedWorld

SET = SourceUpdate(source="file", pods=())


@pytest.fixture
def world() -> Iterator[SimulatedWorld]:
    replies = [ScriptedReply(body=b"1", delay_ns=5), ScriptedReply(error="refused")]
    made = SimulatedWorld(Scene(config=Config(), replies=replies))
    yield made
    made.close()


def test_sleep_takes_virtual_time(world: SimulatedWorld) -> None:
    """Two sleepers wake up at their instants, in turn."""
    io = threads.run(world.env)
    seen: list[tuple[str, int]] = []

    def sleeper(name: str, period_ns: int) -> None:
        while True:
            io.sleep(period_ns)
            seen.append((name, world.now_ns()))

    io.spawn(sleeper, "a", 20)
    io.spawn(sleeper, "b", 30)
    world.advance(60)
    io.stop()

    assert seen == [("a", 20), ("b", 30), ("a", 40), ("b", 60), ("a", 60)]


def test_one_thread_runs_at_a_time(world: SimulatedWorld) -> None:
    """A counter that isn't atomic is never lost."""
    io = threads.run(world.env)
    counter = [0]

    def count() -> None:
        for _ in range(50):
            value = counter[0]
            for _ in range(100):
                pass
            counter[0] = value + 1
            io.sleep(1)

    for _ in range(8):
        io.spawn(count)
    world.advance(100)
    io.stop()

    assert counter == [400]


def test_send_returns_when_the_reader_has_taken(world: SimulatedWorld) -> None:
    """A held reader blocks the sender."""
    io = threads.run(world.env)
    sent: list[int] = []

    def send() -> None:
        for _ in range(2):
            io.send(SET)
            sent.append(world.now_ns())

    world.apply("hold", None)
    io.spawn(send)
    world.advance(7)
    held = list(sent)
    world.apply("release", None)
    world.settle()

    assert (held, sent) == ([], [7, 7])


def test_send_that_is_taken_at_once_goes_on(world: SimulatedWorld) -> None:
    """``taken`` may be called within ``send``."""

    class Direct:
        clock = world.env.clock

        def send(self, update: SourceUpdate | PodUpdate, taken: object) -> None:
            assert callable(taken)
            taken()

    io = threads.run(Direct())  # type: ignore[arg-type]
    sent: list[str] = []

    def send() -> None:
        io.send(SET)
        sent.append("done")

    io.spawn(send)

    world.settle()

    assert sent == ["done"]


def test_fetch_gives_the_reply_or_raises(world: SimulatedWorld) -> None:
    """In virtual time, as the case says."""
    io = threads.run(world.env)
    got: list[object] = []

    def fetch() -> None:
        got.append(io.fetch("http://x").body)
        try:
            io.fetch("http://x")
        except ConnectionRefusedError:
            got.append(world.now_ns())

    io.spawn(fetch)
    world.advance(10)

    assert got == [b"1", 5]


def test_watch_gives_events_one_by_one(world: SimulatedWorld) -> None:
    """Also those that came while nobody waited."""
    io = threads.run(world.env)
    got: list[str] = []

    def watch() -> None:
        told = io.watch(world.config.path)
        while (event := told.next_event()) is not None:
            got.append("+".join(event.ops))
            io.sleep(10)

    io.spawn(watch)
    world.settle()
    world.apply("write", {"a": b"a"})
    world.apply("remove", "a")
    world.advance(100)
    io.stop()

    assert got == ["create", "write", "remove"]


def test_watch_waits_no_longer_than_told(world: SimulatedWorld) -> None:
    """``None`` after the time; an event before it comes at once."""
    io = threads.run(world.env)
    got: list[tuple[int, bool]] = []

    def watch() -> None:
        told = io.watch(world.config.path)
        while True:
            event = told.next_event(20)
            got.append((world.now_ns(), event is not None))

    io.spawn(watch)
    world.advance(25)
    world.apply("mkdir", "d")
    world.advance(25)
    io.stop()

    assert got == [(20, False), (25, True), (45, False)]


def test_watch_that_ends_raises(world: SimulatedWorld) -> None:
    """An overflow is an error of the waiting thread."""
    io = threads.run(world.env)
    got: list[str] = []

    def watch() -> None:
        told = io.watch(world.config.path)
        with pytest.raises(OSError, match="overflow"):
            told.next_event()
        got.append("ended")

    io.spawn(watch)
    world.settle()
    world.apply("fault", {"on": "watch", "error": "overflow"})
    world.settle()

    assert got == ["ended"]


def test_watch_that_cannot_be_made_raises(world: SimulatedWorld) -> None:
    """At once, in the thread that asks for it."""
    io = threads.run(world.env)
    world.apply("remove", ".")
    got: list[str] = []

    def watch() -> None:
        with pytest.raises(FileNotFoundError):
            io.watch(world.config.path)
        got.append("missing")

    io.spawn(watch)
    world.settle()

    assert got == ["missing"]


def test_what_a_thread_raises_comes_out_where_it_was_run(
    world: SimulatedWorld,
) -> None:
    """Nothing is lost in a thread."""
    io = threads.run(world.env)

    def broken() -> None:
        io.sleep(5)
        raise ValueError("broken here")

    io.spawn(broken)

    with pytest.raises(ValueError, match="broken here"):
        world.advance(10)


def test_stop_ends_all_threads(world: SimulatedWorld) -> None:
    """Parked ones raise, run their ``finally``, and are gone."""
    io = threads.run(world.env)
    ended: list[str] = []

    def work(name: str) -> None:
        try:
            io.sleep(SECOND_NS)
        finally:
            ended.append(name)
            io.sleep(1)
            ended.append("not reached")

    before = threading.active_count()
    io.spawn(work, "a")
    io.spawn(work, "b")
    world.settle()

    io.stop()
    world.advance(2 * SECOND_NS)

    assert ended == ["a", "b"]
    assert threading.active_count() == before


def test_thread_that_was_stopped_before_its_turn_never_runs(
    world: SimulatedWorld,
) -> None:
    """``spawn`` and ``stop`` in one breath."""
    io = threads.run(world.env)
    ran: list[str] = []
    io.spawn(lambda: ran.append("a"))

    io.stop()
    world.settle()

    assert ran == []


def test_stop_cancels_what_was_asked(world: SimulatedWorld) -> None:
    """A request of a stopped thread isn't answered to anybody."""
    io = threads.run(world.env)
    io.spawn(io.fetch, "http://x")
    world.settle()

    io.stop()

    assert world.env.clock.next_due_ns() is None  # type: ignore[attr-defined]


def test_waiting_outside_a_thread_is_refused(world: SimulatedWorld) -> None:
    """In a callback it would stop the whole case."""
    io = threads.run(world.env)

    with pytest.raises(RuntimeError, match="only a thread that spawn has begun"):
        io.sleep(1)


def test_stop_from_within_a_thread_is_refused(world: SimulatedWorld) -> None:
    """It would wait for itself."""
    io = threads.run(world.env)
    io.spawn(io.stop)

    with pytest.raises(RuntimeError, match="stop is for outside"):
        world.settle()
