"""
The backoff: its delays, its expiry, its questions.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_podsource.contract import SECOND_NS
from pytest_podsource.core.backoff import Backoff
from pytest_podsource.world.clock import CaseClock


def make(
    clock: CaseClock,
    initial_s: int = 1,
    max_s: int = 5,
    *,
    jitter_factor: float = 0.0,
    expires_after_ns: int | None = None,
    drawn: float = 0.5,
) -> Backoff:
    return Backoff(
        clock,
        initial_s * SECOND_NS,
        max_s * SECOND_NS,
        jitter_factor=jitter_factor,
        expires_after_ns=expires_after_ns,
        random=lambda: drawn,
    )


def fail(backoff: Backoff, clock: CaseClock, times: int) -> list[int]:
    delays = []
    for _ in range(times):
        backoff.next("a", clock.monotonic_ns())
        delays.append(backoff.get("a"))
    return delays


@pytest.mark.parametrize(
    ("initial_s", "max_s", "delays_s"),
    [
        pytest.param(1, 5, [1, 2, 4, 5, 5], id="capped"),
        pytest.param(10, 5, [10, 5, 5], id="the-first-is-not-capped"),
        pytest.param(0, 5, [0, 0, 0], id="zero-stays-zero"),
    ],
)
def test_next_gives_doubled_delays_up_to_the_cap(
    initial_s: int, max_s: int, delays_s: list[int]
) -> None:
    """The first delay is the initial one, the cap holds for the further ones."""
    clock = CaseClock()
    backoff = make(clock, initial_s, max_s)

    delays = fail(backoff, clock, len(delays_s))

    assert delays == [delay * SECOND_NS for delay in delays_s]


@pytest.mark.parametrize(
    ("late_ns", "delay_s"),
    [pytest.param(0, 4, id="exactly-twice"), pytest.param(1, 1, id="1-ns-more")],
)
def test_next_when_more_than_twice_the_cap_passed_starts_anew(
    late_ns: int, delay_s: int
) -> None:
    """Exactly twice the cap is not expired yet."""
    clock = CaseClock()
    backoff = make(clock)
    fail(backoff, clock, 2)

    clock.advance(10 * SECOND_NS + late_ns)
    backoff.next("a", clock.monotonic_ns())

    assert backoff.get("a") == delay_s * SECOND_NS


def test_next_notes_the_clock_and_not_the_event() -> None:
    """An event an hour ago doubles, and the hour doesn't count afterwards either."""
    clock = CaseClock()
    backoff = make(clock)
    fail(backoff, clock, 1)

    backoff.next("a", -3600 * SECOND_NS)
    backoff.next("a", clock.monotonic_ns())

    assert backoff.get("a") == 4 * SECOND_NS


def test_questions_are_strict_and_change_nothing() -> None:
    """A span that equals the delay is over; asking doesn't move anything."""
    clock = CaseClock()
    backoff = make(clock)
    fail(backoff, clock, 1)
    clock.advance(SECOND_NS)

    answers = (
        backoff.is_in_backoff_since("a", 0),
        backoff.is_in_backoff_since("a", 1),
        backoff.is_in_backoff_since_update("a", SECOND_NS),
        backoff.is_in_backoff_since_update("a", SECOND_NS - 1),
        backoff.is_in_backoff_since_update("a", -1),
    )

    assert answers == (False, True, False, True, True)
    assert backoff.get("a") == SECOND_NS


def test_questions_about_unknown_and_expired_keys_are_false() -> None:
    """Neither question is true without a living entry; Get still tells the old delay."""
    clock = CaseClock()
    backoff = make(clock)
    fail(backoff, clock, 1)

    late = 10 * SECOND_NS + 1

    assert not backoff.is_in_backoff_since("unknown", 0)
    assert not backoff.is_in_backoff_since_update("unknown", 0)
    assert not backoff.is_in_backoff_since("a", late)
    assert not backoff.is_in_backoff_since_update("a", late)
    assert backoff.get("a") == SECOND_NS


def test_gc_forgets_only_what_has_expired() -> None:
    """A key that is exactly twice the cap old stays."""
    clock = CaseClock()
    backoff = make(clock)
    backoff.next("old", 0)
    clock.advance(1)
    backoff.next("young", 1)
    clock.advance(10 * SECOND_NS)

    backoff.gc()

    assert (backoff.get("old"), backoff.get("young")) == (0, SECOND_NS)


@pytest.mark.parametrize("method", ["reset", "delete_entry"])
def test_reset_and_delete_entry_forget_a_key(method: str) -> None:
    """The next delay is the initial one; an unknown key is no error."""
    clock = CaseClock()
    backoff = make(clock)
    fail(backoff, clock, 3)

    getattr(backoff, method)("a")
    getattr(backoff, method)("unknown")

    assert backoff.get("a") == 0
    assert fail(backoff, clock, 1) == [SECOND_NS]


def test_custom_expiry_replaces_the_rule_everywhere() -> None:
    """Idle for more than 3 s is expired: for next, both questions and gc."""
    clock = CaseClock()
    backoff = make(clock, expires_after_ns=3 * SECOND_NS)
    fail(backoff, clock, 3)

    kept = backoff.is_in_backoff_since_update("a", 3 * SECOND_NS)
    gone = backoff.is_in_backoff_since_update("a", 3 * SECOND_NS + 1)
    clock.advance(3 * SECOND_NS + 1)
    backoff.gc()

    assert (kept, gone, backoff.get("a")) == (True, False, 0)


def test_jitter_comes_on_top_of_the_first_delay_and_below_the_cap() -> None:
    """Half of 10 % is drawn: of the initial delay, then of the previous one."""
    clock = CaseClock()
    backoff = make(clock, jitter_factor=0.1)

    delays = fail(backoff, clock, 4)

    assert delays[0] == 1_050_000_000
    assert delays[1] == 2 * 1_050_000_000 + 52_500_000
    assert delays[3] == 5 * SECOND_NS


@given(
    initial=st.integers(0, 10**9),
    maximum=st.integers(0, 10**10),
    factor=st.floats(0, 2),
    drawn=st.floats(0, 1, exclude_max=True),
    times=st.integers(1, 12),
)
def test_delays_stay_between_the_bounds(
    initial: int, maximum: int, factor: float, drawn: float, times: int
) -> None:
    """The first is within its jitter, the others never above the cap."""
    clock = CaseClock()
    backoff = Backoff(
        clock, initial, maximum, jitter_factor=factor, random=lambda: drawn
    )

    first, *others = fail(backoff, clock, times)

    assert initial <= first <= initial * (1 + factor)
    assert all(delay <= maximum for delay in others)
