"""
An implementation in this process: what it does is passed on, what it raises is its own.
"""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_podsource import threads
from pytest_podsource.contract import (
    SECOND_NS,
    Config,
    Environment,
    PodUpdate,
    Refused,
    SourceUpdate,
)
from pytest_podsource.driver.base import Abilities, Connection, Driver, Offer
from pytest_podsource.driver.inprocess import InProcessConnection, InProcessDriver
from pytest_podsource.exceptions import Crashed, DriverError, Spins
from pytest_podsource.world.base import Scene
from pytest_podsource.world.simulated import SimulatedWorld


class Case:
    """
    One implementation in one world.
    """

    def __init__(
        self,
        config: Config | None = None,
        abilities: Abilities | None = None,
        **factories: Any,
    ) -> None:
        self.world = SimulatedWorld(Scene(config=config or Config()))
        offer = Offer(
            name="x", components=frozenset(), abilities=abilities or Abilities()
        )
        driver: Driver = InProcessDriver(SimpleNamespace(**factories), offer)
        self.connection: Connection = driver.connect(self.world)

    def start(self, component: str = "file") -> None:
        self.connection.new(component, self.world.config)
        self.connection.call(component, "start", {})
        self.world.settle()

    def close(self) -> None:
        try:
            self.connection.close()
        finally:
            self.world.close()


Make = Callable[..., Case]


@pytest.fixture
def make() -> Iterator[Make]:
    made: list[Case] = []

    def case(*args: Any, **factories: Any) -> Case:
        made.append(Case(*args, **factories))
        return made[-1]

    yield case
    for each in made:
        each.world.close()


class Ticker:
    """
    Sends its set every period, and counts its stops.
    """

    def __init__(self, config: Config, env: Environment) -> None:
        self._config = config
        self._env = env
        self.stops = 0

    def start(self) -> None:
        self._env.send(SourceUpdate(source="file", pods=()))
        self._env.clock.call_later(self._config.period_ns, self.start)

    def stop(self) -> None:
        self.stops += 1


def test_started_source_sends_in_virtual_time(make: Make) -> None:
    """What it sends is seen at the instants of the case's clock."""
    case = make(new_file_source=Ticker)

    case.start()
    case.world.advance(45 * SECOND_NS)

    assert [seen.at_ns // SECOND_NS for seen in case.world.take("expect")] == [
        0,
        20,
        40,
    ]


def test_method_is_called_with_the_contracts_arguments(make: Make) -> None:
    """By the contract's names here, in the contract's order there."""

    class Backoff:
        def next(self, *args: Any) -> None:
            self.args = args

        def get(self, *args: Any) -> Any:
            return self.args

    case = make(new_backoff=lambda config, env: Backoff())
    case.connection.new("backoff", Config())

    case.connection.call("backoff", "next", {"event_ns": -5, "id_": "watch"})

    assert case.connection.call("backoff", "get", {"id_": "x"}) == ("watch", -5)


def test_function_needs_no_object(make: Make) -> None:
    """``diff_snapshots`` and its like are called on the implementation itself."""
    case = make(diff_snapshots=lambda old, new: ([*new], [], [*old]))

    value = case.connection.call("diff", "diff_snapshots", {"old": {"a": 1}, "new": {}})

    assert value == ([], [], ["a"])


@pytest.mark.parametrize(
    ("method", "arguments", "says"),
    [
        ("get", {}, r"get takes \(id_\), not \(\)"),
        ("fetch", {"id_": "a"}, "no call of the contract"),
    ],
)
def test_call_that_the_contract_does_not_know_is_ours(
    make: Make, method: str, arguments: Mapping[str, Any], says: str
) -> None:
    """The harness is at fault, not the implementation."""
    case = make(new_backoff=lambda config, env: None)

    with pytest.raises(DriverError, match=says):
        case.connection.call("backoff", method, arguments)


def _broken(*args: Any) -> Any:
    raise ValueError("broken here")


def test_factory_that_raises_has_crashed(make: Make) -> None:
    """The error names the factory, and shows the implementation's frames only."""
    case = make(new_file_source=_broken)

    with pytest.raises(Crashed) as caught:
        case.connection.new("file", Config())

    assert caught.value.call == "new_file_source"
    assert caught.value.error == "ValueError: broken here"
    assert "_broken" in caught.value.trace
    assert "pytest_podsource/driver" not in caught.value.trace


def test_factory_that_refuses_is_refused(make: Make) -> None:
    """``Refused`` is an answer, not a crash."""

    def refuse(config: Config, env: Environment) -> Any:
        raise Refused("no period")

    case = make(new_file_source=refuse)

    with pytest.raises(Refused, match="no period"):
        case.connection.new("file", Config())


def test_factory_that_gives_the_wrong_thing_has_crashed(make: Make) -> None:
    """The error says what is lacking."""
    case = make(new_backoff=lambda config, env: None)

    with pytest.raises(Crashed, match="gave None, which lacks next, get"):
        case.connection.new("backoff", Config())


def test_method_that_is_lacking_has_crashed(make: Make) -> None:
    """Such as ``sync`` of a PodConfig that has none."""
    case = make(new_pod_config=lambda config, env: SimpleNamespace(channel=print))
    case.connection.new("podconfig", Config())

    with pytest.raises(Crashed, match="there is no sync to call"):
        case.connection.call("podconfig", "sync", {})


CALLBACKS: dict[str, Callable[[Environment, Config], Any]] = {
    "call_later": lambda env, config: env.clock.call_later(0, _broken),
    "taken": lambda env, config: env.send(
        SourceUpdate(source="file", pods=()), _broken
    ),
    "fetch": lambda env, config: env.fetch("http://x", (), 0, _broken),
    "list_pods": lambda env, config: env.list_pods(_broken),
    "watch_pods": lambda env, config: env.watch_pods("", _broken),
    "watch": lambda env, config: env.watch(config.path, _broken),
}


@pytest.mark.parametrize("name", CALLBACKS)
def test_callback_that_raises_has_crashed(make: Make, name: str) -> None:
    """The error says which callback it was."""
    case = make(
        new_file_source=lambda config, env: SimpleNamespace(
            start=lambda: CALLBACKS[name](env, config)
        )
    )

    def run() -> None:
        case.start()
        case.world.apply("write", {"a": b""})
        case.world.apply("api", {"BOOKMARK": None})
        case.world.settle()

    with pytest.raises(Crashed) as caught:
        run()

    assert name in caught.value.call
    assert caught.value.error == "ValueError: broken here"


def test_refusal_in_a_callback_is_a_crash(make: Make) -> None:
    """Nobody is there to be refused."""

    def refuse() -> None:
        raise Refused("too late")

    case = make(
        new_file_source=lambda config, env: SimpleNamespace(
            start=lambda: env.clock.call_later(0, refuse)
        )
    )

    with pytest.raises(Crashed, match="too late"):
        case.start()


def test_spinning_callback_is_seen(make: Make) -> None:
    """A source that comes back at once never rests."""

    class Spinner(Ticker):
        def start(self) -> None:
            self._env.clock.call_later(0, self.start)

    case = make(new_file_source=Spinner)

    with pytest.raises(Spins):
        case.start()


def test_source_without_stop_falls_silent(make: Make) -> None:
    """So a restart doesn't leave the old one sending beside the new one."""

    class Endless:
        def __init__(self, config: Config, env: Environment) -> None:
            self._env = env

        def start(self) -> None:
            self._env.send(SourceUpdate(source="file", pods=()))
            self._env.clock.call_later(20, self.start)

    case = make(new_file_source=Endless)
    case.start()
    case.connection.call("file", "stop", {})
    case.start()
    case.world.take("expect")

    case.world.advance(20)

    assert len(case.world.take("expect")) == 1


def test_source_that_goes_on_after_its_stop_is_seen(make: Make) -> None:
    """A ``stop`` that forgets the timer isn't helped."""
    case = make(new_file_source=Ticker)
    case.start()
    case.connection.call("file", "stop", {})
    case.world.take("expect")

    case.world.advance(20 * SECOND_NS)

    assert len(case.world.take("expect")) == 1


def test_close_stops_what_was_started(make: Make) -> None:
    """Once, and not what the case has stopped itself."""
    sources: list[Ticker] = []

    def new(config: Config, env: Environment) -> Ticker:
        sources.append(Ticker(config, env))
        return sources[-1]

    case = make(new_file_source=new)
    case.start()
    case.connection.call("file", "stop", {})
    case.start()

    case.close()

    assert [source.stops for source in sources] == [1, 1]


def test_nothing_of_a_closed_case_runs(make: Make) -> None:
    """A late callback falls silent."""
    case = make(new_file_source=Ticker)
    case.start()
    case.connection.close()
    case.world.take("expect")

    case.world.advance(60 * SECOND_NS)

    assert case.world.take("expect") == []


class PodConfig:
    """
    Turns each set into an ADD.
    """

    def __init__(self, config: Config, env: Environment) -> None:
        self._env = env
        self.sources: list[str] = []

    def channel(self, source: str) -> Callable[..., None]:
        if not source:
            raise ValueError("no name")
        self.sources.append(source)

        def put(update: SourceUpdate, taken: Callable[[], None] | None = None) -> None:
            self._env.send(PodUpdate(op="ADD", source=source, pods=update.pods), taken)

        return put

    def seen_all_sources(self, seen: frozenset[str]) -> bool:
        return seen >= set(self.sources)


def test_sent_set_is_taken_when_the_reader_takes_it(make: Make) -> None:
    """A held reader shows as an update that isn't taken yet."""
    case = make(new_pod_config=PodConfig)
    case.connection.new("podconfig", Config(sources=("file",)))
    case.world.apply("hold", None)

    is_taken = case.connection.send(SourceUpdate(source="file", pods=()))
    case.world.settle()
    held = is_taken()
    case.world.apply("release", None)
    case.world.settle()

    assert (held, is_taken()) == (False, True)


def test_channels_of_the_configured_sources_exist_from_the_start(make: Make) -> None:
    """As in the kubelet, where each source is given its channel when it is made."""
    case = make(new_pod_config=PodConfig)
    case.connection.new("podconfig", Config(sources=("file", "http")))

    answer = case.connection.call(
        "podconfig", "seen_all_sources", {"seen": frozenset({"file"})}
    )

    assert answer is False


def test_channel_without_a_name_may_raise(make: Make) -> None:
    """The call gives nothing, or what the implementation raises."""
    case = make(new_pod_config=PodConfig)
    case.connection.new("podconfig", Config())

    assert case.connection.call("podconfig", "channel", {"source": "file"}) is None
    with pytest.raises(Crashed, match="ValueError: no name"):
        case.connection.call("podconfig", "channel", {"source": ""})


def test_sources_are_composed_of_the_implementations_own_parts(make: Make) -> None:
    """The file source's set comes out of its own PodConfig."""
    case = make(
        Config(sources=("file",)), new_file_source=Ticker, new_pod_config=PodConfig
    )

    case.start("sources")

    (seen,) = case.world.take("expect")
    assert seen.value == PodUpdate(op="ADD", source="file", pods=())
    assert case.connection.call(
        "sources", "seen_all_sources", {"seen": frozenset()}
    ) is (False)


def test_composed_sources_are_those_with_a_place(make: Make) -> None:
    """Without ``sources`` the path and the URL say which there are."""
    made: list[str] = []

    def source(name: str) -> Callable[..., Any]:
        def new(config: Config, env: Environment) -> Any:
            made.append(name)
            return SimpleNamespace(start=lambda: None)

        return new

    case = make(
        new_file_source=source("file"),
        new_http_source=source("http"),
        new_pod_config=PodConfig,
    )

    case.start("sources")

    assert made == ["file"]


def test_own_composition_comes_first(make: Make) -> None:
    """``new_pod_sources`` is used where there is one."""
    case = make(new_pod_sources=Ticker, new_file_source=_broken, new_pod_config=_broken)

    case.start("sources")

    assert len(case.world.take("expect")) == 1


class AsyncTicker:
    """
    Sends its set every period until it is cancelled.
    """

    ended: list[str]

    def __init__(self, config: Config, env: Environment) -> None:
        self._env = env
        self._period_s = config.period_ns / SECOND_NS
        self.ended = []

    async def start(self) -> None:
        try:
            while True:
                self._env.send(SourceUpdate(source="file", pods=()))
                await asyncio.sleep(self._period_s)
        finally:
            self.ended.append("ticking")


def _kept(kind: Callable[..., Any]) -> tuple[list[Any], Callable[..., Any]]:
    kept: list[Any] = []

    def new(config: Config, env: Environment) -> Any:
        kept.append(kind(config, env))
        return kept[-1]

    return kept, new


def test_async_start_is_enough(make: Make) -> None:
    """``asyncio.sleep`` takes virtual time; ``stop`` cancels what runs."""
    kept, new = _kept(AsyncTicker)
    case = make(new_file_source=new)
    case.start()
    case.world.advance(45 * SECOND_NS)

    case.connection.call("file", "stop", {})
    case.world.advance(60 * SECOND_NS)

    assert [seen.at_ns // SECOND_NS for seen in case.world.take("expect")] == [
        0,
        20,
        40,
    ]
    assert kept[0].ended == ["ticking"]


def test_async_stop_comes_before_the_cancellation(make: Make) -> None:
    """An ``async def stop`` may still do something."""

    class Polite(AsyncTicker):
        async def stop(self) -> None:
            await asyncio.sleep(1)
            self.ended.append("politely")

    kept, new = _kept(Polite)
    case = make(new_file_source=new)
    case.start()

    case.connection.call("file", "stop", {})
    case.world.advance(SECOND_NS)

    assert kept[0].ended == ["politely", "ticking"]


def test_close_ends_what_asyncio_has_left(make: Make) -> None:
    """Tasks are cancelled, and their ``finally`` runs."""
    kept, new = _kept(AsyncTicker)
    case = make(new_file_source=new)
    case.start()

    case.close()

    assert kept[0].ended == ["ticking"]


def test_async_start_that_raises_has_crashed(make: Make) -> None:
    """Also when nobody awaits it."""

    class Broken(AsyncTicker):
        async def start(self) -> None:
            await asyncio.sleep(1)
            raise ValueError("broken here")

    case = make(new_file_source=Broken)
    case.start()

    with pytest.raises(Crashed, match="ValueError: broken here") as caught:
        case.world.advance(SECOND_NS)

    assert "in start" in caught.value.trace


def test_foreign_thread_is_a_harness_error(make: Make) -> None:
    """The error names the ways out."""
    go_on = threading.Event()

    class Foreign(Ticker):
        def start(self) -> None:
            threading.Thread(target=go_on.wait, name="mine", daemon=True).start()

    case = make(new_file_source=Foreign)
    try:
        with pytest.raises(DriverError, match=r"'mine'.*--podsource-time=patched"):
            case.start()
    finally:
        go_on.set()


def test_foreign_thread_is_welcome_in_real_time(make: Make) -> None:
    """There, nobody claims to know when it is idle."""
    go_on = threading.Event()

    class Foreign(Ticker):
        def start(self) -> None:
            threading.Thread(target=go_on.wait, daemon=True).start()

        def stop(self) -> None:
            go_on.set()

    case = make(new_file_source=Foreign, abilities=Abilities(time="real"))

    case.start()
    case.close()

    assert go_on.is_set()


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_foreign_watch_is_a_harness_error(make: Make) -> None:
    """The kernel's inotify doesn't know virtual time."""
    from inotify_simple import INotify  # noqa: PLC0415 - Linux only

    made: list[Any] = []

    class Foreign(Ticker):
        def start(self) -> None:
            made.append(INotify())

    case = make(new_file_source=Foreign)
    try:
        with pytest.raises(DriverError, match="the kernel's inotify"):
            case.start()
    finally:
        made[0].close()


def test_socket_is_a_harness_error(make: Make) -> None:
    """A connection is refused before it leaves the process, and told."""

    class Foreign(Ticker):
        def start(self) -> None:
            self._env.clock.call_later(0, self._connect)

        def _connect(self) -> None:
            with socket.socket() as connection:
                connection.connect(("127.0.0.1", 9))

    case = make(new_file_source=Foreign)

    with pytest.raises(DriverError, match=r"connect.*--podsource-time=patched"):
        case.start()


def test_sockets_of_others_go_on(make: Make) -> None:
    """Only the implementation's own code is kept from the network."""
    case = make(new_file_source=Ticker)
    case.start()

    with socket.socket() as server, socket.socket() as client:
        server.bind(("127.0.0.1", 0))
        server.listen()
        client.connect(server.getsockname())


def test_threads_that_nobody_stops_end_with_the_case(make: Make) -> None:
    """A source without ``stop`` leaves no thread behind."""

    class Sleeper:
        def __init__(self, config: Config, env: Environment) -> None:
            self._io = threads.run(env)

        def start(self) -> None:
            self._io.spawn(self._io.sleep, SECOND_NS)

    before = threading.active_count()
    case = make(new_file_source=Sleeper)
    case.start()
    during = threading.active_count()

    case.close()

    assert (during - before, threading.active_count() - before) == (1, 0)


def test_connection_is_what_the_driver_gives() -> None:
    """The class fits the seam."""
    connection: type[Connection] = InProcessConnection

    assert connection is InProcessConnection
