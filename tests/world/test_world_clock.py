"""
The clock of a case moves only when told, and knows when it is idle.
"""

from __future__ import annotations

import pytest

from pytest_podsource.exceptions import Spins
from pytest_podsource.world.clock import WAKEUPS_AT_ONE_INSTANT, CaseClock, Lane


def test_advance_runs_callbacks_when_they_are_due() -> None:
    """Callbacks run in the order of their instants, with the clock at each."""
    clock = CaseClock()
    seen: list[tuple[str, int]] = []
    clock.call_later(30, lambda: seen.append(("b", clock.monotonic_ns())))
    clock.call_later(10, lambda: seen.append(("a", clock.monotonic_ns())))

    clock.advance(29)
    first = list(seen)
    clock.advance(1)

    assert first == [("a", 10)]
    assert seen == [("a", 10), ("b", 30)]
    assert clock.monotonic_ns() == 30


def test_callback_that_plans_within_the_step_runs_in_it() -> None:
    """A tick that plans the next one goes on within one advance."""
    clock = CaseClock()
    ticks: list[int] = []

    def tick() -> None:
        ticks.append(clock.monotonic_ns())
        clock.call_later(20, tick)

    tick()
    clock.advance(60)

    assert ticks == [0, 20, 40, 60]


def test_cancelled_callback_does_not_run() -> None:
    """What is cancelled is not run, and no longer counts as due."""
    clock = CaseClock()
    seen: list[str] = []
    cancel = clock.call_later(5, lambda: seen.append("a"))

    cancel()

    assert clock.next_due_ns() is None
    clock.advance(10)
    assert seen == []


def test_cancel_after_the_call_does_nothing() -> None:
    """A late cancel is no error."""
    clock = CaseClock()
    seen: list[str] = []
    cancel = clock.call_later(5, lambda: seen.append("a"))
    clock.advance(5)

    cancel()

    assert seen == ["a"]


def test_jump_moves_the_wall_clock_only() -> None:
    """The wall clock goes back an hour, the monotonic one stays."""
    clock = CaseClock(wall_ns=10_000)
    clock.advance(5)

    clock.jump(-3_000)

    assert clock.now_ns() == 7_005
    assert clock.monotonic_ns() == 5


def _order(seed: int) -> list[int]:
    clock = CaseClock(seed=seed)
    seen: list[int] = []
    for number in range(8):
        clock.call_later(10, lambda number=number: seen.append(number))  # type: ignore[misc]
    clock.advance(10)
    return seen


def test_seed_permutes_callbacks_of_one_instant() -> None:
    """Seed 0 keeps the order; others permute it, each always in the same way."""
    assert _order(0) == list(range(8))
    assert _order(1) != list(range(8))
    assert sorted(_order(1)) == list(range(8))
    assert _order(1) == _order(1)
    assert len({tuple(_order(seed)) for seed in range(20)}) > 10


def test_seed_keeps_different_instants_in_order() -> None:
    """A seed never moves a callback over to another instant."""
    clock = CaseClock(seed=3)
    seen: list[int] = []
    for delay in (3, 1, 2):
        clock.call_later(delay, lambda delay=delay: seen.append(delay))  # type: ignore[misc]

    clock.advance(3)

    assert seen == [1, 2, 3]


@pytest.mark.parametrize("seed", range(5))
def test_lane_keeps_its_order_whatever_the_seed(seed: int) -> None:
    """Calls of one lane come in order, also those posted by a call."""
    clock = CaseClock(seed=seed)
    seen: list[str] = []
    lane = Lane(clock)

    def first() -> None:
        seen.append("a")
        lane.post(lambda: seen.append("d"))

    lane.post(first)
    lane.post(lambda: seen.append("b"))
    lane.post(lambda: seen.append("c"))

    clock.run_due()

    assert seen == ["a", "b", "c", "d"]


def test_cleared_lane_makes_no_call() -> None:
    """What was posted and cleared isn't made; the lane lives on."""
    clock = CaseClock()
    seen: list[str] = []
    lane = Lane(clock)
    lane.post(lambda: seen.append("a"))

    lane.clear()
    lane.post(lambda: seen.append("b"))
    clock.run_due()

    assert seen == ["b"]


def test_callback_that_comes_back_at_once_spins() -> None:
    """1,000 wake-ups at one instant are enough to know."""
    clock = CaseClock()
    clock.advance(7)

    def again() -> None:
        clock.call_later(0, again)

    again()
    with pytest.raises(Spins) as caught:
        clock.run_due()

    assert (caught.value.wakeups, caught.value.at_ns) == (WAKEUPS_AT_ONE_INSTANT, 7)


def test_wakeups_of_several_steps_do_not_add_up() -> None:
    """A step that has come to rest starts the count anew."""
    clock = CaseClock()
    for _ in range(3):
        for _ in range(WAKEUPS_AT_ONE_INSTANT - 1):
            clock.call_later(0, lambda: None)
        clock.run_due()
        clock.rest()

    assert not clock.is_due()


def test_wakeups_that_the_world_asks_for_are_allowed() -> None:
    """What the world tells in one go is not held against the implementation."""
    clock = CaseClock()
    clock.allow(500)
    for _ in range(WAKEUPS_AT_ONE_INSTANT + 500):
        clock.call_later(0, lambda: None)

    clock.run_due()

    assert not clock.is_due()


def test_negative_delay_is_now() -> None:
    """A delay below 0 is due at once, not in the past."""
    clock = CaseClock()
    clock.advance(10)
    seen: list[int] = []

    clock.call_later(-5, lambda: seen.append(clock.monotonic_ns()))
    clock.run_due()

    assert seen == [10]
