"""
An implementation in this process.

Rule 1: whatever it raises is its own fault, and says where. Rule 2: it acts within what
it was given; a thread, a socket or an inotify of its own is a harness error, for then
nobody knows when it is idle. Rule 3: what a case has started ends with it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_podsource import aio
from pytest_podsource.contract import Config, SourceUpdate
from pytest_podsource.driver.base import Host, Offer
from pytest_podsource.driver.compose import ComposedSources
from pytest_podsource.driver.foreign import Foreign
from pytest_podsource.driver.guard import Guard, GuardedEnvironment, crash
from pytest_podsource.exceptions import DriverError

FACTORIES: Mapping[str, str] = {
    "backoff": "new_backoff",
    "file": "new_file_source",
    "http": "new_http_source",
    "api": "new_apiserver_source",
    "podconfig": "new_pod_config",
    "sources": "new_pod_sources",
    "ready": "new_sources_ready",
    "syncloop": "new_sync_loop",
}
FUNCTIONS: Mapping[str, tuple[str, ...]] = {
    "diff": ("diff_snapshots",),
    "manifest": ("decode_manifest", "decode_manifest_list"),
    "flags": ("parse_flags", "parse_config"),
}
METHODS: Mapping[str, tuple[str, ...]] = {
    "diff_snapshots": ("old", "new"),
    "decode_manifest": ("data", "config"),
    "decode_manifest_list": ("data", "config"),
    "parse_flags": ("argv", "config"),
    "parse_config": ("data", "config"),
    "next": ("id_", "event_ns"),
    "get": ("id_",),
    "reset": ("id_",),
    "delete_entry": ("id_",),
    "gc": (),
    "is_in_backoff_since": ("id_", "event_ns"),
    "is_in_backoff_since_update": ("id_", "event_ns"),
    "start": (),
    "stop": (),
    "channel": ("source",),
    "seen_all_sources": ("seen",),
    "sync": (),
    "add_source": ("source",),
    "all_ready": (),
    "deliver": ("update",),
}
"""The names of the contract, with their arguments in order."""

NEEDED: Mapping[str, tuple[str, ...]] = {
    "backoff": ("next", "get"),
    "file": ("start",),
    "http": ("start",),
    "api": ("start",),
    "podconfig": ("channel",),
    "sources": ("start",),
    "ready": ("add_source", "all_ready"),
    "syncloop": ("start", "deliver"),
}
"""What the object of a component can't do without."""


class InProcessDriver:
    """
    A module or an object with factories, for a whole run.

    Args:
        implementation: What has the factories.
        offer: What it offers; its abilities say whether its time is the case's.
    """

    def __init__(self, implementation: Any, offer: Offer) -> None:
        self._implementation = implementation
        self._offer = offer

    @property
    def offer(self) -> Offer:
        """Return what the implementation says of itself."""
        return self._offer

    @property
    def stderr(self) -> str:
        """Return nothing: pytest itself captures what this process writes."""
        return ""

    def connect(self, host: Host) -> InProcessConnection:
        """Begin a case."""
        return InProcessConnection(self._implementation, self._offer, host)

    def close(self) -> None:
        """End the run; nothing of it is left."""


@dataclass(slots=True)
class _Part:
    """
    The object of one component; its guard falls silent when it is forgotten.
    """

    guard: Guard
    made: Any = None
    started: bool = False
    tasks: list[Any] = field(default_factory=list)


class InProcessConnection:
    """
    One implementation within one case.
    """

    def __init__(self, implementation: Any, offer: Offer, host: Host) -> None:
        self._implementation = implementation
        self._host = host
        self._foreign = Foreign(offer.abilities)
        self._guard = Guard(host, self._foreign)
        self._parts: dict[str, _Part] = {}
        self._channels: dict[str, Callable[..., None]] = {}
        self._asyncio: aio.Asyncio | None = None

    def new(self, component: str, config: Config) -> None:
        """Make the object of *component*; see :class:`Connection`."""
        factory = FACTORIES[component]
        self._forget(component)
        part = _Part(Guard(self._host, self._foreign))
        env = GuardedEnvironment(self._host.env, part.guard)
        part.made = part.guard.call(factory, self._make, component, config, env)
        lacking = [name for name in NEEDED[component] if not hasattr(part.made, name)]
        if lacking:
            wrong = f"it gave {part.made!r}, which lacks {', '.join(lacking)}"
            raise crash(factory, TypeError(wrong))
        self._parts[component] = part
        if component == "podconfig":
            self._channels = {}
            for name in config.sources:
                self._channel(name)
        self._foreign.check()

    def call(self, component: str, method: str, arguments: Mapping[str, Any]) -> Any:
        """Call *method*; see :class:`Connection`."""
        values = _in_order(method, arguments)
        if component in FUNCTIONS:
            return self._call(self._guard, self._implementation, method, values)
        part = self._parts[component]
        if method == "start":
            return self._start(part)
        if method == "stop":
            return self._stop(part)
        if method == "channel":
            self._ask_channel(*values)
            return None
        return self._call(part.guard, part.made, method, values)

    def send(self, update: SourceUpdate) -> Callable[[], bool]:
        """Put *update* on the channel of its source; see :class:`Connection`."""
        taken: list[bool] = []
        self._guard.call(
            f"the channel of {update.source}",
            self._channel(update.source),
            update,
            lambda: taken.append(True),
        )
        return lambda: bool(taken)

    def close(self) -> None:
        """
        End whatever the case has left running.

        Raises:
            Crashed: A ``stop`` raised.
            DriverError: Something runs on that this process can't end.
        """
        try:
            for part in self._parts.values():
                if part.started:
                    self._stop(part)
            if self._asyncio is not None:
                self._guard.call("the end of asyncio", self._asyncio.stop)
            self._foreign.check()
        finally:
            self._guard.closed = True
            for component in self._parts:
                self._forget(component)
            self._foreign.end_workers()

    def _make(self, component: str, config: Config, env: GuardedEnvironment) -> Any:
        factory = getattr(self._implementation, FACTORIES[component], None)
        if factory is not None:
            return factory(config, env)
        return ComposedSources(self._implementation, config, env)

    def _forget(self, component: str) -> None:
        if component in self._parts:
            self._parts[component].guard.closed = True

    def _call(self, guard: Guard, of: Any, method: str, values: list[Any]) -> Any:
        function = getattr(of, method, None)
        if function is None:
            raise crash(method, AttributeError(f"there is no {method} to call"))
        return guard.call(method, function, *values)

    def _channel(self, source: str) -> Callable[..., None]:
        if source not in self._channels:
            self._ask_channel(source)
        return self._channels[source]

    def _ask_channel(self, source: str) -> None:
        part = self._parts["podconfig"]
        channel = part.guard.call("channel", part.made.channel, source)
        self._channels[source] = channel

    def _start(self, part: _Part) -> None:
        part.started = True
        result = part.guard.call("start", part.made.start)
        part.tasks = [self._spawn(work) for work in _awaitables(result)]
        self._foreign.check()

    def _stop(self, part: _Part) -> None:
        """Stop *part*; what can't be stopped falls silent."""
        part.started = False
        stop = getattr(part.made, "stop", None)
        if stop is None:
            part.guard.closed = True
        result = part.guard.call("stop", stop) if stop is not None else None
        ends = [self._spawn(work) for work in _awaitables(result)]
        for task in part.tasks:
            if ends:
                ends[-1].add_done_callback(lambda _, task=task: task.cancel())
            else:
                task.cancel()

    def _spawn(self, work: Any) -> Any:
        if self._asyncio is None:
            env = GuardedEnvironment(self._host.env, self._guard)
            self._asyncio = aio.run(env)
        return self._asyncio.spawn(_finish(work))


def _in_order(method: str, arguments: Mapping[str, Any]) -> list[Any]:
    names = METHODS.get(method)
    if names is None or set(names) != set(arguments):
        raise DriverError(
            f"{method}({', '.join(arguments)}) is no call of the contract. "
            f"Known calls: {', '.join(METHODS)}."
            if names is None
            else f"{method} takes ({', '.join(names)}), not ({', '.join(arguments)})."
        )
    return [arguments[name] for name in names]


def _awaitables(result: Any) -> list[Any]:
    results = result if isinstance(result, list) else [result]
    return [each for each in results if inspect.isawaitable(each)]


async def _finish(work: Any) -> Any:
    return await work
