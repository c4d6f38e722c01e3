"""
The environment as an implementation in this process sees it.

Rule 1: whatever the implementation's callbacks raise is its own fault, and says in
which callback. Rule 2: its code acts as the user of the case. Rule 3: after the case
nothing of it runs any more.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from pytest_podsource.contract import (
    Cancel,
    Clock,
    Environment,
    LogLevel,
    Pod,
    PodUpdate,
    Refused,
    Reply,
    SourceUpdate,
    WatchEvent,
)
from pytest_podsource.driver.base import Host
from pytest_podsource.driver.foreign import Foreign
from pytest_podsource.exceptions import Crashed, PodSourceError

_Result = TypeVar("_Result")
_PACKAGE = Path(__file__).parent.parent
_OURS = tuple(
    str(_PACKAGE / name)
    for name in (
        "adapter.py",
        "aio.py",
        "doubles",
        "driver",
        "suite",
        "threads.py",
        "world",
    )
)


class Guard:
    """
    Runs what belongs to the implementation, and says what it raised.

    Attributes:
        closed: Whether the case is over.
    """

    def __init__(self, host: Host, foreign: Foreign) -> None:
        self._host = host
        self._foreign = foreign
        self.closed = False

    def call(self, what: str, function: Callable[..., _Result], *args: Any) -> _Result:
        """
        Return what *function* gives.

        Raises:
            Refused: The implementation refuses, as the contract allows.
            Crashed: It raised something else.
        """
        with self._host.acting(), self._foreign.watched(), blamed(what):
            return function(*args)

    def callback(self, what: str, function: Callable[..., None]) -> Callable[..., None]:
        """Return *function*, to be called by the world until the case is closed."""
        return partial(self._call_back, what, function)

    def _call_back(self, what: str, function: Callable[..., None], *args: Any) -> None:
        if self.closed:
            return
        try:
            self.call(what, function, *args)
        except Refused as error:
            raise crash(what, error) from error


class GuardedClock:
    """
    The clock of the case; what it calls is guarded.
    """

    def __init__(self, clock: Clock, guard: Guard) -> None:
        self._clock = clock
        self._guard = guard

    def now_ns(self) -> int:
        """Return the wall clock, in nanoseconds since 1970."""
        return self._clock.now_ns()

    def monotonic_ns(self) -> int:
        """Return the monotonic clock; it starts at 0 in every case."""
        return self._clock.monotonic_ns()

    def call_later(self, delay_ns: int, callback: Callable[[], None]) -> Cancel:
        """Call *callback* after *delay_ns*; the result cancels that."""
        return self._clock.call_later(
            delay_ns, self._guard.callback("a callback of call_later", callback)
        )


class GuardedEnvironment:
    """
    The environment of the case; what it calls is guarded.
    """

    def __init__(self, env: Environment, guard: Guard) -> None:
        self._env = env
        self._guard = guard
        self._clock = GuardedClock(env.clock, guard)

    @property
    def clock(self) -> Clock:
        """Return the clock of this case."""
        return self._clock

    def send(
        self,
        update: SourceUpdate | PodUpdate,
        taken: Callable[[], None] | None = None,
    ) -> None:
        """Send *update* on; *taken* is called when the reader has accepted it."""
        guarded = taken and self._guard.callback("taken, of send", taken)
        self._env.send(update, guarded)

    def watch(
        self, path: str, on_event: Callable[[WatchEvent | OSError], None]
    ) -> Cancel:
        """Watch *path*, not recursively."""
        return self._env.watch(
            path, self._guard.callback("on_event, of watch", on_event)
        )

    def fetch(
        self,
        url: str,
        headers: Sequence[tuple[str, str]],
        timeout_ns: int,
        on_done: Callable[[Reply | OSError], None],
    ) -> Cancel:
        """GET *url* once."""
        guarded = self._guard.callback("on_done, of fetch", on_done)
        return self._env.fetch(url, headers, timeout_ns, guarded)

    def list_pods(
        self,
        on_done: Callable[[dict[str, Any] | OSError], None],
        resource_version: str = "",
    ) -> Cancel:
        """List the pods of this node."""
        return self._env.list_pods(
            self._guard.callback("on_done, of list_pods", on_done), resource_version
        )

    def watch_pods(
        self,
        resource_version: str,
        on_event: Callable[[dict[str, Any] | OSError | None], None],
        *,
        initial: bool = False,
    ) -> Cancel:
        """Watch the pods of this node."""
        guarded = self._guard.callback("on_event, of watch_pods", on_event)
        return self._env.watch_pods(resource_version, guarded, initial=initial)

    def ask(self, question: str, *args: Any) -> Any:
        """Ask the rest of the kubelet."""
        return self._env.ask(question, *args)

    def handle(self, handler: str, pods: Sequence[Pod]) -> None:
        """Call a handler of the sync loop."""
        self._env.handle(handler, pods)

    def event(self, pod: Pod, type_: str, reason: str, message: str) -> None:
        """Record a Kubernetes event about *pod*."""
        self._env.event(pod, type_, reason, message)

    def log(self, level: LogLevel, message: str, **fields: Any) -> None:
        """Log *message*."""
        self._env.log(level, message, **fields)


@contextmanager
def blamed(what: str) -> Iterator[None]:
    """
    Run the implementation's code; what it raises is :class:`Crashed` in *what*.
    """
    try:
        yield
    except (Refused, PodSourceError):
        raise
    except Exception as error:
        raise crash(what, error) from error


def crash(what: str, error: BaseException) -> Crashed:
    """
    Return how *what* crashed, with the implementation's part of the traceback.
    """
    summary = traceback.StackSummary.from_list(
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith(_OURS)
    )
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    return Crashed(what, text.splitlines()[-1], "".join(summary.format()))
