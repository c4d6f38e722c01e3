"""
What schedulers do in virtual time, and when the wall clock jumps.

They are in the dependency group ``foreign``: ``tox -e foreign``.
"""

from __future__ import annotations

import datetime as dt
import threading
import time
from types import ModuleType
from typing import Any

import pytest

from pytest_podsource import SECOND_NS, VirtualClock

DAY_NS = 86_400 * SECOND_NS


def test_schedule_runs_once_a_day_also_over_daylight_saving(
    podsource_clock: VirtualClock,
) -> None:
    """Its day is 24 hours of local time: in March the job comes an hour early."""
    schedule = pytest.importorskip("schedule", reason="it is in the group foreign")
    podsource_clock.set_zone("Europe/Berlin")
    podsource_clock.jump_to(dt.datetime(2024, 3, 30, 0, 0, tzinfo=dt.timezone.utc))
    scheduler, seen = schedule.Scheduler(), []
    scheduler.every().day.at("12:00").do(
        lambda: seen.append(dt.datetime.now().isoformat())  # noqa: DTZ005 - local time
    )

    def run() -> None:
        while True:
            scheduler.run_pending()
            time.sleep(60)  # noqa: TID251 - it takes no time

    threading.Thread(target=run, daemon=True).start()
    podsource_clock.advance(2 * DAY_NS)

    assert [each[:16] for each in seen] == ["2024-03-30T12:00", "2024-03-31T12:00"]


def test_schedule_falls_silent_when_the_wall_clock_goes_back(
    podsource_clock: VirtualClock,
) -> None:
    """It plans by the wall clock: for an hour set back, an hour without jobs."""
    schedule = pytest.importorskip("schedule", reason="it is in the group foreign")
    scheduler, seen = schedule.Scheduler(), []
    scheduler.every(10).minutes.do(lambda: seen.append(time.monotonic()))

    def run() -> None:
        while True:
            scheduler.run_pending()
            time.sleep(60)  # noqa: TID251 - it takes no time

    threading.Thread(target=run, daemon=True).start()
    podsource_clock.advance(600 * SECOND_NS)
    podsource_clock.jump(-3600 * SECOND_NS)
    podsource_clock.advance(3600 * SECOND_NS)

    assert seen == [600.0]


def test_apscheduler_keeps_its_interval(podsource_clock: VirtualClock) -> None:
    """Its thread waits on an event, so a day of it takes no time."""
    pytest.importorskip("apscheduler", reason="it is in the group foreign")
    from apscheduler.schedulers.background import BackgroundScheduler  # noqa: PLC0415

    seen: list[float] = []
    scheduler = BackgroundScheduler(timezone="UTC")
    scheduler.add_job(lambda: seen.append(time.monotonic()), "interval", hours=6)
    scheduler.start()
    podsource_clock.advance(DAY_NS)
    scheduler.shutdown()

    assert [round(each) for each in seen] == [6 * 3600, 12 * 3600, 18 * 3600, 24 * 3600]


@pytest.fixture(scope="module")
def cachetools() -> Any:
    """Imported before time is a virtual one."""
    return pytest.importorskip("cachetools", reason="in the group foreign")


def test_cachetools_counts_real_time_unless_it_is_given_the_clock(
    cachetools: ModuleType, podsource_clock: VirtualClock
) -> None:
    """Its timer is a default argument, which nothing replaces."""
    held = cachetools.TTLCache(maxsize=1, ttl=60)
    given = cachetools.TTLCache(maxsize=1, ttl=60, timer=time.monotonic)
    held["a"] = given["a"] = 1

    podsource_clock.advance(61 * SECOND_NS)

    assert ("a" in held, "a" in given) == (True, False)
