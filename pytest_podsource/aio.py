"""
The environment for asyncio: an event loop of our own, in virtual time.

``async def start`` is enough: ``asyncio.sleep``, ``asyncio.timeout``, queues, events and
tasks work as ever, and the rest of the world is one ``await`` away::

    class FileSource:
        def __init__(self, config, env):
            self._io = aio.run(env)

        async def start(self):
            async for event in self._io.watch(self._path):
                await self._io.send(self._listing())

Rule 1: whatever is ready runs within a callback of the environment's clock, one batch a
wake-up; so idleness is known, and a task that spins is seen. Rule 2: the loop's time
starts at 0, for at seconds since 1970 a float can't hold a nanosecond.
"""

from __future__ import annotations

import asyncio
from asyncio import events
from collections.abc import AsyncIterator, Awaitable, Coroutine, Sequence
from typing import Any, TypeVar

from pytest_podsource.contract import (
    SECOND_NS,
    Cancel,
    Environment,
    PodUpdate,
    Reply,
    SourceUpdate,
    WatchEvent,
)

_T = TypeVar("_T")
_BATCHES_AT_THE_END = 1_000


def run(env: Environment) -> Asyncio:
    """
    Return asyncio over *env*.
    """
    return Asyncio(env)


class Asyncio:
    """
    What touches the world, to be awaited; and the loop that it is awaited on.

    Attributes:
        loop: The event loop, in virtual time.
    """

    def __init__(self, env: Environment) -> None:
        self._env = env
        self.loop = VirtualLoop(env)

    def spawn(self, work: Coroutine[Any, Any, _T]) -> asyncio.Task[_T]:
        """Begin *work* as a task; what it raises ends the case."""
        return self.loop.begin(work)

    def stop(self) -> None:
        """Cancel all tasks, and let them end."""
        self.loop.end()

    async def send(self, update: SourceUpdate | PodUpdate) -> None:
        """Send *update* on; returns when the reader has taken it."""
        taken = asyncio.get_running_loop().create_future()
        self._env.send(update, lambda: _settle(taken, None))
        await taken

    async def fetch(
        self, url: str, headers: Sequence[tuple[str, str]] = (), timeout_ns: int = 0
    ) -> Reply:
        """
        GET *url* once.

        Raises:
            OSError: There was no whole answer.
        """
        done = asyncio.get_running_loop().create_future()
        cancel = self._env.fetch(
            url, headers, timeout_ns, lambda reply: _settle(done, reply)
        )
        return await _or_cancel(done, cancel)

    async def watch(self, path: str) -> AsyncIterator[WatchEvent]:
        """
        Yield what happens at *path*.

        Raises:
            OSError: The watch can't be made, or has ended.
        """
        told: asyncio.Queue[WatchEvent | OSError] = asyncio.Queue()
        cancel = self._env.watch(path, told.put_nowait)
        try:
            while True:
                event = await told.get()
                if isinstance(event, OSError):
                    raise event
                yield event
        finally:
            cancel()


class VirtualLoop(asyncio.BaseEventLoop):
    """
    An event loop whose clock is the environment's: no sockets, no threads.
    """

    def __init__(self, env: Environment) -> None:
        super().__init__()
        self._env = env
        self._selector = _NothingToSelect()
        self._clock_resolution = 1 / SECOND_NS
        self._failures: list[BaseException] = []
        self._woken = False

    def __del__(self) -> None:
        """Do nothing: the loop holds neither sockets nor threads."""

    def time(self) -> float:
        """Return the monotonic clock of the case, in seconds, 0 at the start."""
        return self._env.clock.monotonic_ns() / SECOND_NS

    def call_soon(self, *args: Any, **options: Any) -> asyncio.Handle:  # type: ignore[override]
        """Call a callback in the next batch."""
        self._wake()
        return super().call_soon(*args, **options)

    def call_at(  # type: ignore[override]
        self, when: float, *args: Any, **options: Any
    ) -> asyncio.TimerHandle:
        """Call a callback at *when*, in seconds of :meth:`time`."""
        delay_ns = round(when * SECOND_NS) - self._env.clock.monotonic_ns()
        self._env.clock.call_later(max(delay_ns, 0), self._run)
        return super().call_at(when, *args, **options)

    def begin(self, work: Coroutine[Any, Any, _T]) -> asyncio.Task[_T]:
        """Begin a task that nobody awaits: what it raises ends the case."""
        task = self.create_task(work)
        task.add_done_callback(self._note_end)
        return task

    def end(self) -> None:
        """Let what is ready run, cancel all tasks, and close."""
        self._run_batches()
        for task in asyncio.all_tasks(self):
            task.cancel()
        self._run_batches()
        self.close()

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Keep what a callback raised; it ends the case."""
        self._failures.append(context.get("exception") or RuntimeError(context))

    def run_in_executor(self, *args: Any) -> Any:  # type: ignore[override]
        """Refuse: a thread can't be kept in virtual time."""
        raise NotImplementedError(
            "a thread of an executor, or a socket, can't be kept in virtual time. "
            "Use the environment, or run with --podsource-time=real."
        )

    def _process_events(self, event_list: list[Any]) -> None:
        """Do nothing: there are no sockets."""

    def _write_to_self(self) -> None:
        self._wake()

    def _wake(self) -> None:
        if not self._woken:
            self._woken = True
            self._env.clock.call_later(0, self._run)

    def _run(self) -> None:
        if self.is_closed():
            return
        self._woken = False
        self._run_batch()
        if self._ready:  # type: ignore[attr-defined]
            self._wake()
        if self._failures:
            raise self._failures.pop(0)

    def _run_batches(self) -> None:
        for _ in range(_BATCHES_AT_THE_END):
            if not self._ready:  # type: ignore[attr-defined]
                return
            self._run_batch()

    def _run_batch(self) -> None:
        before = events._get_running_loop()
        events._set_running_loop(self)
        try:
            self._run_once()  # type: ignore[attr-defined]
        finally:
            events._set_running_loop(before)

    def _note_end(self, task: asyncio.Task[Any]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self._failures.append(error)


class _NothingToSelect:
    def select(self, timeout: float | None) -> list[Any]:
        return []


def _settle(future: asyncio.Future[Any], outcome: Any) -> None:
    if future.done():
        return
    if isinstance(outcome, OSError):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)


async def _or_cancel(future: Awaitable[_T], cancel: Cancel) -> _T:
    try:
        return await future
    except asyncio.CancelledError:
        cancel()
        raise
