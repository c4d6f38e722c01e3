"""
Asyncio over an environment: an event loop in virtual time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from pytest_podsource import aio
from pytest_podsource.contract import SECOND_NS, Config, SourceUpdate
from pytest_podsource.exceptions import Spins
from pytest_podsource.world.base import Scene, ScriptedReply
from pytest_podsource.world.simulated import SimulatedWorld

SET = SourceUpdate(source="file", pods=())


@pytest.fixture
def world() -> Iterator[SimulatedWorld]:
    replies = [ScriptedReply(body=b"1", delay_ns=5), ScriptedReply(error="refused")]
    made = SimulatedWorld(Scene(config=Config(), replies=replies))
    yield made
    made.close()


@pytest.fixture
def io(world: SimulatedWorld) -> Iterator[aio.Asyncio]:
    made = aio.run(world.env)
    yield made
    made.stop()


def test_sleep_takes_virtual_time(world: SimulatedWorld, io: aio.Asyncio) -> None:
    """To the nanosecond, for as long as the loop lives."""
    seen: list[int] = []

    async def tick() -> None:
        while True:
            await asyncio.sleep(0.1)
            seen.append(world.now_ns())

    io.spawn(tick())
    world.advance(SECOND_NS)

    assert seen == [n * SECOND_NS // 10 for n in range(1, 11)]


def test_one_nanosecond_ends(world: SimulatedWorld, io: aio.Asyncio) -> None:
    """Time near 0 can hold it, however early in the wall clock's life."""
    done: list[int] = []

    async def nap() -> None:
        await asyncio.sleep(1e-9)
        done.append(world.now_ns())

    io.spawn(nap())
    world.advance(1)

    assert done == [1]
    assert io.loop.time() == 1e-9


def test_long_waits_end_at_their_instant(
    world: SimulatedWorld, io: aio.Asyncio
) -> None:
    """A float of a day still holds a nanosecond."""
    done: list[int] = []

    async def nap() -> None:
        for _ in range(10):
            await asyncio.sleep(86_400.000000001)
            done.append(world.now_ns())

    io.spawn(nap())
    world.advance(20 * 86_400 * SECOND_NS)

    assert len(done) == 10
    assert done[0] == 86_400 * SECOND_NS + 1


def test_timeout_ends_in_virtual_time(world: SimulatedWorld, io: aio.Asyncio) -> None:
    """``wait_for`` gives up at its instant."""
    done: list[int] = []

    async def wait() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(asyncio.Event().wait(), timeout=3)
        done.append(world.now_ns())

    io.spawn(wait())
    world.advance(10 * SECOND_NS)

    assert done == [3 * SECOND_NS]


def test_tasks_and_queues_work_as_ever(world: SimulatedWorld, io: aio.Asyncio) -> None:
    """A producer and a consumer, in one instant."""
    got: list[int] = []

    async def main() -> None:
        queue: asyncio.Queue[int] = asyncio.Queue(maxsize=2)

        async def produce() -> None:
            for number in range(5):
                await queue.put(number)

        producer = asyncio.create_task(produce())
        got.extend([await queue.get() for _ in range(5)])
        await producer

    io.spawn(main())
    world.settle()

    assert got == [0, 1, 2, 3, 4]


def test_send_returns_when_the_reader_has_taken(
    world: SimulatedWorld, io: aio.Asyncio
) -> None:
    """A held reader blocks the sender."""
    sent: list[int] = []

    async def send() -> None:
        await io.send(SET)
        sent.append(world.now_ns())

    world.apply("hold", None)
    io.spawn(send())
    world.advance(7)
    held = list(sent)
    world.apply("release", None)
    world.settle()

    assert (held, sent) == ([], [7])


def test_fetch_gives_the_reply_or_raises(
    world: SimulatedWorld, io: aio.Asyncio
) -> None:
    """In virtual time, as the case says."""
    got: list[object] = []

    async def fetch() -> None:
        got.append((await io.fetch("http://x")).body)
        with pytest.raises(ConnectionRefusedError):
            await io.fetch("http://x")
        got.append(world.now_ns())

    io.spawn(fetch())
    world.advance(10)

    assert got == [b"1", 5]


def test_cancelled_fetch_is_taken_back(world: SimulatedWorld, io: aio.Asyncio) -> None:
    """Nothing stays planned for a task that is gone."""
    task = io.spawn(io.fetch("http://x"))
    world.settle()

    task.cancel()
    world.settle()

    assert world.env.clock.next_due_ns() is None  # type: ignore[attr-defined]


def test_watch_yields_events_and_ends_with_its_error(
    world: SimulatedWorld, io: aio.Asyncio
) -> None:
    """One by one, also those that came while nobody waited."""
    got: list[str] = []

    async def follow() -> None:
        async for event in io.watch(world.config.path):
            got.append("+".join(event.ops))
            await asyncio.sleep(1)

    async def watch() -> None:
        with pytest.raises(OSError, match="overflow"):
            await follow()
        got.append("ended")

    io.spawn(watch())
    world.settle()
    world.apply("write", {"a": b"a"})
    world.apply("fault", {"on": "watch", "error": "overflow"})
    world.advance(10 * SECOND_NS)

    assert got == ["create", "write", "ended"]


def test_spinning_task_is_seen(world: SimulatedWorld, io: aio.Asyncio) -> None:
    """``sleep(0)`` for ever never rests."""

    async def spin() -> None:
        while True:  # noqa: ASYNC110 - the fault that is looked for
            await asyncio.sleep(0)

    io.spawn(spin())

    with pytest.raises(Spins):
        world.settle()


def test_what_a_spawned_task_raises_comes_out(
    world: SimulatedWorld, io: aio.Asyncio
) -> None:
    """Though nobody awaits it."""

    async def broken() -> None:
        raise ValueError("broken here")

    io.spawn(broken())

    with pytest.raises(ValueError, match="broken here"):
        world.settle()


def test_what_a_callback_raises_comes_out(
    world: SimulatedWorld, io: aio.Asyncio
) -> None:
    """As a task's does."""

    def broken() -> None:
        raise ValueError("broken here")

    io.loop.call_soon(broken)

    with pytest.raises(ValueError, match="broken here"):
        world.settle()


def test_stop_cancels_tasks_and_runs_their_finally(world: SimulatedWorld) -> None:
    """Also a task that is only ready to begin, and one that awaits at its end."""
    io = aio.run(world.env)
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.sleep(5)
        finally:
            await asyncio.sleep(0)
            ended.append("a")

    io.spawn(work())
    world.settle()

    io.stop()
    world.advance(10 * SECOND_NS)

    assert ended == ["a"]


def test_executor_is_refused(world: SimulatedWorld, io: aio.Asyncio) -> None:
    """A thread of an executor can't be kept in virtual time."""

    async def work() -> None:
        with pytest.raises(NotImplementedError, match="--podsource-time=real"):
            await asyncio.to_thread(print)

    io.spawn(work())

    world.settle()


def test_loop_is_left_when_the_batch_is_over(
    world: SimulatedWorld, io: aio.Asyncio
) -> None:
    """Nothing outside runs on it by accident."""
    within: list[object] = []

    async def look() -> None:
        within.append(asyncio.get_running_loop())

    io.spawn(look())
    world.settle()

    assert within == [io.loop]
    with pytest.raises(RuntimeError, match="no running event loop"):
        asyncio.get_running_loop()
