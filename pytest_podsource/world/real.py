"""
The real world: a temporary directory, the kernel's inotify, real time, a real server.

Nobody can know here when an implementation is idle. A step is over when nothing has
been seen for 200 ms; so "nothing came" is known by waiting only. The case's clock stands
still while a step settles and goes with real time while it is moved on, but never beyond
the scripted end of a request that is under way; what is seen has its time to 100 ms.
Durations are not scaled: a case that would take too long is left out.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, cast

from pytest_podsource.contract import SECOND_NS, Cancel, Reply, WatchEvent
from pytest_podsource.exceptions import CannotRunHere
from pytest_podsource.shells.env import RealEnvironment
from pytest_podsource.world.base import Scene, ScriptedReply, Seen, StreamName
from pytest_podsource.world.clock import CaseClock
from pytest_podsource.world.environment import SimulatedEnvironment, Stage
from pytest_podsource.world.loopback import LoopbackServer, check_served
from pytest_podsource.world.simulated import SimulatedWorld, asks_url

QUIET_NS = SECOND_NS // 5
LONGEST_NS = 5 * SECOND_NS
_GRAIN_NS = SECOND_NS // 10
_SLICE_NS = SECOND_NS // 200

OnEvent = Callable[[WatchEvent | OSError], None]


class _Request:
    """
    A request under way: in the case's time it takes as long as the script says.
    """

    def __init__(self, clock: CaseClock, timeout_ns: int) -> None:
        self._clock = clock
        self._began_ns = clock.monotonic_ns()
        self._timeout_ns = timeout_ns
        self._delay_ns = 0
        self.arrived = False
        self.cancel: Cancel = lambda: None

    def arrive(self, reply: ScriptedReply) -> None:
        self.arrived = True
        late = 0 < self._timeout_ns < reply.delay_ns
        self._delay_ns = self._timeout_ns if late else reply.delay_ns

    def ends_ns(self) -> int:
        return self._began_ns + self._delay_ns

    def end(self, tell: Callable[[], None]) -> None:
        delay_ns = self.ends_ns() - self._clock.monotonic_ns()
        self.cancel = self._clock.call_later(delay_ns, tell)


class WatchedEnvironment(SimulatedEnvironment):
    """
    An environment whose watches and requests are real ones.

    Args:
        stage: What stands behind the rest.
        real: What really watches and fetches.
    """

    def __init__(self, stage: Stage, real: RealEnvironment) -> None:
        super().__init__(stage)
        self._real = real
        self._watches: list[tuple[str, OnEvent, Cancel]] = []
        self._requests: list[_Request] = []

    def watch(self, path: str, on_event: OnEvent) -> Cancel:
        """
        Watch *path* with the kernel's inotify.

        Raises:
            FileNotFoundError: It doesn't exist; that is no attempt, and isn't noted.
            OSError: As the case orders, or as the kernel says.
        """
        self._attempt_watch(path)
        cancel = self._real.watch(path, on_event)
        watch = (path, on_event, cancel)
        self._watches.append(watch)

        def end() -> None:
            cancel()
            if watch in self._watches:
                self._watches.remove(watch)

        return end

    def fetch(
        self,
        url: str,
        headers: Sequence[tuple[str, str]],
        timeout_ns: int,
        on_done: Callable[[Reply | OSError], None],
    ) -> Cancel:
        """GET *url* over the network; the server notes the request."""
        import_module("requests")  # not within the time that a request takes
        request = _Request(self._stage.clock, timeout_ns)
        self._requests.append(request)

        def done(reply: Reply | OSError) -> None:
            self._requests.remove(request)
            request.end(lambda: on_done(reply))

        def cancel() -> None:
            request.cancel()
            if request in self._requests:
                self._requests.remove(request)

        request.cancel = self._real.fetch(url, headers, timeout_ns, done)
        return cancel

    def arrived(
        self, url: str, headers: tuple[tuple[str, str], ...], reply: ScriptedReply
    ) -> None:
        """Note a request that the server has got, and what it answers."""
        self._stage.streams.note("requests", {"url": url, "headers": headers})
        for request in self._requests:
            if not request.arrived:
                request.arrive(reply)
                break

    def may_reach_ns(self) -> int | None:
        """Return how far the clock may go on with what is under way."""
        return min((each.ends_ns() for each in self._requests), default=None)

    def overflow(self) -> None:
        """End all watches, as when the kernel's queue is full."""
        watches, self._watches = self._watches, []
        for _, on_event, cancel in watches:
            cancel()
            on_event(OSError(errno.EOVERFLOW, "event queue overflow"))


class RealWorld(SimulatedWorld):
    """
    One case's world, on this machine and in real time.

    Args:
        scene: How it looks at first.
        told: The implementation asks its environment; else it sleeps, watches and
            fetches by itself.
        limit_ns: How long the steps may take together.

    Raises:
        CannotRunHere: It would take too long, or needs what real things can't do.
    """

    def __init__(
        self, scene: Scene, *, told: bool = True, limit_ns: int = LONGEST_NS
    ) -> None:
        if scene.length_ns > limit_ns:
            raise CannotRunHere(
                f"would take {scene.length_ns / SECOND_NS:g} s in real time; "
                f"--podsource-real-limit is {limit_ns / SECOND_NS:g}s."
            )
        self._told = told
        if scene.watch_fails:
            self._needs_told("given.watch")
        if scene.user:
            self._needs_told("user: nobody")
        if scene.config.url and scene.replies:
            raise CannotRunHere(
                f"url: only the simulated world answers at {scene.config.url}."
            )
        if scene.config.period_ns <= 0:
            raise CannotRunHere("period: whether it spins, real time doesn't show.")
        for reply in scene.replies:
            check_served(reply)
        self._server = LoopbackServer() if asks_url(scene) else None
        self._real = RealEnvironment(lambda update: None, max_body_bytes=None)
        try:
            super().__init__(scene)
        except BaseException:
            self._end()
            raise
        if self._server is not None:
            self._server.start(self._stage.url, self._watched.arrived)
        self._began_ns = self._real_ns()

    def starts(self) -> None:
        """Let the case's time go on with real time from here."""
        self._began_ns = self._real_ns() - self._stage.clock.monotonic_ns()

    def reached(self, at_ns: int) -> None:
        """Leave the clock alone: a follower's own isn't the case's here."""

    def apply(self, verb: str, argument: Any) -> None:
        """
        Carry out a verb of the world; the kernel tells what it sees of it.
        """
        if verb == "event":
            raise CannotRunHere("event: the kernel tells no event without a change.")
        if verb == "jump":
            self._needs_told(verb)
        if verb == "replies":
            for reply in cast("Sequence[ScriptedReply]", argument):
                check_served(reply)
        super().apply(verb, argument)

    def settle(self) -> None:
        """Run until nothing has been seen for 200 ms, for 5 s at most."""
        began_ns = quiet_ns = self._real_ns()
        noted = self._stage.streams.noted
        self._settle()
        while self._real_ns() - quiet_ns < QUIET_NS:
            self._run_slice()
            if self._stage.streams.noted != noted:
                noted, quiet_ns = self._stage.streams.noted, self._real_ns()
            if self._real_ns() - began_ns > LONGEST_NS:
                break
        self._stage.clock.rest()

    def advance(self, duration_ns: int) -> None:
        """Move the clock on with real time, and settle."""
        clock = self._stage.clock
        target_ns = clock.monotonic_ns() + duration_ns
        while clock.monotonic_ns() < target_ns:
            self._run_slice()
            self._catch_up(target_ns)
        self.settle()

    def take(self, stream: StreamName) -> list[Seen]:
        """Return what came on *stream* since the last call, with times to 100 ms."""
        return [
            replace(seen, at_ns=round(seen.at_ns / _GRAIN_NS) * _GRAIN_NS)
            for seen in super().take(stream)
        ]

    def close(self) -> None:
        """End the case: nothing is left on the disk, and no server."""
        try:
            super().close()
        finally:
            self._end()

    def _make_environment(self) -> WatchedEnvironment:
        self._watched = WatchedEnvironment(self._stage, self._real)
        return self._watched

    def _make_url(self, scene: Scene) -> str:
        here = f"{self._server.root}/pods" if self._server is not None else ""
        return scene.config.url or here

    def _catch_up(self, target_ns: int) -> None:
        """Move the clock on to real time, stopping at whatever is due."""
        clock = self._stage.clock
        due_ns = clock.next_due_ns()
        while due_ns is not None and due_ns <= self._may_reach_ns(target_ns):
            clock.move_to(due_ns)
            self._settle()
            due_ns = clock.next_due_ns()
        clock.move_to(self._may_reach_ns(target_ns))

    def _may_reach_ns(self, target_ns: int) -> int:
        ends_ns = self._watched.may_reach_ns()
        reached_ns = min(self._real_ns() - self._began_ns, target_ns)
        return reached_ns if ends_ns is None else min(reached_ns, ends_ns)

    def _run_slice(self) -> None:
        self._real.clock.call_later(_SLICE_NS, self._real.stop)
        self._real.run()
        self._settle()

    def _fault(self, argument: Mapping[str, Any]) -> None:
        if argument["on"] != "watch":
            raise CannotRunHere(
                "fault: the kernel would tell how a file is made unreadable. "
                "Run it in the simulated world."
            )
        self._needs_told("fault")
        if argument["error"] == "overflow":
            self._watched.overflow()
        else:
            super()._fault(argument)

    def _needs_told(self, what: str) -> None:
        if not self._told:
            raise CannotRunHere(
                f"{what}: needs an implementation that asks its environment; "
                "this one is on its own (--podsource-time=real)."
            )

    def _real_ns(self) -> int:
        return time.monotonic_ns()

    def _end(self) -> None:
        self._real.close()
        if self._server is not None:
            self._server.close()
