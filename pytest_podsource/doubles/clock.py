"""
Virtual time for code that was never written for it.

While the clock is started, ``time.sleep``, ``Thread.start``, ``Thread.join`` and every
wait that is made of ``threading.Condition`` (events, queues, semaphores, barriers,
timers, futures) take virtual time; the wall clock is freezegun's.

Rule 1: one thread runs at a time, handed over exactly; a thread that is started or
notified waits for its turn, so nothing depends on who is quicker. Rule 2: whoever has
started the clock drives it: by ``advance``, or by a wait of its own. Rule 3: a thread
that waits for something else, such as a socket or a lock, is waited for in real time;
if that takes too long it is an error, never taken for idle.
"""

from __future__ import annotations

import queue
import sys
import threading
import time
import traceback
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

import freezegun.api
from freezegun import freeze_time

from pytest_podsource.contract import SECOND_NS
from pytest_podsource.doubles.patches import Patches
from pytest_podsource.exceptions import DriverError
from pytest_podsource.threads import Handover
from pytest_podsource.world.clock import CaseClock

LIMIT_S = 10.0
_ENDINGS = 100
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
# Real functions, held where freezegun doesn't look.
_REAL = (time.sleep, time.monotonic)  # noqa: TID251 - to be replaced


class Ended(BaseException):
    """
    Raised by a wait of a thread that is still there when the clock stops.
    """


class _Waiter:
    """
    What a thread waits for; ``release`` is what ``Condition.notify`` calls.
    """

    def __init__(self, clock: VirtualClock, tracked: _Tracked | None) -> None:
        self._clock = clock
        self.tracked = tracked
        self.released = False
        self.over = False

    def release(self) -> None:
        if not self.released and not self.over:
            self.released = True
            self._clock.call_later(0, self._wake)

    def time_out(self) -> None:
        if not self.released:
            self._wake()

    def _wake(self) -> None:
        if not self.over:
            self.over = True
            if self.tracked is not None:
                self._clock.resume(self.tracked)


class _Tracked:
    """
    A thread that runs only when it is its turn.
    """

    def __init__(self, thread: threading.Thread) -> None:
        self.thread = thread
        self.handover = Handover()
        self.joiners: list[_Waiter] = []
        self.failure: Exception | None = None
        self.ended = False
        self.endings = 0


class VirtualClock(CaseClock):
    """
    A clock that patched waits and freezegun follow.

    Args:
        wall_ns: The wall clock at the start, in nanoseconds since 1970.
        seed: Permutes what happens at one instant; 0 keeps the natural order.
        limit_s: Real time that a thread may take until it waits or ends.
    """

    def __init__(
        self, wall_ns: int, seed: int = 0, *, limit_s: float = LIMIT_S
    ) -> None:
        super().__init__(wall_ns, seed)
        self._limit_s = limit_s
        self._owner = 0
        self._tracked: dict[int, _Tracked] = {}
        self._aside: set[int] = set()
        self._patches = Patches()
        self._freezer = freeze_time(self._wall(), ignore=["_pytest.timing"])
        self._frozen: Any = None
        self._fake_sleep = self._sleep()

    def start(self) -> None:
        """Begin to be the time of this process; this thread drives it."""
        self._owner = threading.get_ident()
        self._frozen = self._freezer.start()
        patch = self._patches.set
        patch(freezegun.api, "call_stack_inspection_limit", 0)
        patch(freezegun.api, "_get_fake_monotonic", self._monotonic)
        patch(freezegun.api, "_get_fake_monotonic_ns", self.monotonic_ns)
        patch(threading, "_time", self._monotonic)
        patch(queue, "time", self._monotonic)
        patch(queue, "SimpleQueue", vars(queue)["_PySimpleQueue"])
        patch(threading.Condition, "wait", self._condition_wait())
        patch(threading.Thread, "start", self._thread_start())
        patch(threading.Thread, "join", self._thread_join())
        self._patches.set_everywhere(_REAL[0], self._fake_sleep)

    def stop(self) -> None:
        """
        End the threads that are left, and give real time back.

        Raises:
            DriverError: A thread can't be ended.
        """
        try:
            for tracked in list(self._tracked.values()):
                self._end(tracked)
        finally:
            self._owner = 0
            self._tracked.clear()
            self._patches.undo()
            self._freezer.stop()
            self._frozen = None
            Patches().set_everywhere(self._fake_sleep, _REAL[0])

    def move_to(self, instant_ns: int) -> None:
        """Move on to *instant_ns*, without running anything; never back."""
        super().move_to(instant_ns)
        self._show()

    def jump(self, by_ns: int) -> None:
        """Move the wall clock only."""
        super().jump(by_ns)
        self._show()

    def resume(self, tracked: _Tracked) -> None:
        """
        Let a thread run until it waits or ends.

        Raises:
            Exception: What the thread raised and didn't catch.
            DriverError: It did neither, in real time.
        """
        if not tracked.handover.give(self._limit_s):
            raise DriverError(_stuck(tracked.thread, self._limit_s))
        if tracked.ended:
            self._tracked.pop(tracked.thread.ident or 0, None)
        if tracked.failure is not None:
            failure, tracked.failure = tracked.failure, None
            raise failure

    def sleep(self, duration_ns: int) -> None:
        """Return after *duration_ns*; called by a thread that lives in this time."""
        waiter = self._new_waiter()
        assert waiter is not None
        self.wait(waiter, duration_ns)

    def wait(self, waiter: _Waiter, timeout_ns: int | None) -> bool:
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

    def _drive(self, waiter: _Waiter) -> None:
        self.run_due()
        while not waiter.over:
            due_ns = self.next_due_ns()
            if due_ns is None:
                raise DriverError(
                    "the thread that drives the clock waits for ever: "
                    "nothing is planned that could end it."
                )
            self.move_to(due_ns)
            self.run_due()

    def _park(self, tracked: _Tracked) -> None:
        if not tracked.endings:
            tracked.handover.give_back()
            tracked.handover.await_turn()
        if tracked.endings:
            tracked.endings += 1
            if tracked.endings > _ENDINGS:
                tracked.handover.give_back()
                tracked.handover.await_turn()
            raise Ended

    def _end(self, tracked: _Tracked) -> None:
        tracked.endings = 1
        self.resume(tracked)
        if not tracked.ended:
            raise DriverError(
                f"the thread {tracked.thread.name!r} outlives the case: "
                "it goes on, whatever its waits raise."
            )

    def _begin(self, tracked: _Tracked) -> None:
        if not tracked.ended:
            self.resume(tracked)

    def _run(self, tracked: _Tracked, run: Callable[[], None]) -> None:
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

    def _new_waiter(self) -> _Waiter | None:
        """Return what this thread can wait for, ``None`` if it isn't ours."""
        ident = threading.get_ident()
        if ident in self._aside:
            return None
        if ident == self._owner:
            return _Waiter(self, None)
        tracked = self._tracked.get(ident)
        return _Waiter(self, tracked) if tracked is not None else None

    def _sleep(self) -> Callable[[float], None]:
        def sleep(seconds: float) -> None:
            waiter = self._new_waiter()
            if waiter is None:
                _REAL[0](seconds)
            elif seconds < 0:
                raise ValueError("sleep length must be non-negative")
            else:
                self.wait(waiter, round(seconds * SECOND_NS))

        return sleep

    def _condition_wait(self) -> Callable[..., bool]:
        real = threading.Condition.wait

        def wait(condition: Any, timeout: float | None = None) -> bool:
            waiter = self._new_waiter()
            if waiter is None:
                return real(condition, timeout)
            if not condition._is_owned():
                raise RuntimeError("cannot wait on un-acquired lock")
            condition._waiters.append(waiter)
            saved = condition._release_save()
            try:
                return self.wait(waiter, _timeout_ns(timeout))
            finally:
                condition._acquire_restore(saved)
                if waiter in condition._waiters:
                    condition._waiters.remove(waiter)

        return wait

    def _thread_start(self) -> Callable[[threading.Thread], None]:
        real = threading.Thread.start

        def start(thread: threading.Thread) -> None:
            if self._new_waiter() is None:
                real(thread)
                return
            tracked = _Tracked(thread)
            run = thread.run
            thread.run = lambda: self._run(tracked, run)  # type: ignore[method-assign]
            ident = threading.get_ident()
            self._aside.add(ident)
            try:
                real(thread)
            finally:
                self._aside.discard(ident)
            self._tracked[thread.ident or 0] = tracked
            self.call_later(0, lambda: self._begin(tracked))

        return start

    def _thread_join(self) -> Callable[..., None]:
        real = threading.Thread.join

        def join(thread: threading.Thread, timeout: float | None = None) -> None:
            tracked = self._tracked.get(thread.ident or 0)
            waiter = self._new_waiter()
            if tracked is None or waiter is None or tracked is waiter.tracked:
                real(thread, timeout)
                return
            tracked.joiners.append(waiter)
            if self.wait(waiter, _timeout_ns(timeout)):
                real(thread)

        return join

    def _monotonic(self) -> float:
        if self._new_waiter() is None:
            return _REAL[1]()
        return self.monotonic_ns() / SECOND_NS

    def _wall(self) -> datetime:
        return _EPOCH + timedelta(microseconds=self.now_ns() // 1_000)

    def _show(self) -> None:
        if self._frozen is not None:
            self._frozen.move_to(self._wall())


def _timeout_ns(timeout: float | None) -> int | None:
    return None if timeout is None else round(max(timeout, 0) * SECOND_NS)


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
