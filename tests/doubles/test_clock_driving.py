"""
The ways to drive a virtual clock, and to set its wall.
"""

from __future__ import annotations

import datetime as dt
import threading
import time
import unittest
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_podsource import VirtualClock
from pytest_podsource.contract import SECOND_NS
from pytest_podsource.exceptions import DriverError

REAL_SLEEP: object = time.sleep  # noqa: TID251 - to be compared


@pytest.fixture
def clock() -> Iterator[VirtualClock]:
    with VirtualClock(limit_s=60) as made:  # real time, of a machine that may be busy
        yield made


def rest(seconds: float) -> None:
    time.sleep(seconds)  # noqa: TID251 - what is tested


def spawn_poller(period: float, polls: list[float]) -> None:
    def poll() -> None:
        while True:
            polls.append(time.monotonic())
            rest(period)

    threading.Thread(target=poll, daemon=True).start()


def test_clock_is_a_context_manager_outside_pytest() -> None:
    """It begins in 2024, and real time is back after it."""
    with VirtualClock() as clock:
        rest(3600)
        within = [clock.monotonic_ns(), time.time()]

    assert within == [3600 * SECOND_NS, 1_704_067_200 + 3600]
    assert time.sleep is REAL_SLEEP  # noqa: TID251 - to be compared


def test_next_thing_is_run_and_its_instant_given(clock: VirtualClock) -> None:
    """What was due before is run first."""
    polls: list[float] = []
    spawn_poller(20, polls)

    instants = [clock.advance_to_next(), clock.advance_to_next()]

    assert instants == [20 * SECOND_NS, 40 * SECOND_NS]
    assert polls == [0, 20, 40]


def test_without_anything_planned_there_is_no_next(clock: VirtualClock) -> None:
    """A watcher that was never started is seen."""
    with pytest.raises(DriverError, match="nothing is planned"):
        clock.advance_to_next()


def test_time_runs_until_a_condition_is_true(clock: VirtualClock) -> None:
    """It stops there, and says when that was."""
    polls: list[float] = []
    spawn_poller(7, polls)

    instant = clock.run_until(lambda: len(polls) == 4)

    assert instant == 21 * SECOND_NS == clock.monotonic_ns()
    assert clock.run_until(lambda: True) == instant


def test_condition_that_is_never_true_fails_the_test(clock: VirtualClock) -> None:
    """Because the time is up, or because nothing is planned."""
    with pytest.raises(AssertionError, match="nothing is planned any more"):
        clock.run_until(lambda: False)

    spawn_poller(7, [])
    with pytest.raises(AssertionError, match=r"after 60 s .* next would be 63 s"):
        clock.run_until(lambda: False, limit_ns=60 * SECOND_NS)


def test_wall_clock_jumps_to_an_instant(clock: VirtualClock) -> None:
    """Monotonic time and waits don't notice."""
    clock.jump_to(dt.datetime(2030, 1, 2, 3, 4, 5, 6, tzinfo=dt.timezone.utc))

    now = dt.datetime.now(tz=dt.timezone.utc)
    assert now.isoformat() == "2030-01-02T03:04:05.000006+00:00"
    assert time.monotonic() == 0


def test_jump_needs_a_time_zone(clock: VirtualClock) -> None:
    """Local time of which machine?"""
    with pytest.raises(ValueError, match="has no time zone"):
        clock.jump_to(dt.datetime(2030, 1, 1))  # noqa: DTZ001 - what is refused


def test_local_time_follows_daylight_saving(clock: VirtualClock) -> None:
    """Two in the morning becomes three in March, and comes twice in October."""
    clock.set_zone("Europe/Berlin")
    seen = []
    for month, day in ((3, 31), (10, 27)):
        clock.jump_to(dt.datetime(2024, month, day, 0, 59, 59, tzinfo=dt.timezone.utc))
        for _ in range(2):
            now = dt.datetime.now()  # noqa: DTZ005 - local time is what is tested
            seen.append(
                (now.isoformat(), time.strftime("%H:%M %Z"), time.localtime().tm_isdst)
            )
            clock.advance(SECOND_NS)

    assert seen == [
        ("2024-03-31T01:59:59", "01:59 CET", 0),
        ("2024-03-31T03:00:00", "03:00 CEST", 1),
        ("2024-10-27T02:59:59", "02:59 CEST", 1),
        ("2024-10-27T02:00:00", "02:00 CET", 0),
    ]


def test_local_time_goes_both_ways(clock: VirtualClock) -> None:
    """To seconds and back, and beside aware times of other zones."""
    clock.set_zone("America/New_York")

    now = dt.datetime.now()  # noqa: DTZ005 - local time is what is tested

    assert now.timestamp() == time.time()
    assert dt.datetime.fromtimestamp(time.time()) == now  # noqa: DTZ006 - the same
    assert dt.datetime.now(tz=dt.timezone.utc).hour == 0
    assert now.hour == 19
    assert dt.date.today().isoformat() == "2023-12-31"  # noqa: DTZ011 - the same
    assert isinstance(now, dt.datetime)


def test_zone_ends_with_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine's own is back."""
    monkeypatch.delenv("TZ", raising=False)
    time.tzset()
    before = (time.tzname, time.localtime)
    with VirtualClock() as clock:
        clock.set_zone("Asia/Tokyo")
        during = time.tzname

    assert during == ("JST", "JDT") or during[0] == "JST"
    assert (time.tzname, time.localtime) == before


def test_unknown_zone_is_refused(clock: VirtualClock) -> None:
    """The C library would take it for UTC in silence."""
    with pytest.raises(ValueError, match=r"'Europe/Bärlin' is not known here"):
        clock.set_zone("Europe/Bärlin")


@settings(deadline=None, max_examples=15)
@given(periods=st.lists(st.integers(1, 50), min_size=1, max_size=4))
def test_clock_serves_hypothesis(periods: list[int]) -> None:
    """One clock an example: as a context manager, for a fixture lives too long."""
    polls: list[list[float]] = [[] for _ in periods]
    with VirtualClock() as clock:
        for period, seen in zip(periods, polls, strict=True):
            spawn_poller(period, seen)
        clock.advance(100 * SECOND_NS)

    assert [len(seen) for seen in polls] == [100 // each + 1 for each in periods]


class TestUnittestStyle(unittest.TestCase):
    """A class of unittest has no fixtures as arguments."""

    def setUp(self) -> None:
        """Start the clock, and stop it whatever comes."""
        self.clock = VirtualClock()
        self.clock.start()
        self.addCleanup(self.clock.stop)

    def test_time_is_virtual(self) -> None:
        """As with the fixture."""
        rest(86_400)
        self.assertEqual(time.monotonic(), 86_400)  # noqa: PT009 - its own style
