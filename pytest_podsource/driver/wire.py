"""
The world of an implementation that is served over the driver protocol.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any, BinaryIO, TypeAlias

from pytest_podsource.contract import (
    Cancel,
    LogLevel,
    Pod,
    PodUpdate,
    Reply,
    SourceUpdate,
    WatchEvent,
)
from pytest_podsource.driver import protocol
from pytest_podsource.driver.base import Follower
from pytest_podsource.exceptions import DriverError
from pytest_podsource.world.clock import CaseClock, Lane
from pytest_podsource.world.simulated import NOBODY

OnEvent: TypeAlias = Callable[[Any], None]


class Line:
    """
    The line to the suite: what is said, asked and read.
    """

    def __init__(self, reader: BinaryIO, writer: BinaryIO) -> None:
        self._reader = reader
        self._writer = writer
        self._asked = 0

    def read(self) -> bytes:
        """Return the next line, empty at the end."""
        return self._reader.readline()

    def write(self, line: bytes) -> None:
        """Write one line at once."""
        self._writer.write(line)
        self._writer.flush()

    def tell(self, method: str, **params: Any) -> None:
        """Send a notification."""
        self.write(protocol.notification(method, protocol.to_wire(params)))

    def demand(self, method: str, **params: Any) -> Any:
        """
        Send a request, and return its result.

        Raises:
            OSError: The suite answered with the error ``os``.
        """
        self._asked += 1
        id_ = f"a{self._asked}"
        self.write(protocol.request(id_, method, protocol.to_wire(params)))
        answer = protocol.parse(self.read())
        if answer.get("id") != id_:
            raise DriverError(f"{method}: the suite said {answer!r} and no answer.")
        if "error" in answer:
            data = answer["error"].get("data", {})
            raise OSError(data.get("errno"), data.get("message"))
        return answer["result"]


class WireHost:
    """
    One world: the environment and the host of an implementation, at the end of a line.
    """

    def __init__(self, line: Line, wall_ns: int, seed: int, user: str) -> None:
        self.clock = CaseClock(wall_ns, seed)
        self.seed = seed
        self.asked = False
        self.selector = ""
        self._user = user
        self._line = line
        self._ids = 0
        self._waiting: dict[int, OnEvent] = {}
        self._accepting = Lane(self.clock)
        self._held: list[Callable[[], None]] | None = None

    @property
    def env(self) -> WireHost:
        """Return this very object."""
        return self

    @property
    def user(self) -> str:
        """Return whom the implementation acts as, empty for who started it."""
        return self._user

    def follow(self, follower: Follower) -> None:
        """Refuse: a process in a process would have a third clock."""
        raise DriverError(
            "An adapter can't serve an implementation with its own clock."
        )

    def reached(self, at_ns: int) -> None:
        """Never called, since nothing follows."""

    def acting(self) -> AbstractContextManager[None]:
        """Return what the implementation runs within: the user of the case."""
        return _as_nobody() if self._user else nullcontext()

    def occur(self, id_: int, value: Any, *, last: bool) -> None:
        """
        Let what the suite tells about *id_* happen at this instant.
        """
        waiting = self._waiting.pop(id_, None) if last else self._waiting.get(id_)
        if waiting is not None:
            self.clock.call_later(0, partial(waiting, value))

    def hold(self) -> None:
        """Accept nothing more from the implementation."""
        self._held = []

    def release(self) -> None:
        """Accept what has been waiting, and go on."""
        held, self._held = self._held or [], None
        for accept in held:
            self._accepting.post(accept)

    def send(
        self,
        update: SourceUpdate | PodUpdate,
        taken: Callable[[], None] | None = None,
    ) -> None:
        """Tell the suite, or keep it as long as the reader is held."""
        accept = partial(self._accept, update, taken)
        if self._held is None:
            accept()
        else:
            self._held.append(accept)

    def watch(
        self, path: str, on_event: Callable[[WatchEvent | OSError], None]
    ) -> Cancel:
        """Ask the suite for a watch."""
        id_, cancel = self._expect(on_event)
        try:
            self._line.demand("env/watch", id=id_, path=path, at_ns=self._now())
        except OSError:
            del self._waiting[id_]
            raise
        return cancel

    def fetch(
        self,
        url: str,
        headers: Sequence[tuple[str, str]],
        timeout_ns: int,
        on_done: Callable[[Reply | OSError], None],
    ) -> Cancel:
        """Ask the suite for a GET."""
        id_, cancel = self._expect(on_done)
        self._request(
            "env/fetch", id=id_, url=url, headers=headers, timeout_ns=timeout_ns
        )
        return cancel

    def list_pods(
        self,
        on_done: Callable[[dict[str, Any] | OSError], None],
        resource_version: str = "",
    ) -> Cancel:
        """Ask the suite for a list."""
        id_, cancel = self._expect(on_done)
        params = {"selector": self.selector, "resource_version": resource_version}
        self._request("env/list_pods", id=id_, **params)
        return cancel

    def watch_pods(
        self,
        resource_version: str,
        on_event: Callable[[dict[str, Any] | OSError | None], None],
        *,
        initial: bool = False,
    ) -> Cancel:
        """Ask the suite for a watch of pods."""
        id_, cancel = self._expect(on_event)
        params = {"selector": self.selector, "resource_version": resource_version}
        self._request("env/watch_pods", id=id_, initial=initial, **params)
        return cancel

    def ask(self, question: str, *args: Any) -> Any:
        """Ask the suite a question."""
        params = {"question": question, "args": args, "at_ns": self._now()}
        return self._line.demand("env/ask", **params)["value"]

    def handle(self, handler: str, pods: Sequence[Pod]) -> None:
        """Tell the suite of a handler's call."""
        self._say("env/handle", handler=handler, pods=pods)

    def event(self, pod: Pod, type_: str, reason: str, message: str) -> None:
        """Tell the suite of a Kubernetes event."""
        self._say("env/event", pod=pod, type=type_, reason=reason, message=message)

    def log(self, level: LogLevel, message: str, **fields: Any) -> None:
        """Tell the suite of a log entry."""
        told = {name: _simple(value) for name, value in fields.items()}
        self._say("env/log", level=level, message=message, fields=told)

    def _accept(
        self, update: SourceUpdate | PodUpdate, taken: Callable[[], None] | None
    ) -> None:
        self._say("env/send", **protocol.to_wire(update))
        if taken is not None:
            taken()

    def _expect(self, on_event: OnEvent) -> tuple[int, Cancel]:
        self._ids += 1
        id_ = self._ids
        self._waiting[id_] = on_event
        return id_, partial(self._cancel, id_)

    def _cancel(self, id_: int) -> None:
        if self._waiting.pop(id_, None) is not None:
            self._line.tell("env/cancel", id=id_)

    def _request(self, method: str, **params: Any) -> None:
        self.asked = True
        self._say(method, **params)

    def _say(self, method: str, **params: Any) -> None:
        self._line.tell(method, **params, at_ns=self._now())

    def _now(self) -> int:
        return self.clock.monotonic_ns()


@contextmanager
def _as_nobody() -> Iterator[None]:
    before = os.geteuid()
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(before)


def _simple(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return str(value)
