"""
Code that was never written for it runs in virtual time, one thread at a time.
"""

from __future__ import annotations

import concurrent.futures
import datetime as dt
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator
from time import sleep  # noqa: F401, TID251 - a held name, as tested code has it
from typing import Any

import freezegun.api
import pytest
from freezegun import freeze_time

from pytest_podsource.contract import SECOND_NS
from pytest_podsource.doubles.clock import VirtualClock
from pytest_podsource.exceptions import DriverError

WALL_NS = 1_704_067_200 * SECOND_NS
REAL = (time.monotonic, time.sleep, threading.Condition.wait, threading.Thread.start)  # noqa: TID251 - to be compared
nap = time.sleep  # noqa: TID251 - a held name, as code that is tested has it


def rest(seconds: float) -> None:
    """Sleep as code does that looks the name up."""
    time.sleep(seconds)  # noqa: TID251 - what is tested


@pytest.fixture
def clock() -> Iterator[VirtualClock]:
    made = VirtualClock(WALL_NS, limit_s=60)  # real time, of a machine that may be busy
    made.start()
    yield made
    made.stop()


def spawn(work: Callable[..., object], *args: Any) -> threading.Thread:
    thread = threading.Thread(target=work, args=args, daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize("how", ["rest", "sleep", "nap"])
def test_sleepers_wake_up_at_their_instants(clock: VirtualClock, how: str) -> None:
    """Whatever name the sleep is held by, as a global of a module."""
    seen: list[tuple[str, float]] = []

    def work(name: str, period: float) -> None:
        while True:
            globals()[how](period)
            seen.append((name, time.monotonic()))

    spawn(work, "a", 20)
    spawn(work, "b", 30)
    clock.advance(60 * SECOND_NS)

    assert seen == [("a", 20), ("b", 30), ("a", 40), ("b", 60), ("a", 60)]


def test_nothing_runs_before_the_clock_is_driven(clock: VirtualClock) -> None:
    """A thread that was started waits for its turn."""
    seen: list[str] = []
    spawn(seen.append, "a")
    before = list(seen)

    clock.run_due()

    assert (before, seen) == ([], ["a"])


def test_wall_clock_follows_and_monotonic_starts_at_0(clock: VirtualClock) -> None:
    """Also near the top of a thread, where freezegun alone lets real time through."""
    seen: list[object] = []

    def look() -> None:
        seen.extend(
            (time.time(), time.time_ns(), time.monotonic(), time.perf_counter_ns())
        )
        seen.append(dt.datetime.now(tz=dt.timezone.utc).isoformat())

    threading.Timer(3, look).start()
    clock.advance(5 * SECOND_NS)

    assert seen == [
        1_704_067_203.0,
        1_704_067_203 * SECOND_NS,
        3.0,
        3 * SECOND_NS,
        "2024-01-01T00:00:03+00:00",
    ]


def test_jump_moves_the_wall_clock_only(clock: VirtualClock) -> None:
    """It goes back an hour; waits don't notice."""
    woken: list[tuple[float, float]] = []

    def work() -> None:
        rest(10)
        woken.append((time.time(), time.monotonic()))

    spawn(work)
    clock.advance(4 * SECOND_NS)
    clock.jump(-3_600 * SECOND_NS)
    clock.advance(6 * SECOND_NS)

    assert woken == [(1_704_067_210 - 3_600, 10.0)]


def test_event_is_waited_for_until_set_or_timed_out(clock: VirtualClock) -> None:
    """The set comes from another thread, or not at all."""
    event = threading.Event()
    got: list[tuple[bool, float]] = []

    def wait() -> None:
        got.append((event.wait(5), time.monotonic()))
        got.append((event.wait(20), time.monotonic()))

    spawn(wait)
    threading.Timer(8, event.set).start()
    clock.advance(30 * SECOND_NS)

    assert got == [(False, 5.0), (True, 8.0)]


def test_queue_hands_over_at_the_instant(clock: VirtualClock) -> None:
    """Get with and without a timeout, put with a bound."""
    items: queue.Queue[int] = queue.Queue(maxsize=1)
    got: list[tuple[object, float]] = []

    def consume() -> None:
        try:
            items.get(timeout=1)
        except queue.Empty:
            got.append(("empty", time.monotonic()))
        while True:
            got.append((items.get(), time.monotonic()))
            rest(10)

    def produce() -> None:
        rest(3)
        for number in range(3):
            items.put(number)
            got.append((f"put {number}", time.monotonic()))

    spawn(consume)
    spawn(produce)
    clock.advance(60 * SECOND_NS)

    assert got == [
        ("empty", 1.0),
        ("put 0", 3.0),
        (0, 3.0),
        ("put 1", 3.0),
        (1, 13.0),
        ("put 2", 13.0),
        (2, 23.0),
    ]


def test_semaphore_and_barrier_take_virtual_time(clock: VirtualClock) -> None:
    """Both are made of Condition."""
    gate = threading.Semaphore(0)
    barrier = threading.Barrier(2)
    got: list[tuple[str, object, float]] = []

    def first() -> None:
        got.append(("gate", gate.acquire(timeout=2), time.monotonic()))
        barrier.wait()
        got.append(("first", None, time.monotonic()))

    def second() -> None:
        rest(7)
        barrier.wait()
        got.append(("second", None, time.monotonic()))

    spawn(first)
    spawn(second)
    clock.advance(10 * SECOND_NS)

    assert got[0] == ("gate", False, 2.0)
    assert sorted(got[1:]) == [("first", None, 7.0), ("second", None, 7.0)]


def test_executor_works_in_virtual_time(clock: VirtualClock) -> None:
    """Its queue is a C one otherwise, which nobody can see into."""

    def work(number: int) -> tuple[int, float]:
        rest(number)
        return number, time.monotonic()

    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        results = list(pool.map(work, (3, 1, 2)))

    assert results == [(3, 3.0), (1, 1.0), (2, 3.0)]


def test_thread_joins_another(clock: VirtualClock) -> None:
    """With a timeout, and until the end."""
    got: list[tuple[bool, float]] = []
    sleeper = spawn(rest, 10)

    def join() -> None:
        sleeper.join(timeout=4)
        got.append((sleeper.is_alive(), time.monotonic()))
        sleeper.join()
        got.append((sleeper.is_alive(), time.monotonic()))

    spawn(join)
    clock.advance(20 * SECOND_NS)

    assert got == [(True, 4.0), (False, 10.0)]


def test_wait_of_the_driving_thread_moves_time(clock: VirtualClock) -> None:
    """A function that sleeps returns at once, with the time moved on."""
    thread = spawn(rest, 10)

    rest(3)
    slept = time.monotonic()
    thread.join()

    assert (slept, time.monotonic()) == (3.0, 10.0)


def test_stop_event_and_join_end_a_poller(clock: VirtualClock) -> None:
    """The usual way to stop a thread works, and takes no time."""
    stop = threading.Event()

    def poll() -> None:
        while not stop.wait(20):
            pass

    thread = spawn(poll)
    clock.advance(50 * SECOND_NS)

    stop.set()
    thread.join()

    assert not thread.is_alive()
    assert time.monotonic() == 50.0


def test_waiting_for_ever_is_told(clock: VirtualClock) -> None:
    """The thread that drives would never come back."""
    with pytest.raises(DriverError, match="waits for ever"):
        threading.Event().wait()


def test_counter_is_never_lost(clock: VirtualClock) -> None:
    """One thread runs at a time, whatever the switch interval."""
    counter = [0]

    def count() -> None:
        for _ in range(30):
            value = counter[0]
            for _ in range(200):
                pass
            counter[0] = value + 1
            rest(1)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(8):
            spawn(count)
        clock.advance(100 * SECOND_NS)
    finally:
        sys.setswitchinterval(before)

    assert counter == [240]


def _order(seed: int) -> list[int]:
    clock = VirtualClock(WALL_NS, seed)
    clock.start()
    seen: list[int] = []

    def work(number: int) -> None:
        rest(5)
        seen.append(number)

    for number in range(6):
        spawn(work, number)
    clock.advance(10 * SECOND_NS)
    clock.stop()
    return seen


def test_seed_permutes_threads_of_one_instant() -> None:
    """The same seed always in the same way."""
    assert _order(0) == list(range(6))
    assert _order(1) == _order(1) != list(range(6))


def test_what_a_thread_raises_comes_out_where_the_clock_is_driven(
    clock: VirtualClock,
) -> None:
    """Nothing is lost in a thread."""

    def broken() -> None:
        rest(5)
        raise ValueError("broken here")

    spawn(broken)

    with pytest.raises(ValueError, match="broken here"):
        clock.advance(10 * SECOND_NS)


def test_thread_that_is_busy_is_not_taken_for_idle(clock: VirtualClock) -> None:
    """A lock that nobody gives back is told, with the place."""
    lock = threading.Lock()
    lock.acquire()
    spawn(lock.acquire)
    patient_s, clock.limit_s = clock.limit_s, 0.5

    with pytest.raises(DriverError, match=r"neither waited nor ended.*threading.py"):
        clock.run_due()

    lock.release()
    clock.limit_s = patient_s


def test_stop_ends_threads_that_are_left() -> None:
    """Those that wait, and those that never had their turn; ``finally`` runs."""
    clock = VirtualClock(WALL_NS)
    clock.start()
    ended: list[str] = []

    def work() -> None:
        try:
            rest(100)
        finally:
            ended.append("waiting")

    waiting = spawn(work)
    clock.run_due()
    never = spawn(ended.append, "never")

    clock.stop()
    waiting.join()
    never.join()

    assert ended == ["waiting"]


def test_thread_that_cannot_be_ended_is_told() -> None:
    """It would go on in real time, on the real disk and the real network."""
    clock = VirtualClock(WALL_NS)
    clock.start()
    go_on = [True]

    def stubborn() -> None:
        while go_on:
            try:
                rest(1)
            except BaseException:  # noqa: BLE001, PERF203 - what is looked for
                continue

    thread = spawn(stubborn)
    clock.run_due()
    (tracked,) = clock._tracked.values()

    with pytest.raises(DriverError, match="outlives the case"):
        clock.stop()
    go_on.clear()
    tracked.handover.give(10)
    thread.join(10)
    assert not thread.is_alive()


def test_stop_gives_real_time_back() -> None:
    """Each name is what it was."""
    clock = VirtualClock(WALL_NS)
    limit = freezegun.api.call_stack_inspection_limit

    clock.start()
    during = (time.monotonic, time.sleep, threading.Condition.wait)  # noqa: TID251 - to be compared
    clock.stop()

    assert all(a is not b for a, b in zip(during, REAL, strict=False))
    assert (
        time.monotonic,
        time.sleep,  # noqa: TID251 - to be compared
        threading.Condition.wait,
        threading.Thread.start,
    ) == REAL
    assert freezegun.api.call_stack_inspection_limit == limit
    assert nap is REAL[1]


def test_threads_of_others_stay_in_real_time() -> None:
    """A thread from before waits, and measures, in real time."""
    begin, done = threading.Lock(), threading.Lock()
    begin.acquire()
    done.acquire()
    got: list[bool] = []

    def other() -> None:
        begin.acquire()
        got.append(threading.Event().wait(0.001))
        done.release()

    thread = spawn(other)
    clock = VirtualClock(WALL_NS)
    clock.start()
    begin.release()
    done.acquire()
    clock.stop()
    thread.join()

    assert got == [False]


def test_freeze_within_virtual_time_is_the_tests_own(clock: VirtualClock) -> None:
    """A freeze inside keeps its meaning."""
    with freeze_time("2001-01-01"):
        within = time.time()

    assert within == 978_307_200.0
    assert time.time() == 1_704_067_200.0


def test_negative_sleep_is_refused(clock: VirtualClock) -> None:
    """As the real one does."""
    with pytest.raises(ValueError, match="non-negative"):
        rest(-1)


def test_wait_without_the_lock_is_refused(clock: VirtualClock) -> None:
    """As the real one does."""
    with pytest.raises(RuntimeError, match="un-acquired"):
        threading.Condition().wait()


def test_durations_of_a_run_stay_real(pytester: pytest.Pytester) -> None:
    """A test under the clock doesn't last since 1970 in ``--durations``."""
    pytester.makepyfile(
        """
        import pytest
        from pytest_podsource.doubles.clock import VirtualClock

        @pytest.fixture
        def clock():
            made = VirtualClock(0)
            made.start()
            yield made
            made.stop()

        def test_slow(clock):
            clock.advance(1_000_000 * 10**9)
        """
    )

    result = pytester.runpytest_subprocess("--durations=0", "-vv", "-p", "no:randomly")

    result.assert_outcomes(passed=1)
    lasted = [
        float(line.split("s ")[0])
        for line in result.outlines
        if line.endswith(("test_slow",)) and "s " in line and line[0].isdigit()
    ]
    assert len(lasted) == 3
    assert all(0 <= each < 60 for each in lasted)
