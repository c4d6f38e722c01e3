"""
The delays of a reflector, in virtual time.
"""

from __future__ import annotations

from pytest_podsource.contract import SECOND_NS
from pytest_podsource.core.retry_delays import RetryDelays
from pytest_podsource.core.versions import kubelet
from pytest_podsource.world.clock import CaseClock

RETRY = kubelet("1.37").api_retry


def seconds(delays: RetryDelays, times: int) -> list[float]:
    return [delays.next_ns() / SECOND_NS for _ in range(times)]


def test_delays_double_up_to_the_longest() -> None:
    """Without chance: 0.8 s, twice as long each time, 30 s at most."""
    delays = RetryDelays(CaseClock(), RETRY, lambda: 0.0)

    assert seconds(delays, 8) == [0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30.0, 30.0]


def test_chance_makes_a_delay_up_to_twice_as_long() -> None:
    """Chance is on top of each delay, and not carried on to the next one."""
    delays = RetryDelays(CaseClock(), RETRY, lambda: 0.5)

    assert seconds(delays, 3) == [1.2, 2.4, 4.8]


def test_more_than_two_minutes_begin_anew() -> None:
    """After exactly two minutes it goes on, a nanosecond later it begins anew."""
    clock = CaseClock()
    delays = RetryDelays(clock, RETRY, lambda: 0.0)
    seconds(delays, 3)

    clock.move_to(RETRY.forget_ns)
    at_two_minutes = delays.next_ns()
    clock.move_to(2 * RETRY.forget_ns + 1)

    assert at_two_minutes == 6_400_000_000
    assert delays.next_ns() == 800_000_000


def test_the_delay_of_1_1_is_always_a_second() -> None:
    """It has neither growth nor chance."""
    delays = RetryDelays(CaseClock(), kubelet("1.1").api_retry, lambda: 0.9)

    assert seconds(delays, 3) == [1.0, 1.0, 1.0]
