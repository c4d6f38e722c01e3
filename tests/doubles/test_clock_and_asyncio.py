"""
Event loops take the time of the clock: no patching of the code under test.
"""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from pytest_podsource import VirtualClock
from pytest_podsource.contract import SECOND_NS
from pytest_podsource.exceptions import DriverError


@pytest.fixture
def clock() -> Iterator[VirtualClock]:
    with VirtualClock(limit_s=60) as made:  # real time, of a machine that may be busy
        yield made


def test_sleeps_take_no_time_and_their_order_holds(clock: VirtualClock) -> None:
    """A day passes in a moment."""
    seen: list[tuple[str, float]] = []

    async def poll(name: str, period: float) -> None:
        while True:
            await asyncio.sleep(period)
            seen.append((name, time.monotonic()))

    async def main() -> None:
        tasks = [asyncio.create_task(poll("a", 20)), asyncio.create_task(poll("b", 30))]
        await asyncio.sleep(61)
        for task in tasks:
            task.cancel()

    asyncio.run(main())

    assert seen == [("a", 20), ("b", 30), ("a", 40), ("b", 60), ("a", 60)]
    assert clock.monotonic_ns() == 61 * SECOND_NS


def test_limits_queues_and_events_are_virtual(clock: VirtualClock) -> None:
    """wait_for ends on time; what comes in time is taken."""

    async def main() -> list[object]:
        items: asyncio.Queue[int] = asyncio.Queue()
        event = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.call_later(3, items.put_nowait, 7)
        loop.call_later(9, event.set)
        got: list[object] = [await items.get(), time.monotonic()]
        try:
            await asyncio.wait_for(event.wait(), 5)
        except asyncio.TimeoutError:
            got.append(time.monotonic())
        await event.wait()
        return [*got, time.monotonic()]

    assert asyncio.run(main()) == [7, 3.0, 8.0, 9.0]


def test_loop_in_a_thread_is_driven_by_the_test(clock: VirtualClock) -> None:
    """Beside threads that sleep, in one order."""
    seen: list[tuple[str, float]] = []

    async def poll() -> None:
        while True:
            seen.append(("loop", time.monotonic()))
            await asyncio.sleep(20)

    def sleep() -> None:
        while True:
            seen.append(("thread", time.monotonic()))
            time.sleep(15)  # noqa: TID251 - it takes no time

    threading.Thread(target=lambda: asyncio.run(poll()), daemon=True).start()
    threading.Thread(target=sleep, daemon=True).start()
    clock.advance(40 * SECOND_NS)

    assert seen == [
        ("loop", 0),
        ("thread", 0),
        ("thread", 15),
        ("loop", 20),
        ("thread", 30),
        ("loop", 40),
    ]


def test_work_in_an_executor_comes_back(clock: VirtualClock) -> None:
    """The thread sleeps in the same time, and wakes the loop up."""

    async def main() -> tuple[float, float]:
        await asyncio.to_thread(time.sleep, 10)  # noqa: TID251 - it takes no time
        first = time.monotonic()
        await asyncio.sleep(5)
        return first, time.monotonic()

    assert asyncio.run(main()) == (10.0, 15.0)


def test_loop_that_was_made_before_is_served_too() -> None:
    """As a plugin makes one for all tests."""
    loop = asyncio.new_event_loop()
    try:
        with VirtualClock() as clock:
            loop.run_until_complete(asyncio.sleep(3600))
            lasted = clock.monotonic_ns()
    finally:
        loop.close()

    assert lasted == 3600 * SECOND_NS


def test_loop_is_real_again_afterwards() -> None:
    """A sleep of nothing ends, and a socket is heard."""
    with VirtualClock():
        asyncio.run(asyncio.sleep(1))

    assert asyncio.run(asyncio.wait_for(asyncio.sleep(0, "x"), 5)) == "x"


def test_advance_within_a_coroutine_is_refused(clock: VirtualClock) -> None:
    """It would stop the loop that it is called from."""

    async def main() -> None:
        clock.advance(SECOND_NS)

    with pytest.raises(DriverError, match=r"Await asyncio.sleep there"):
        asyncio.run(main())


def test_waiting_for_ever_is_told(clock: VirtualClock) -> None:
    """Without timers and sockets, nothing can wake the loop up."""

    async def main() -> None:
        await asyncio.Event().wait()

    with pytest.raises(DriverError, match="waits for ever"):
        asyncio.run(main())


def test_socket_is_waited_for_and_time_stands_still(clock: VirtualClock) -> None:
    """A timer doesn't overtake an answer that is under way."""

    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello")
        writer.close()

    async def main() -> tuple[bytes, float]:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        got = await asyncio.wait_for(reader.read(), 1)
        writer.close()
        server.close()
        return got, time.monotonic()

    assert asyncio.run(main()) == (b"hello", 0.0)


def test_socket_that_stays_silent_is_an_error_and_never_idle() -> None:
    """Nobody knows whether it or the timer comes first."""

    async def main() -> None:
        left, right = socket.socketpair()
        left.settimeout(0)
        try:
            loop = asyncio.get_running_loop()
            await asyncio.wait_for(loop.sock_recv(left, 1), 20)
        finally:
            asyncio.get_running_loop().remove_reader(left)
            left.close()
            right.close()

    with (
        VirtualClock(limit_s=0.05),
        pytest.raises(DriverError, match=r"for a socket or a pipe \(descriptor \d+\)"),
    ):
        asyncio.run(main())
