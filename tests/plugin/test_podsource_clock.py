"""
The fixture ``podsource_clock``: time that moves when told.
"""

from __future__ import annotations

import datetime as dt
import threading
import time

import pytest

from pytest_podsource.contract import SECOND_NS
from pytest_podsource.doubles.clock import VirtualClock
from tests.plugin.conftest import RunPytest


def test_clock_begins_at_a_round_instant(podsource_clock: VirtualClock) -> None:
    """So that a test can name it."""
    now = dt.datetime.now(tz=dt.timezone.utc)

    assert now.isoformat() == "2024-01-01T00:00:00+00:00"


def test_poller_is_moved_on_by_the_test(podsource_clock: VirtualClock) -> None:
    """A thread that sleeps twenty seconds has polled five times after eighty."""
    polls: list[float] = []

    def poll() -> None:
        while len(polls) < 5:
            polls.append(time.monotonic())
            time.sleep(20)  # noqa: TID251 - it takes no time

    threading.Thread(target=poll).start()
    podsource_clock.advance(80 * SECOND_NS)

    assert polls == [0, 20, 40, 60, 80]


def test_durations_of_pytest_stay_real(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """A frozen clock doesn't get into its report, and ends with the test."""
    pytester.makepyfile(
        test_clock="""
        import time

        def test_frozen(podsource_clock):
            podsource_clock.advance(3600 * 10**9)

        def test_real():
            assert time.time() > 1_735_689_600
        """
    )

    result = run_pytest("test_clock.py", "--durations=0", "-vv")

    result.assert_outcomes(passed=2)
    seconds = [
        float(line.split("s ")[0]) for line in result.outlines if " call " in line
    ]
    assert seconds
    assert all(each < 60 for each in seconds)
