"""
Virtual time for code that was never written for it.

While the clock is started, ``time.sleep``, ``Thread.start``, ``Thread.join``, every wait
that is made of ``threading.Condition`` (events, queues, semaphores, barriers, timers,
futures) and the event loops of asyncio take virtual time; the wall clock is freezegun's.

Rule 1: one thread runs at a time, handed over exactly; a thread that is started or
notified waits for its turn, so nothing depends on who is quicker. Rule 2: whoever has
started the clock drives it: by ``advance``, or by a wait of its own. Rule 3: a thread
that waits for something else, such as a socket or a lock, is waited for in real time;
where that can be seen it is told as a warning, and if it takes too long it is an error,
never taken for idle.
"""

from __future__ import annotations

import asyncio
import queue
import sys
import threading
import time
import traceback
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from types import TracebackType
from typing import Any

import freezegun.api
from freezegun import freeze_time

from pytest_podsource.contract import SECOND_NS
from pytest_podsource.doubles import (
    held_sleep,
    loops,
    thread_waits,
    uncontrolled,
    zones,
)
from pytest_podsource.doubles.patches import Patches
from pytest_podsource.doubles.tracked import Ended, Tracked, Waiter
from pytest_podsource.exceptions import DriverError
from pytest_podsource.world.clock import CaseClock

START_NS = 1_704_067_200 * SECOND_NS
"""2024-01-01 at 00:00 UTC: where the wall clock begins if nothing else is said."""

LIMIT_S = 10.0
_ENDINGS = 100
_LIMIT_NS = 24 * 3600 * SECOND_NS
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_FIRST_NS, _LAST_NS = (
    (each - _EPOCH) // timedelta(microseconds=1) * 1_000
    for each in (
        datetime.min.replace(tzinfo=timezone.utc),
        datetime.max.replace(tzinfo=timezone.utc),
    )
)
# Real functions, held where freezegun doesn't look.
_REAL = (held_sleep.REAL_SLEEP[0], time.monotonic)


class VirtualClock(CaseClock):
    """
    A clock that patched waits and freezegun follow; a context manager.

    Args:
        wall_ns: The wall clock at the start, in nanoseconds since 1970.
        seed: Permutes what happens at one instant; 0 keeps the natural order.
        limit_s: Real time that a thread may take until it waits or ends.
        warns: Tell an :class:`~pytest_podsource.UncontrolledWait` where one is seen.
    """

    def __init__(
        self,
        wall_ns: int = START_NS,
        seed: int = 0,
        *,
        limit_s: float = LIMIT_S,
        warns: bool = True,
    ) -> None:
        super().__init__(wall_ns, seed)
        self.limit_s = limit_s
        self._warns = warns
        self._owner = 0
        self._tracked: dict[int, Tracked] = {}
        self._aside: set[int] = set()
        self._patches = Patches()
        self._freezer = freeze_time(self._wall(), ignore=["_pytest.timing"])
        self._frozen: Any = None
        self._fake_sleep = thread_waits.sleep(self, _REAL[0])

    def __enter__(self) -> VirtualClock:  # noqa: PYI034 - Self is newer than 3.10
        """Start."""
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop."""
        self.stop()

    def start(self) -> None:
        """
        Begin to be the time of this process; this thread drives it.

        Raises:
            DriverError: It or another one is started already.
        """
        if isinstance(
            getattr(vars(threading)["_time"], "__self__", None), VirtualClock
        ):
            raise DriverError(
                "VirtualClock.start: one is started already, and is the time of the "
                "whole process. Use that one, or stop it first."
            )
        self._owner = threading.get_ident()
        nested = bool(freezegun.api.freeze_factories)
        if not nested:
            held_sleep.let_freezegun_know()
        self._frozen = self._freezer.start()
        patch = self._patches.set
        patch(freezegun.api, "call_stack_inspection_limit", 0)
        patch(freezegun.api, "_get_fake_monotonic", self._monotonic)
        patch(freezegun.api, "_get_fake_monotonic_ns", self.monotonic_ns)
        patch(threading, "_time", self._monotonic)
        patch(queue, "time", self._monotonic)
        patch(queue, "SimpleQueue", vars(queue)["_PySimpleQueue"])
        thread_waits.patch(self, self._patches)
        loops.patch(self, self._patches)
        if self._warns:
            uncontrolled.patch(self, self._patches)
        holders = list(sys.modules.values()) if nested else held_sleep.holders()
        self._patches.set_everywhere(_REAL[0], self._fake_sleep, holders)

    def stop(self) -> None:
        """
        End the threads that are left, and give real time back; no more if it is stopped.

        Raises:
            DriverError: A thread can't be ended.
        """
        if self._frozen is None:
            return
        try:
            for tracked in list(self._tracked.values()):
                self._end(tracked)
        finally:
            self._owner = 0
            self._tracked.clear()
            self._patches.undo()
            before: set[str] = getattr(self._freezer, "modules_at_start", set())
            new = [module for name, module in sys.modules.items() if name not in before]
            self._freezer.stop()
            self._frozen = None
            Patches().set_everywhere(self._fake_sleep, _REAL[0], new)

    def advance(self, duration_ns: int) -> None:
        """
        Move on by *duration_ns*, stopping at whatever is due, and run it.

        Raises:
            Exception: What a thread raised and didn't catch.
            DriverError: It is called in a coroutine.
            ValueError: *duration_ns* is negative, or no whole number.
        """
        self._check_driver("advance")
        given: object = duration_ns
        if not isinstance(given, int) or given < 0:
            raise ValueError(
                f"podsource_clock.advance: {duration_ns!r} is no number of nanoseconds. "
                "Right would be 5 * SECOND_NS; only the wall clock goes back: jump()."
            )
        self._check_wall(duration_ns)
        super().advance(duration_ns)

    def advance_to_next(self) -> int:
        """
        Move on to the next thing that is due, run it, and return that instant.

        What is still due at this instant is run before.

        Raises:
            DriverError: Nothing is planned.
        """
        self._check_driver("advance_to_next")
        self.run_due()
        due_ns = self.next_due_ns()
        if due_ns is None:
            raise DriverError(
                "podsource_clock: nothing is planned, so there is no next. "
                "Is the code started that should wait?"
            )
        self._go_to(due_ns)
        return due_ns

    def run_until(
        self, condition: Callable[[], object], *, limit_ns: int = _LIMIT_NS
    ) -> int:
        """
        Move on from one thing to the next until *condition* is true.

        Args:
            condition: Is asked after all that was due at an instant.
            limit_ns: Virtual time after which it is given up; a day if not given.

        Returns:
            The instant, of the monotonic clock.

        Raises:
            AssertionError: It was not true in time, or can't become true any more.
        """
        self._check_driver("run_until")
        end_ns = self.monotonic_ns() + limit_ns
        self.run_due()
        while not condition():
            due_ns = self.next_due_ns()
            if due_ns is None or due_ns > end_ns:
                raise AssertionError(_never_true(self.monotonic_ns(), due_ns, limit_ns))
            self._go_to(due_ns)
        return self.monotonic_ns()

    def jump_to(self, wall: datetime) -> None:
        """
        Move the wall clock only, to *wall*.

        Raises:
            ValueError: It has no time zone.
        """
        if wall.tzinfo is None:
            raise ValueError(
                f"jump_to: {wall.isoformat()} has no time zone. "
                "Give one, such as tzinfo=timezone.utc."
            )
        microseconds = (wall - _EPOCH) // timedelta(microseconds=1)
        self.jump(microseconds * 1_000 - self.now_ns())

    def set_zone(self, name: str) -> None:
        """
        Let local time be that of a zone, daylight saving included, until the end.

        Args:
            name: Such as ``Europe/Berlin``.

        Raises:
            ValueError: This machine doesn't know it.
        """
        zones.patch(self, self._patches, name)

    def move_to(self, instant_ns: int) -> None:
        """Move on to *instant_ns*, without running anything; never back."""
        super().move_to(instant_ns)
        self._show()

    def jump(self, by_ns: int) -> None:
        """
        Move the wall clock only, forward or back.

        Raises:
            ValueError: It would leave the years from 1 to 9999.
        """
        self._check_wall(by_ns)
        super().jump(by_ns)
        self._show()

    def resume(self, tracked: Tracked) -> None:
        """
        Let a thread run until it waits or ends.

        Raises:
            Exception: What the thread raised and didn't catch.
            DriverError: It did neither, in real time.
        """
        if not tracked.handover.give(self.limit_s):
            raise DriverError(_stuck(tracked.thread, self.limit_s))
        if tracked.ended:
            self._tracked.pop(tracked.thread.ident or 0, None)
        if tracked.failure is not None:
            failure, tracked.failure = tracked.failure, None
            raise failure

    def sleep(self, duration_ns: int) -> None:
        """Return after *duration_ns*; called by a thread that lives in this time."""
        waiter = self.new_waiter()
        assert waiter is not None
        self.wait(waiter, duration_ns)

    def wait(self, waiter: Waiter, timeout_ns: int | None) -> bool:
        """Wait for *waiter*, and return whether it was released in time."""
        cancel = None
        if timeout_ns is not None:
            cancel = self.call_later(timeout_ns, waiter.time_out)
        try:
            if waiter.tracked is None:
                self._drive(waiter)
            else:
                self._park(waiter.tracked)
        finally:
            waiter.over = True
            if cancel is not None:
                cancel()
        return waiter.released

    def _drive(self, waiter: Waiter) -> None:
        self.run_due()
        while not waiter.over:
            due_ns = self.next_due_ns()
            if due_ns is None:
                raise DriverError(
                    "the thread that drives the clock waits for ever: "
                    "nothing is planned that could end it."
                )
            self._go_to(due_ns)

    def _go_to(self, due_ns: int) -> None:
        self.move_to(due_ns)
        self.run_due()

    def _check_driver(self, what: str) -> None:
        if asyncio._get_running_loop() is not None:
            raise DriverError(
                f"podsource_clock.{what} in a coroutine would stop its own event loop. "
                "Await asyncio.sleep there: it moves the clock on."
            )

    def _check_wall(self, by_ns: int) -> None:
        if not _FIRST_NS <= self.now_ns() + by_ns <= _LAST_NS:
            raise ValueError(
                f"podsource_clock: {by_ns} ns from {self._wall():%Y-%m-%d} leave the "
                "years from 1 to 9999, which is all that Python can show."
            )

    def _park(self, tracked: Tracked) -> None:
        if not tracked.endings:
            tracked.handover.give_back()
            tracked.handover.await_turn()
        if tracked.endings:
            tracked.endings += 1
            if tracked.endings > _ENDINGS:
                tracked.handover.give_back()
                tracked.handover.await_turn()
            raise Ended

    def _end(self, tracked: Tracked) -> None:
        tracked.endings = 1
        self.resume(tracked)
        if not tracked.ended:
            raise DriverError(
                f"the thread {tracked.thread.name!r} outlives the case: "
                "it goes on, whatever its waits raise."
            )

    def _begin(self, tracked: Tracked) -> None:
        if not tracked.ended:
            self.resume(tracked)

    def _run(self, tracked: Tracked, run: Callable[[], None]) -> None:
        """Be the ``run`` of a tracked thread."""
        tracked.handover.await_turn()
        try:
            if not tracked.endings:
                run()
        except Ended:
            pass
        except Exception as error:  # noqa: BLE001 - told to whoever drives
            tracked.failure = error
        finally:
            tracked.ended = True
            for joiner in tracked.joiners:
                joiner.release()
            tracked.handover.give_back()

    def new_waiter(self) -> Waiter | None:
        """Return what this thread can wait for, ``None`` if it isn't ours."""
        ident = threading.get_ident()
        if ident in self._aside:
            return None
        if ident == self._owner:
            return Waiter(self, None)
        tracked = self._tracked.get(ident)
        return Waiter(self, tracked) if tracked is not None else None

    def join(self, thread: threading.Thread, timeout_ns: int | None) -> bool | None:
        """Wait for *thread*; return whether it ended, ``None`` if it isn't ours."""
        tracked = self._tracked.get(thread.ident or 0)
        waiter = self.new_waiter()
        if tracked is None or waiter is None or tracked is waiter.tracked:
            return None
        tracked.joiners.append(waiter)
        return self.wait(waiter, timeout_ns)

    def leave(
        self, thread: threading.Thread, start: Callable[[threading.Thread], None]
    ) -> None:
        """Let *start* start *thread* in real time."""
        ident = threading.get_ident()
        self._aside.add(ident)
        try:
            start(thread)
        finally:
            self._aside.discard(ident)

    def track(
        self, thread: threading.Thread, start: Callable[[threading.Thread], None]
    ) -> None:
        """Let *thread* live in this time; *start* starts it."""
        tracked = Tracked(thread)
        run = thread.run
        thread.run = lambda: self._run(tracked, run)  # type: ignore[method-assign]
        self.leave(thread, start)
        self._tracked[thread.ident or 0] = tracked
        self.call_later(0, lambda: self._begin(tracked))

    def _monotonic(self) -> float:
        if self.new_waiter() is None:
            return _REAL[1]()
        return self.monotonic_ns() / SECOND_NS

    def _wall(self) -> datetime:
        return _EPOCH + timedelta(microseconds=self.now_ns() // 1_000)

    def _show(self) -> None:
        if self._frozen is not None:
            self._frozen.move_to(self._wall())


def _never_true(now_ns: int, due_ns: int | None, limit_ns: int) -> str:
    if due_ns is None:
        return (
            f"run_until: at {now_ns / SECOND_NS:g} s nothing is planned any more, "
            "and the condition is still false."
        )
    return (
        f"run_until: the condition is still false after {limit_ns / SECOND_NS:g} s of "
        f"virtual time; next would be {due_ns / SECOND_NS:g} s."
    )


def _stuck(thread: threading.Thread, limit_s: float) -> str:
    frame = sys._current_frames().get(thread.ident or 0)
    where = traceback.extract_stack(frame, limit=None)
    outside = [each for each in where if each.filename != __file__]
    place = f"{outside[-1].filename}, line {outside[-1].lineno}" if outside else "?"
    return (
        f"the thread {thread.name!r} has neither waited nor ended in {limit_s:g} s of "
        f"real time; it is at {place}. A wait for a socket, a lock or a program can't "
        "be kept in virtual time. Run with --podsource-time=real."
    )
