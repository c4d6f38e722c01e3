"""
The environment for threads: calls that block, one thread at a time.

::

    class FileSource:
        def __init__(self, config, env):
            self._io = threads.run(env)

        def start(self):
            self._io.spawn(self._run)

        def _run(self):
            while True:
                self._io.send(self._listing())
                self._io.sleep(self._period_ns)

        def stop(self):
            self._io.stop()

Rule 1: a thread runs only while somebody waits for it to park; so one runs at a time,
and idleness is known. Rule 2: it parks in ``sleep``, ``fetch``, ``send`` and
``next_event``, and in nothing else. Rule 3: ``stop`` lets each parked call raise
:class:`Stopped`, and returns when all threads have ended.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from pytest_podsource.contract import (
    Cancel,
    Environment,
    PodUpdate,
    Reply,
    SourceUpdate,
    WatchEvent,
)


def run(env: Environment) -> Threads:
    """
    Return threads over *env*.
    """
    return Threads(env)


class Stopped(BaseException):
    """
    Raised by a call that was parked when :meth:`Threads.stop` came.
    """


class Handover:
    """
    Lets another thread run, and waits until it gives the turn back.

    Made of plain locks, so that it also works where waits are patched.
    """

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._back = threading.Lock()
        self._turn.acquire()
        self._back.acquire()

    def give(self, limit_s: float = -1) -> bool:
        """Give the turn; return whether it came back within *limit_s* of real time."""
        self._turn.release()
        return self._back.acquire(timeout=limit_s)

    def await_turn(self) -> None:
        """Wait for the turn; called by the other thread."""
        self._turn.acquire()

    def give_back(self) -> None:
        """Give the turn back; called by the other thread."""
        self._back.release()


class Worker(threading.Thread):
    """
    A thread that runs only when it is handed the turn.

    Attributes:
        owner: Those that it belongs to.
        ended: Whether its work is over.
    """

    def __init__(self, owner: Threads, work: Callable[[], object], name: str) -> None:
        super().__init__(name=name, daemon=True)
        self.owner = owner
        self.ended = False
        self._work = work
        self._outcome: Any = None
        self._failure: BaseException | None = None
        self._handover = Handover()

    def run(self) -> None:
        """Do the work, once it is this thread's turn."""
        self._handover.await_turn()
        try:
            if not isinstance(self._outcome, Stopped):
                self._work()
        except Stopped:
            pass
        except BaseException as error:  # noqa: BLE001 - told to whoever waits
            self._failure = error
        finally:
            self.ended = True
            self._handover.give_back()

    def begin(self) -> None:
        """Give it the first turn, unless it was stopped before."""
        if not self.ended:
            self.hand_over()

    def hand_over(self, outcome: Any = None) -> None:
        """
        Let it run until it parks or ends; called from outside.

        Raises:
            Exception: What the work raised.
        """
        self._outcome = outcome
        self._handover.give()
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure

    def park(self) -> Any:
        """Wait for the next turn, and return what it brings; called from within."""
        self._handover.give_back()
        self._handover.await_turn()
        return _outcome(self._outcome)


class Threads:
    """
    What touches the world, in calls that block.
    """

    def __init__(self, env: Environment) -> None:
        self._env = env
        self._workers: list[Worker] = []

    def spawn(self, work: Callable[..., object], *args: Any) -> None:
        """Begin a thread that does *work*; what it raises ends the case."""
        name = getattr(work, "__qualname__", "work")
        worker = Worker(self, lambda: work(*args), name)
        self._workers.append(worker)
        worker.start()
        self._env.clock.call_later(0, worker.begin)

    def sleep(self, duration_ns: int) -> None:
        """Return after *duration_ns*."""
        self._wait(lambda wake: self._env.clock.call_later(duration_ns, wake))

    def send(self, update: SourceUpdate | PodUpdate) -> None:
        """Send *update* on; returns when the reader has taken it."""
        self._wait(lambda wake: self._env.send(update, wake))

    def fetch(
        self, url: str, headers: Sequence[tuple[str, str]] = (), timeout_ns: int = 0
    ) -> Reply:
        """
        GET *url* once.

        Raises:
            OSError: There was no whole answer.
        """
        reply = self._wait(lambda wake: self._env.fetch(url, headers, timeout_ns, wake))
        assert isinstance(reply, Reply)
        return reply

    def watch(self, path: str) -> Watch:
        """
        Return what tells the events of *path*.

        Raises:
            OSError: The watch can't be made.
        """
        return Watch(self._env, path, self._wait)

    def stop(self) -> None:
        """End all threads: each parked call raises :class:`Stopped`."""
        if isinstance(threading.current_thread(), Worker):
            raise RuntimeError("stop is for outside; within a thread, return.")  # noqa: TRY004 - it is no argument
        for worker in self._workers:
            while not worker.ended:
                worker.hand_over(Stopped())
            worker.join()
        self._workers.clear()

    def _wait(self, ask: Callable[[Callable[..., None]], Cancel | None]) -> Any:
        worker = threading.current_thread()
        if not isinstance(worker, Worker):
            raise RuntimeError(  # noqa: TRY004 - it is no argument
                "only a thread that spawn has begun can wait here. "
                "In start and in callbacks, use the environment itself."
            )
        return _Wait(worker).until(ask)


class Watch:
    """
    Tells the events of a path, one by one.
    """

    def __init__(
        self,
        env: Environment,
        path: str,
        wait: Callable[[Callable[[Callable[..., None]], Cancel | None]], Any],
    ) -> None:
        self._env = env
        self._wait = wait
        self._told: deque[WatchEvent | OSError] = deque()
        self._wake: Callable[..., None] | None = None
        self.cancel = env.watch(path, self._hear)

    def next_event(self, timeout_ns: int | None = None) -> WatchEvent | None:
        """
        Return the next event, or ``None`` after *timeout_ns* without one.

        Raises:
            OSError: The watch has ended.
        """
        if not self._told:
            self._wait(lambda wake: self._listen(wake, timeout_ns))
            self._wake = None
        if not self._told:
            return None
        event = self._told.popleft()
        if isinstance(event, OSError):
            raise event
        return event

    def _listen(
        self, wake: Callable[..., None], timeout_ns: int | None
    ) -> Cancel | None:
        self._wake = wake
        if timeout_ns is None:
            return None
        return self._env.clock.call_later(timeout_ns, wake)

    def _hear(self, event: WatchEvent | OSError) -> None:
        self._told.append(event)
        if self._wake is not None:
            wake, self._wake = self._wake, None
            wake()


class _Wait:
    """
    One parked call; what wakes it may come before it has parked, or too late.
    """

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._parked = False
        self._woken = False
        self._outcome: Any = None

    def until(self, ask: Callable[[Callable[..., None]], Cancel | None]) -> Any:
        cancel = ask(self._wake)
        try:
            if not self._woken:
                self._parked = True
                self._outcome = self._worker.park()
            return _outcome(self._outcome)
        finally:
            self._parked = False
            if cancel is not None:
                cancel()

    def _wake(self, outcome: Any = None) -> None:
        if self._parked:
            self._parked = False
            self._worker.hand_over(outcome)
        else:
            self._woken = True
            self._outcome = outcome


def _outcome(outcome: Any) -> Any:
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome
