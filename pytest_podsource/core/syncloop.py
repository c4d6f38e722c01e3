"""
The sync loop: operations go in, calls of handlers come out.

Rule 1: one thing at a time; nothing is read while a handler is at work or the container
runtime reports errors. Rule 2: a DELETE goes to the handler of updates. Rule 3: after
every message, whatever it did, its source is noted as seen. Rule 4: housekeeping runs
only when all sources are ready. Rule 5: a closed channel ends the loop. Rule 6: of
several things that wait, messages go first here; the kubelet picks at random.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, TypeAlias

from pytest_podsource.contract import SECOND_NS, Cancel, Clock, Pod, PodUpdate
from pytest_podsource.core.sources_ready import SourcesReady
from pytest_podsource.core.versions import Kubelet

HOUSEKEEPING_NS = 2 * SECOND_NS

#: ``checking`` the runtime, ``sleeping`` because it fails, ``selecting``: ready to read,
#: ``working``: in a handler, ``off``: not started, or ended.
State: TypeAlias = Literal["off", "checking", "sleeping", "selecting", "working"]


class SyncLoop:
    """
    Hands operations to handlers, and looks after housekeeping.

    Args:
        kubelet: Which kubelet to behave like.
        clock: Ticks and sleeps are on it.
        handle: Calls a handler by its name, with pods.
        ready: Which sources have been seen, and whether those are all.
        runtime_errors: Returns what is wrong with the container runtime, if anything.
        log: Takes level, message and fields.
        sync_period_ns: Time between two syncs of all pods, in 1.1.

    Kubelet: ``Kubelet.syncLoop`` and ``syncLoopIteration`` in ``pkg/kubelet``.
    """

    def __init__(
        self,
        kubelet: Kubelet,
        clock: Clock,
        *,
        handle: Callable[[str, Sequence[Pod]], None],
        ready: SourcesReady,
        runtime_errors: Callable[[], Any],
        log: Callable[..., None],
        sync_period_ns: int,
    ) -> None:
        self._kubelet = kubelet
        self._clock = clock
        self._handle = handle
        self._ready = ready
        self._runtime_errors = runtime_errors
        self._log = log
        self._sync_period_ns = sync_period_ns
        self._messages: deque[PodUpdate | None] = deque()
        self._due: set[Callable[[], None]] = set()
        self._timers: dict[Callable[[], None], Cancel] = {}
        self._retry_ns = kubelet.loop_retry_ns[0]
        self._cleaned_ns: int | None = None
        self._state: State = "off"

    def start(self) -> None:
        """
        Begin to tick and to read.
        """
        self._state = "checking"
        if self._kubelet.loop_housekeeping_ticks:
            self._tick_every(HOUSEKEEPING_NS, self._clean_up_if_ready)
        if self._kubelet.loop_syncs_all:
            self._tick_every(self._sync_period_ns, self._sync_all)
        self._run()

    def stop(self) -> None:
        """
        End: nothing is read any more, no timer is left.
        """
        self._state = "off"
        for cancel in self._timers.values():
            cancel()
        self._timers.clear()

    def deliver(self, update: PodUpdate | None) -> None:
        """
        Put *update* on the channel; ``None`` closes it.
        """
        self._messages.append(update)
        self._run()

    def _run(self) -> None:
        """Go through iterations until one would block."""
        while self._is_selecting() and (work := self._next_work()):
            self._state = "working"
            work()
            if self._state == "working":
                self._state = "checking"

    def _is_selecting(self) -> bool:
        if self._state == "checking":
            self._state = "sleeping" if self._sleeps() else "selecting"
        return self._state == "selecting"

    def _sleeps(self) -> bool:
        errors = self._runtime_errors()
        first_ns, longest_ns = self._kubelet.loop_retry_ns
        if not errors:
            self._retry_ns = first_ns
            return False
        self._log(self._kubelet.runtime_log_level, "the runtime fails", error=errors)
        self._call_later(self._retry_ns, self._wake)
        self._retry_ns = min(2 * self._retry_ns, longest_ns)
        return True

    def _wake(self) -> None:
        self._state = "checking"
        self._run()

    def _next_work(self) -> Callable[[], None] | None:
        if self._messages:
            return partial(self._take, self._messages.popleft())
        if self._due:
            return partial(self._follow_up, self._due.pop())
        return None

    def _take(self, update: PodUpdate | None) -> None:
        if update is None:
            self._log("error", "the channel of updates is closed, the loop ends")
            self.stop()
            return
        self._follow_up(partial(self._dispatch, update))

    def _follow_up(self, work: Callable[[], None]) -> None:
        """Do *work* and, where housekeeping has no tick, housekeeping if it is time."""
        work()
        if not self._kubelet.loop_housekeeping_ticks:
            self._clean_up_now_and_then()

    def _dispatch(self, update: PodUpdate) -> None:
        handler = self._kubelet.loop_handlers.get(update.op)
        if handler is not None:
            self._handle(handler, update.pods)
        elif update.op == "SET" or self._kubelet.loop_logs_unknown:
            self._log("error", "an operation without a handler", op=update.op)
        if self._kubelet.loop_notes_sources:
            self._ready.add_source(update.source)

    def _clean_up_if_ready(self) -> None:
        if self._ready.all_ready():
            self._handle("handle_pod_cleanups", ())

    def _clean_up_now_and_then(self) -> None:
        if not self._ready.all_ready():
            return
        now_ns = self._clock.monotonic_ns()
        if self._cleaned_ns is None:
            self._cleaned_ns = now_ns
        elif now_ns - self._cleaned_ns > HOUSEKEEPING_NS:
            self._handle("handle_pod_cleanups", ())
            self._cleaned_ns = now_ns

    def _sync_all(self) -> None:
        self._handle("handle_pod_syncs", ())

    def _tick_every(self, period_ns: int, work: Callable[[], None]) -> None:
        def tick() -> None:
            self._call_later(period_ns, tick)
            self._due.add(work)
            self._run()

        self._call_later(period_ns, tick)

    def _call_later(self, delay_ns: int, callback: Callable[[], None]) -> None:
        self._timers[callback] = self._clock.call_later(delay_ns, callback)
