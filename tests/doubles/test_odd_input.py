"""
What can't be meant is told where it is said, and reaches no file, socket or clock.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
import requests

from pytest_podsource import (
    SECOND_NS,
    BackoffCheck,
    ManifestDirectory,
    ManifestUrl,
    Pods,
    PodSourceError,
    Updates,
    VirtualClock,
)

NAMES = ["", "..", "../..", "../../x", "a/../../../x", "/x", "nul\0"]
MOVES: dict[str, Callable[[ManifestDirectory, str], object]] = {
    "write": lambda d, name: d.write(name, "x"),
    "append": lambda d, name: d.append(name, "x"),
    "truncate": lambda d, name: d.truncate(name),
    "place": lambda d, name: d.place(name, "x"),
    "save_like": lambda d, name: d.save_like("cp", name, "x"),
    "swap_data_dir": lambda d, name: d.swap_data_dir({name: "x"}),
    "rename": lambda d, name: d.rename(name, "x"),
    "rename to": lambda d, name: d.rename("a.yaml", name),
    "remove": lambda d, name: d.remove(name),
    "mkdir": lambda d, name: d.mkdir(name),
    "chmod": lambda d, name: d.chmod(name, 0o600),
    "touch": lambda d, name: d.touch(name),
    "symlink": lambda d, name: d.symlink(name, "x"),
    "hardlink": lambda d, name: d.hardlink("x", name),
    "fail": lambda d, name: d.fail(name, "EIO"),
    "heal": lambda d, name: d.heal(name),
}
CONTENTS: list[Any] = [None, 3, {1, 2}]
REPLIES: list[dict[str, Any]] = [
    {"status": 0},
    {"status": 100},
    {"status": 1000},
    {"status": "200"},
    {"delay_ns": -1},
    {"chunks": -1},
    {"cut_at": -1},
    {"packing": "zstd"},
    {"etag": "a\r\nX: y"},
    {"headers": {"A": "b\r\nC: d"}},
    {"headers": {"A": "\u2603"}},
    {"headers": {"A b": "c"}},
]
STREAMS: list[Any] = [None, 3, "ADD", [3], ["ADD"], [{"ADD": [], "SET": []}], [{}]]


@pytest.fixture
def directory(tmp_path: Path) -> ManifestDirectory:
    made = ManifestDirectory.within(tmp_path)
    made.write("a.yaml", "x")
    return made


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("move", MOVES)
def test_name_that_leads_away_is_refused(
    directory: ManifestDirectory, move: str, name: str
) -> None:
    """A slip never touches what isn't the test's."""
    with pytest.raises(ValueError, match="is no name in the directory"):
        MOVES[move](directory, name)

    assert os.listdir(directory.path) == ["a.yaml"]


@pytest.mark.parametrize("name", ["a\nb", " ", "-rf", "\udcff.yaml", "é", "../beside"])
def test_odd_name_is_a_name(directory: ManifestDirectory, name: str) -> None:
    """Whatever the kernel takes; beside the directory too, to move from and to."""
    directory.write(name, "y")
    events = directory.events[-2:]

    assert (directory.path / name).read_text() == "y"
    assert {event.name for event in events} == ({"a.yaml"} if "/" in name else {name})


@pytest.mark.parametrize("content", CONTENTS)
def test_content_that_is_no_manifest_is_refused(
    directory: ManifestDirectory, content: Any
) -> None:
    """With what would have been right."""
    with pytest.raises(TypeError, match=r"is no manifest\. Right would be a pod"):
        directory.write("a.yaml", content)


def test_temporary_directory_within_a_fake_one() -> None:
    """Each has its own events; what was made before is there again afterwards."""
    with ManifestDirectory.temporary() as before:
        before.write("real", "x")
        with ManifestDirectory.fake() as fake, ManifestDirectory.temporary() as within:
            fake.write("a", "x")
            within.write("b", "x")
            with pytest.raises(FileNotFoundError):
                before.write("c", "x")

            assert {event.name for event in fake.events} == {"a"}
            assert {event.name for event in within.events} == {"b"}
        before.write("d", "x")

        assert sorted(os.listdir(before.path)) == ["d", "real"]


def test_fake_directory_within_a_fake_one_is_refused() -> None:
    """There is one such path; the outer one stays as it was."""
    with ManifestDirectory.fake() as outer:
        outer.write("a", "x")
        with (
            pytest.raises(PodSourceError, match="the disk is a fake one already"),
            ManifestDirectory.fake(),
        ):
            pass

        assert os.listdir(outer.path) == ["a"]


@pytest.mark.parametrize("duration", [-1, 0.5, "1s", None])
def test_advance_by_no_time_is_refused(duration: Any) -> None:
    """Only the wall clock goes back."""
    with VirtualClock() as clock:
        with pytest.raises(ValueError, match="is no number of nanoseconds"):
            clock.advance(duration)

        assert clock.monotonic_ns() == 0


def test_wall_clock_goes_back_alone() -> None:
    """As when somebody sets it; waits don't care."""
    with VirtualClock() as clock:
        clock.advance(5 * SECOND_NS)
        clock.jump(-60 * SECOND_NS)
        clock.jump_to(datetime(1969, 1, 1, tzinfo=timezone.utc))

        assert time.time() < 0
        assert time.monotonic() == 5


@pytest.mark.parametrize("years", [-3000, 9000])
def test_wall_clock_stays_within_what_python_can_show(years: int) -> None:
    """And the clock goes on as if nothing had been said."""
    with VirtualClock() as clock:
        with pytest.raises(ValueError, match="years from 1 to 9999"):
            clock.jump(years * 365 * 24 * 3600 * SECOND_NS)
        clock.advance(SECOND_NS)

        assert clock.now_ns() == time.time_ns()


@pytest.mark.parametrize("same", [True, False])
def test_second_start_is_refused_and_second_stop_is_nothing(*, same: bool) -> None:
    """Real time comes back, however often either was called."""
    real = time.sleep  # noqa: TID251 - to be compared
    clock = VirtualClock()
    clock.stop()
    clock.start()

    with pytest.raises(PodSourceError, match="one is started already"):
        (clock if same else VirtualClock()).start()
    time.sleep(2)  # noqa: TID251 - it takes no time
    clock.stop()
    clock.stop()

    assert clock.monotonic_ns() == 2 * SECOND_NS
    assert time.sleep is real  # noqa: TID251 - to be compared
    assert time.time() > clock.now_ns() / SECOND_NS


def test_fork_has_a_clock_of_its_own() -> None:
    """The child's sleeps move the child's time alone, and take none."""
    with VirtualClock() as clock, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads
        child = os.fork()
        if not child:
            try:
                time.sleep(3600)  # noqa: TID251 - it takes no time
            finally:
                os._exit(clock.monotonic_ns() // (100 * SECOND_NS))
        _, status = os.waitpid(child, 0)

        assert os.waitstatus_to_exitcode(status) == 36
        assert clock.monotonic_ns() == 0


@pytest.mark.parametrize("reply", REPLIES, ids=str)
def test_reply_that_no_server_gives_is_refused(reply: dict[str, Any]) -> None:
    """Else the client's own error would have to tell."""
    with ManifestUrl.mock() as url, pytest.raises(ValueError, match="podsource_url"):
        url.reply("x", **reply)


@pytest.mark.parametrize("path", ["", "moved", "/a?b=1", "/a b", "/a\nb", "/\u2603"])
def test_path_that_no_request_has_is_refused(path: str) -> None:
    """A test could never ask for it."""
    with ManifestUrl.mock() as url, pytest.raises(ValueError, match="is no path"):
        url.at(path)


def test_unknown_failure_is_refused() -> None:
    """With those that are known."""
    unknown: Any = "boom"
    with (
        ManifestUrl.mock() as url,
        pytest.raises(ValueError, match="Known: reset, silent"),
    ):
        url.fail(unknown)


def test_last_reply_stays_when_the_list_is_exhausted() -> None:
    """However many more requests come."""
    with ManifestUrl.mock() as url:
        url.reply("one")
        url.reply("two")

        got = [requests.get(url.url, timeout=1).text for _ in range(4)]

    assert got == ["one", "two", "two", "two"]


@pytest.mark.parametrize("stream", STREAMS, ids=str)
def test_expectation_of_no_form_is_refused(stream: Any) -> None:
    """None isn't "nothing": that is an empty list."""
    updates = Updates()
    updates.add("SET")

    with pytest.raises(ValueError, match=r"^expect: "):
        updates.expect(stream)


def test_unknown_operation_is_refused() -> None:
    """Where it is added, not where it is expected."""
    unknown: Any = "PATCH"

    with pytest.raises(ValueError, match="'PATCH' is no operation"):
        Updates().add(unknown)


@pytest.mark.parametrize("delay", [float("nan"), float("inf"), "1", None])
def test_delay_that_is_none_fails_the_check(delay: Any) -> None:
    """It is the code under test that is wrong."""
    with VirtualClock() as clock, pytest.raises(AssertionError, match="is no delay"):
        BackoffCheck(clock).expect_values([delay], ["1s"])


@pytest.mark.parametrize("name", ["", "A", "a\nb", "-a", "a_b", "a..b"])
def test_name_that_a_kubelet_refuses_is_refused(name: str) -> None:
    """Pods are right by construction; broken ones are made by name."""
    with pytest.raises(ValueError, match="is no name of a pod"):
        Pods()(name)
