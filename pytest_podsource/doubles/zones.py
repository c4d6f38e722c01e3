"""
Local time of a zone, daylight saving included; freezegun knows one fixed offset only.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from datetime import date, datetime, tzinfo
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import freezegun.api

from pytest_podsource.contract import SECOND_NS
from pytest_podsource.doubles.patches import Patches

if TYPE_CHECKING:
    from pytest_podsource.doubles.clock import VirtualClock


def patch(clock: VirtualClock, patches: Patches, name: str) -> None:
    """
    Let local time be that of the zone *name*, at the wall clock of *clock*.

    Raises:
        ValueError: This machine doesn't know the zone.
    """
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        raise ValueError(
            f"set_zone: {name!r} is not known here. Right would be Europe/Berlin."
        ) from None
    patches.then(_zone_of_process(name))
    kind = freezegun.api.FakeDatetime
    patches.set(kind, "now", classmethod(lambda cls, tz=None: _now(clock, tz)))
    patches.set(kind, "fromtimestamp", classmethod(_from_timestamp))
    patches.set(kind, "timestamp", freezegun.api.real_datetime.timestamp)
    patches.set(freezegun.api.FakeDate, "today", classmethod(lambda cls: _today(clock)))
    localtime = freezegun.api.fake_localtime
    patches.set_everywhere(localtime, _localtime(clock), list(sys.modules.values()))


def _zone_of_process(name: str) -> Callable[[], None]:
    """Set it, and return what sets the old one again."""
    before = os.environ.get("TZ")

    def put_back() -> None:
        if before is None:
            os.environ.pop("TZ", None)
        else:
            os.environ["TZ"] = before
        time.tzset()

    os.environ["TZ"] = name
    time.tzset()
    return put_back


def _now(clock: VirtualClock, zone: tzinfo | None) -> datetime:
    seconds, rest_ns = divmod(clock.now_ns(), SECOND_NS)
    now: datetime = freezegun.api.real_datetime.fromtimestamp(seconds, zone)
    return _as_fake(now.replace(microsecond=rest_ns // 1_000))


def _from_timestamp(cls: Any, t: float, tz: tzinfo | None = None) -> datetime:
    return _as_fake(freezegun.api.real_datetime.fromtimestamp(t, tz))


def _as_fake(real: datetime) -> datetime:
    fake: datetime = freezegun.api.datetime_to_fakedatetime(real)
    return fake.replace(fold=real.fold)


def _today(clock: VirtualClock) -> date:
    return freezegun.api.date_to_fakedate(_now(clock, None))


def _localtime(clock: VirtualClock) -> Callable[..., time.struct_time]:
    def localtime(seconds: float | None = None) -> time.struct_time:
        now = clock.now_ns() / SECOND_NS if seconds is None else seconds
        return freezegun.api.real_localtime(now)

    return localtime
