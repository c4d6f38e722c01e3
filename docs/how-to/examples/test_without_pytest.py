import time
import unittest

from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_podsource import (
    SECOND_NS,
    BackoffCheck,
    ManifestDirectory,
    ManifestUrl,
    Pods,
    Updates,
    VirtualClock,
)


class TestInAClass(unittest.TestCase):
    def setUp(self) -> None:
        self.clock = VirtualClock()
        self.clock.start()
        self.addCleanup(self.clock.stop)

    def test_an_hour_takes_no_time(self) -> None:
        time.sleep(3600)

        self.assertEqual(self.clock.monotonic_ns(), 3600 * SECOND_NS)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.sampled_from(["a", "b", "c"])))
def test_whatever_is_written_is_there(names) -> None:
    with ManifestDirectory.temporary() as directory:
        for name in names:
            directory.place(name, Pods()(name))

        assert {path.name for path in directory.path.iterdir()} == set(names)


def test_all_of_them_without_a_fixture() -> None:
    updates = Updates()
    updates.add("ADD", [Pods()("web")])
    updates.expect([{"ADD": ["web"]}])

    with VirtualClock() as clock, ManifestUrl.mock(clock.sleep) as url:
        import requests

        url.reply("late", delay_ns=3 * SECOND_NS)
        requests.get(url.url, timeout=5)
        BackoffCheck(clock).expect_values([1, 2], ["1s", "2s"])

        assert time.monotonic() == 3
