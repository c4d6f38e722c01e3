"""
Waits of threads, in virtual time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pytest_podsource.contract import SECOND_NS
from pytest_podsource.doubles.patches import Patches

if TYPE_CHECKING:
    from pytest_podsource.doubles.clock import VirtualClock


class RealThread(threading.Thread):
    """
    A thread that lives in real time, whoever starts it.
    """


def patch(clock: VirtualClock, patches: Patches) -> None:
    """
    Let conditions, and starts and joins of threads, take the time of *clock*.
    """
    patches.set(threading.Condition, "wait", _condition_wait(clock))
    patches.set(threading.Thread, "start", _thread_start(clock))
    patches.set(threading.Thread, "join", _thread_join(clock))


def sleep(
    clock: VirtualClock, real: Callable[[float], None]
) -> Callable[[float], None]:
    """
    Return a ``time.sleep`` that takes the time of *clock*.
    """

    def sleep(seconds: float) -> None:
        waiter = clock.new_waiter()
        if waiter is None:
            real(seconds)
        elif seconds < 0:
            raise ValueError("sleep length must be non-negative")
        else:
            clock.wait(waiter, round(seconds * SECOND_NS))

    return sleep


def limit_ns(timeout: float | None) -> int | None:
    """
    Return a time limit of Python's in nanoseconds, ``None`` for none.
    """
    return None if timeout is None else round(max(timeout, 0) * SECOND_NS)


def _condition_wait(clock: VirtualClock) -> Callable[..., bool]:
    real = threading.Condition.wait

    def wait(condition: Any, timeout: float | None = None) -> bool:
        waiter = clock.new_waiter()
        if waiter is None:
            return real(condition, timeout)
        if not condition._is_owned():
            raise RuntimeError("cannot wait on un-acquired lock")
        condition._waiters.append(waiter)
        saved = condition._release_save()
        try:
            return clock.wait(waiter, limit_ns(timeout))
        finally:
            condition._acquire_restore(saved)
            if waiter in condition._waiters:
                condition._waiters.remove(waiter)

    return wait


def _thread_start(clock: VirtualClock) -> Callable[[threading.Thread], None]:
    real = threading.Thread.start

    def start(thread: threading.Thread) -> None:
        if clock.new_waiter() is None:
            real(thread)
        elif isinstance(thread, RealThread):
            clock.leave(thread, real)
        else:
            clock.track(thread, real)

    return start


def _thread_join(clock: VirtualClock) -> Callable[..., None]:
    real = threading.Thread.join

    def join(thread: threading.Thread, timeout: float | None = None) -> None:
        ended = clock.join(thread, limit_ns(timeout))
        if ended is None:
            real(thread, timeout)
        elif ended:
            real(thread)

    return join
