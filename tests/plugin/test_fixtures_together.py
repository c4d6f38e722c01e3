"""
What holds for every fixture: typed, not autouse, none shared, in any order and class.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pytest_podsource import (
    BackoffCheck,
    ManifestDirectory,
    ManifestUrl,
    Pods,
    Updates,
    VirtualClock,
)
from pytest_podsource.contract import SECOND_NS
from tests.plugin.conftest import RunPytest


def test_each_gives_what_its_type_says(  # noqa: PLR0917 - all of them
    podsource_backoff: BackoffCheck,
    podsource_clock: VirtualClock,
    podsource_manifest_dir: ManifestDirectory,
    podsource_pod: Pods,
    podsource_updates: Updates,
    podsource_url: ManifestUrl,
) -> None:
    """All of them in one test, too."""
    assert isinstance(podsource_backoff, BackoffCheck)
    assert isinstance(podsource_clock, VirtualClock)
    assert isinstance(podsource_manifest_dir, ManifestDirectory)
    assert isinstance(podsource_pod, Pods)
    assert isinstance(podsource_updates, Updates)
    assert isinstance(podsource_url, ManifestUrl)


def test_recorder_has_the_time_of_the_clock(
    podsource_updates: Updates, podsource_pod: Pods, podsource_clock: VirtualClock
) -> None:
    """Whichever of the two is asked for first."""
    podsource_clock.advance(20 * SECOND_NS)
    podsource_updates.add("ADD", [podsource_pod("web")])

    podsource_updates.expect([{"ADD": ["web"], "at": "20s"}])


def test_none_is_there_unless_it_is_asked_for(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """No autouse, in no scope."""
    pytester.makepyfile(
        test_mine="""
        import sys, time

        def test_mine(request):
            assert not [n for n in request.fixturenames if n.startswith("podsource")]
            assert time.time() > 1_735_689_600
            assert "pytest_podsource.doubles.clock" not in sys.modules
        """
    )

    run_pytest("test_mine.py").assert_outcomes(passed=1)


def test_classes_of_unittest_and_of_pytest_have_them(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """A class of unittest takes them from a fixture of its own."""
    pytester.makepyfile(
        test_mine="""
        import time, unittest, pytest

        class TestMine(unittest.TestCase):
            @pytest.fixture(autouse=True)
            def _fixtures(self, podsource_clock, podsource_manifest_dir):
                self.clock, self.directory = podsource_clock, podsource_manifest_dir

            def test_time(self):
                time.sleep(3600)
                self.assertEqual(self.clock.monotonic_ns(), 3600 * 10**9)

            def test_files(self):
                self.assertTrue(self.directory.write("a", "x").exists())

        @pytest.mark.podsource(http="server")
        class TestOurs:
            def test_server(self, podsource_url):
                import urllib.request
                podsource_url.reply("x")
                assert urllib.request.urlopen(podsource_url.url).read() == b"x"

            @pytest.mark.podsource(http="mock")
            def test_nearer_marker_counts(self, podsource_url):
                assert podsource_url.url == "http://manifests.example/pods"
        """
    )

    run_pytest("test_mine.py").assert_outcomes(passed=4)


def test_workers_and_any_order_share_nothing(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """Each test has its own, and begins anew."""
    pytester.makepyfile(
        test_mine="""
        import time, urllib.request, pytest

        @pytest.mark.podsource(http="server")
        @pytest.mark.parametrize("number", range(12))
        def test_mine(podsource_url, podsource_manifest_dir, podsource_updates, number):
            assert podsource_url.requests == podsource_manifest_dir.events == []
            podsource_url.reply(str(number))
            got = urllib.request.urlopen(podsource_url.url).read().decode()
            podsource_manifest_dir.write("a", got)
            assert (podsource_manifest_dir.path / "a").read_text() == str(number)
            podsource_updates.expect([])

        @pytest.mark.parametrize("number", range(12))
        def test_time(podsource_clock, number):
            assert time.monotonic() == 0
            time.sleep(number)
            assert time.monotonic() == number
        """
    )

    run_pytest("test_mine.py", "-n", "2").assert_outcomes(passed=24)


@pytest.mark.skipif(sys.platform != "linux", reason="the canary needs /proc")
def test_thread_on_a_fake_disk_never_reaches_the_real_one(
    run_pytest: RunPytest, pytester: pytest.Pytester
) -> None:
    """It is refused before its first call; a canary below the real path lives on."""
    canary = pytester.path / "canary"
    canary.mkdir()
    for number in range(50):
        (canary / str(number)).touch()
    pytester.makepyfile(
        test_mine=f"""
        import os, threading, pytest

        CANARY = {str(canary)!r}

        def poach():
            for _ in range(1000):
                open("/etc/kubernetes/manifests/a").close()
                for name in map(str, range(50)):
                    try:
                        os.remove(os.path.join(CANARY, name))
                    except FileNotFoundError:
                        pass

        @pytest.mark.podsource(fs="fake")
        def test_own_thread(podsource_manifest_dir):
            podsource_manifest_dir.write("a", "x")
            for _ in range(2):
                threading.Thread(target=poach).start()

        @pytest.mark.podsource(fs="fake")
        def test_executor(podsource_manifest_dir):
            from concurrent.futures import ThreadPoolExecutor
            podsource_manifest_dir.write("a", "x")
            with ThreadPoolExecutor() as pool:
                pool.submit(poach).result()

        @pytest.mark.podsource(fs="fake")
        def test_alone(podsource_manifest_dir):
            podsource_manifest_dir.write("a", "x")
            poach()
        """
    )

    result = run_pytest("test_mine.py")

    result.assert_outcomes(failed=2, passed=1)
    assert len(list(canary.iterdir())) == 50
    assert Path("/etc/kubernetes/manifests/a").exists() is False
