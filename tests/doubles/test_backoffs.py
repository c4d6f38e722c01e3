"""
Delays of whatever tries again.
"""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest

from pytest_podsource import BackoffCheck, VirtualClock
from pytest_podsource.contract import SECOND_NS

Attempt = Callable[[], None]


@pytest.fixture
def check() -> Iterator[BackoffCheck]:
    with VirtualClock() as clock:
        yield BackoffCheck(clock)


def succeeds(attempt: Attempt) -> bool:
    try:
        attempt()
    except ConnectionError:
        return False
    return True


def doubling(attempt: Attempt) -> None:
    """Code that tries again: 1, 2, 4, ... at most 20 s."""
    delay = 1
    while not succeeds(attempt):
        time.sleep(delay)  # noqa: TID251 - it takes no time
        delay = min(delay * 2, 20)


def test_delays_are_those_between_attempts(check: BackoffCheck) -> None:
    """As often as there are delays, then the attempt succeeds."""
    check.expect(doubling, ["1s", "2s", "4s", "8s", "16s", "20s", 20 * SECOND_NS])


def test_other_delay_is_told_with_its_place(check: BackoffCheck) -> None:
    """Both rows are shown."""
    with pytest.raises(AssertionError) as caught:
        check.expect(doubling, ["1s", "2s", ("0s", "3s")])

    assert str(caught.value) == (
        "podsource_backoff: delay 3 is 4 s, expected 0 s..3 s\n"
        "  expected  1 s 2 s 0 s..3 s\n"
        "  got       1 s 2 s 4 s"
    )


def test_giving_up_too_early_is_told(check: BackoffCheck) -> None:
    """Also where the last error comes wrapped in another."""

    def once(attempt: Attempt) -> None:
        try:
            attempt()
        except ConnectionError:
            time.sleep(1)  # noqa: TID251 - it takes no time
        try:
            attempt()
        except ConnectionError as error:
            raise RuntimeError("gave up") from error

    with pytest.raises(AssertionError, match="delay 2 is none, expected 2 s"):
        check.expect(once, ["1s", "2s"])


def test_error_of_the_code_itself_comes_out(check: BackoffCheck) -> None:
    """It isn't taken for giving up."""

    def broken(attempt: Attempt) -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        check.expect(broken, ["1s"])


def test_attempt_fails_with_the_error_that_is_wanted(check: BackoffCheck) -> None:
    """What the code catches."""
    seen: list[BaseException] = []

    def note(attempt: Attempt) -> None:
        try:
            attempt()
        except OSError as error:
            seen.append(error)

    check.measure(note, 1, error=lambda: OSError(111, "refused"))

    assert [str(each) for each in seen] == ["[Errno 111] refused"]


def test_coroutine_is_awaited_in_virtual_time(check: BackoffCheck) -> None:
    """An hour takes nothing."""

    async def hourly(attempt: Attempt) -> None:
        while not succeeds(attempt):  # noqa: ASYNC110 - it tries again
            await asyncio.sleep(3600)

    assert check.measure(hourly, 2) == [3600 * SECOND_NS] * 2


def test_event_of_a_stopper_is_a_wait_too(check: BackoffCheck) -> None:
    """However the code waits."""

    def waiting(attempt: Attempt) -> None:
        stop = threading.Event()
        delays = itertools.count(5)
        while not succeeds(attempt):
            stop.wait(next(delays))

    check.expect(waiting, ["5s", "6s", "7s"])


def test_computed_delays_need_nobody_who_waits(check: BackoffCheck) -> None:
    """A generator in seconds, a callable of time spans."""
    check.expect_values((2.0**n / 2 for n in itertools.count()), ["500ms", "1s", "2s"])
    check.expect_values(lambda: timedelta(minutes=1), ["1m", "60s"])

    with pytest.raises(AssertionError, match="delay 2 is none"):
        check.expect_values([1], ["1s", "1s"])
