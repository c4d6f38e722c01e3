"""
Event loops of asyncio, in virtual time.

Rule 1: a loop that waits for timers only, waits on the clock. Rule 2: while it has a
socket or a pipe registered as well, nobody knows which comes first; then it is the
socket that is waited for, in real time, and if that takes too long it is an error.
"""

from __future__ import annotations

import asyncio
import selectors
from asyncio.selector_events import BaseSelectorEventLoop
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pytest_podsource.doubles.patches import Patches
from pytest_podsource.doubles.thread_waits import limit_ns
from pytest_podsource.exceptions import DriverError

if TYPE_CHECKING:
    from pytest_podsource.doubles.clock import VirtualClock
    from pytest_podsource.doubles.tracked import Waiter

_SELECTORS = tuple(
    kind
    for kind in vars(selectors).values()
    if isinstance(kind, type)
    and issubclass(kind, selectors.BaseSelector)
    and kind is not selectors.BaseSelector
    and "select" in vars(kind)
)


def patch(clock: VirtualClock, patches: Patches) -> None:
    """
    Let event loops wait on *clock*, whenever they were made.
    """
    waiting: dict[int, Waiter] = {}
    for kind in _SELECTORS:
        patches.set(kind, "select", _select(clock, waiting, vars(kind)["select"]))
    wake = _wake(clock, waiting, vars(BaseSelectorEventLoop)["_write_to_self"])
    patches.set(BaseSelectorEventLoop, "_write_to_self", wake)


def _select(
    clock: VirtualClock, waiting: dict[int, Waiter], real: Callable[..., list[Any]]
) -> Callable[..., list[Any]]:
    def select(selector: Any, timeout: float | None = None) -> list[Any]:
        loop: Any = asyncio._get_running_loop()
        if getattr(loop, "_selector", None) is not selector:
            return real(selector, timeout)
        waiter = clock.new_waiter()
        ready = [] if waiter is None else real(selector, 0)
        if ready or waiter is None or (timeout is not None and timeout <= 0):
            return ready if waiter else real(selector, timeout)
        if others := _others(selector, loop):
            return real(selector, clock.limit_s) or _refuse(others, clock.limit_s)
        waiting[id(loop)] = waiter
        try:
            clock.wait(waiter, limit_ns(timeout))
        finally:
            del waiting[id(loop)]
        return real(selector, 0)

    return select


def _wake(
    clock: VirtualClock, waiting: dict[int, Waiter], real: Callable[[Any], None]
) -> Callable[[Any], None]:
    def write_to_self(loop: Any) -> None:
        real(loop)
        if id(loop) in waiting and clock.new_waiter() is not None:
            waiting[id(loop)].release()

    return write_to_self


def _others(selector: Any, loop: Any) -> list[int]:
    own = loop._ssock.fileno() if loop._ssock is not None else -1
    return [fd for fd in selector.get_map() if fd != own]


def _refuse(others: list[int], limit_s: float) -> list[Any]:
    raise DriverError(
        f"podsource_clock: an event loop has waited {limit_s:g} s of real time for a "
        f"socket or a pipe (descriptor {', '.join(map(str, others))}). Nobody knows "
        "whether that or its next timer comes first. Close idle connections, or test "
        "this in real time."
    )
