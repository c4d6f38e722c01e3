"""
A module that was never written for it lives in the time of a case.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import requests

from pytest_podsource.contract import SECOND_NS, Config, Environment, SourceUpdate
from pytest_podsource.driver.base import Abilities, Connection, Offer
from pytest_podsource.driver.inprocess import InProcessDriver
from pytest_podsource.exceptions import Crashed, DriverError
from pytest_podsource.world.base import Scene, ScriptedReply
from pytest_podsource.world.patched import PatchedWorld

OFFER = Offer(
    name="x", components=frozenset({"file"}), abilities=Abilities(http="loopback")
)
Make = Callable[..., PatchedWorld]


@pytest.fixture
def make() -> Iterator[Make]:
    made: list[PatchedWorld] = []

    def world(**scene: Any) -> PatchedWorld:
        made.append(PatchedWorld(Scene(config=Config(), **scene)))
        return made[-1]

    yield world
    for each in made:
        each.close()


def start(world: PatchedWorld, new: Callable[..., Any]) -> Connection:
    driver = InProcessDriver(SimpleNamespace(new_file_source=new), OFFER)
    connection = driver.connect(world)
    connection.new("file", world.config)
    connection.call("file", "start", {})
    world.settle()
    return connection


class Poller(threading.Thread):
    """
    Lists a directory and fetches a URL every 20 s, as people write it.
    """

    def __init__(self, config: Config, env: Environment) -> None:
        super().__init__(name="poller")
        self._path = Path(config.path)
        self._env = env
        self._end = threading.Event()
        self.times: list[float] = []

    def run(self) -> None:
        while not self._end.wait(20):
            self.times.append(time.time())
            names = sorted(each.name for each in self._path.iterdir())
            pods = tuple({"metadata": {"name": name}} for name in names)
            self._env.send(SourceUpdate(source="file", pods=pods))

    def stop(self) -> None:
        self._end.set()
        self.join()


def test_poller_is_seen_at_virtual_instants(make: Make) -> None:
    """With the wall clock of the case, and the directory as it was then."""
    pollers: list[Poller] = []

    def new(config: Config, env: Environment) -> Poller:
        pollers.append(Poller(config, env))
        return pollers[-1]

    world = make(files={"a": b"a"})
    connection = start(world, new)
    world.advance(30 * SECOND_NS)
    world.apply("write", {"b": b"b"})
    world.advance(30 * SECOND_NS)
    connection.close()

    assert [
        (s.at_ns // SECOND_NS, len(s.value.pods)) for s in world.take("expect")
    ] == [
        (20, 1),
        (40, 2),
        (60, 2),
    ]
    assert pollers[0].times == [1_704_067_200.0 + t for t in (20, 40, 60)]
    assert not pollers[0].is_alive()


def _fetcher(fetch: Callable[[str], object], got: list[Any]) -> Callable[..., Any]:
    def new(config: Config, env: Environment) -> Any:
        def run() -> None:
            try:
                got.append(fetch(config.url))
            except requests.RequestException as error:
                got.append(type(error))
            got.append(env.clock.monotonic_ns() / SECOND_NS)

        thread = threading.Thread(target=run)
        return SimpleNamespace(start=thread.start)

    return new


def test_requests_are_answered_after_their_delay(make: Make) -> None:
    """And are seen with their headers."""
    world = make(replies=[ScriptedReply(body=b"pod", delay_ns=3 * SECOND_NS)])
    got: list[Any] = []

    start(
        world,
        _fetcher(
            lambda url: requests.get(url, timeout=5, headers={"X": "y"}).text, got
        ),
    )
    world.advance(10 * SECOND_NS)

    assert got == ["pod", 3.0]
    (seen,) = world.take("requests")
    assert seen.value["url"] == world.config.url
    assert ("X", "y") in seen.value["headers"]


@pytest.mark.parametrize("timeout", [5, (1, 5)])
def test_timeout_is_kept_in_virtual_time(make: Make, timeout: Any) -> None:
    """``responses`` itself never applies it."""
    world = make(replies=[ScriptedReply(delay_ns=12 * SECOND_NS)])
    got: list[Any] = []

    start(world, _fetcher(lambda url: requests.get(url, timeout=timeout), got))
    world.advance(20 * SECOND_NS)

    assert got == [requests.ReadTimeout, 5.0]


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (ScriptedReply(error="refused"), requests.ConnectionError),
        (ScriptedReply(error="reset"), requests.ConnectionError),
        (ScriptedReply(error="dns"), requests.ConnectionError),
        (ScriptedReply(error="tls"), requests.exceptions.SSLError),
        (
            ScriptedReply(body=b"abc", cut_at=1),
            requests.exceptions.ChunkedEncodingError,
        ),
    ],
    ids=["refused", "reset", "dns", "tls", "cut"],
)
def test_failing_reply_raises_what_requests_would(
    make: Make, reply: ScriptedReply, kind: type[Exception]
) -> None:
    """Each way to fail, as a client of that library knows it."""
    world = make(replies=[reply])
    got: list[Any] = []

    start(world, _fetcher(lambda url: requests.get(url, timeout=5).content, got))

    assert got == [kind, 0.0]


def test_redirect_is_followed_by_the_library(make: Make) -> None:
    """Both requests are seen."""
    world = make(
        replies=[
            ScriptedReply(status=302, headers=(("Location", "/other"),)),
            ScriptedReply(body=b"pod"),
        ]
    )
    got: list[Any] = []

    start(world, _fetcher(lambda url: requests.get(url, timeout=5).text, got))

    assert got[0] == "pod"
    assert [
        seen.value["url"].rpartition("/")[2] for seen in world.take("requests")
    ] == [
        "pods",
        "other",
    ]


def test_thread_that_raises_has_crashed(make: Make) -> None:
    """With its own part of the traceback."""

    def broken() -> None:
        raise ValueError("broken here")

    thread = threading.Thread(target=broken)

    with pytest.raises(Crashed, match="a thread raised ValueError: broken here") as got:
        start(make(), lambda config, env: SimpleNamespace(start=thread.start))

    assert "in broken" in got.value.trace
    assert "pytest_podsource" not in got.value.trace


def test_thread_that_nobody_stops_ends_with_the_world() -> None:
    """It never reaches the real disk or the real network."""
    world = PatchedWorld(Scene(config=Config()))
    thread = threading.Thread(target=threading.Event().wait)
    start(world, lambda config, env: SimpleNamespace(start=thread.start))

    world.close()
    thread.join(20)

    assert not thread.is_alive()


def test_thread_that_outlives_the_world_is_a_harness_error() -> None:
    """And the world is put back all the same."""
    world = PatchedWorld(Scene(config=Config()))
    real = threading.Thread.start
    go_on = [True]

    def stubborn() -> None:
        while go_on:
            try:
                threading.Event().wait(1)
            except BaseException:  # noqa: BLE001, PERF203 - what is looked for
                continue

    thread = threading.Thread(target=stubborn, daemon=True)
    start(world, lambda config, env: SimpleNamespace(start=thread.start))
    (tracked,) = world._clock._tracked.values()

    with pytest.raises(DriverError, match="outlives the case"):
        world.close()
    go_on.clear()
    tracked.handover.give(10)
    thread.join(10)

    assert not thread.is_alive()

    assert threading.Thread.start is not real
    assert not Path(world.config.path).exists()
    with pytest.raises(requests.ConnectionError):
        requests.get("http://127.0.0.1:9/", timeout=1)
