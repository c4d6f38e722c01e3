"""
The simulated world: a real directory, virtual time, told events and replies.

Nothing sleeps. A step ends when nothing is left to do at this instant. An
implementation with a clock of its own is moved on in turns with the case's clock.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from typing import Any

from pytest_podsource.contract import Config
from pytest_podsource.core.versions import kubelet
from pytest_podsource.driver.base import Follower
from pytest_podsource.exceptions import CannotRunHere, CaseError
from pytest_podsource.world.apiserver import PodModel
from pytest_podsource.world.base import Scene, Seen, StreamName
from pytest_podsource.world.clock import CaseClock
from pytest_podsource.world.directory import ManifestDirectory
from pytest_podsource.world.environment import (
    Answers,
    SimulatedEnvironment,
    Stage,
    WatchFaults,
)
from pytest_podsource.world.inotify_model import InotifyModel
from pytest_podsource.world.replies import ScriptedUrl
from pytest_podsource.world.streams import Reader, Streams

MANIFEST_URL = "http://manifests.example/pods"
NOBODY = 65534


class SimulatedWorld:
    """
    One case's world, from its scene to its end.

    Args:
        scene: How it looks at first.
        clock: Its clock; one of its own if not given.

    Raises:
        CannotRunHere: The scene needs another user, or a fault that can't be had.
        CaseError: The scene can't be made.
    """

    def __init__(self, scene: Scene, clock: CaseClock | None = None) -> None:
        self._user = scene.user
        self._seed = scene.seed
        self._directory = self._make_directory(scene)
        self._config = replace(
            scene.config, path=self._directory.path, url=self._make_url(scene)
        )
        clock = clock or CaseClock(scene.wall_ns, scene.seed)
        self._stage = _stage(scene, self._config, clock)
        self._env = self._make_environment()
        self._followers: list[Follower] = []
        self._verbs: Mapping[str, Callable[[Any], None]] = {
            "event": lambda a: self._stage.inotify.tell_event(a["name"], a["ops"]),
            "fault": self._fault,
            "replies": self._stage.url.script,
            "api": self._stage.pods.apply,
            "answer": self._stage.answers.set,
            "jump": self._stage.clock.jump,
            "hold": lambda _: self._hold(),
            "release": lambda _: self._release(),
        }

    @property
    def env(self) -> SimulatedEnvironment:
        """Return what the implementation is given."""
        return self._env

    @property
    def config(self) -> Config:
        """Return the scene's config, with the path and the URL of this world."""
        return self._config

    @property
    def seed(self) -> int:
        """Return what permutes things at one instant; 0 keeps the natural order."""
        return self._seed

    @property
    def user(self) -> str:
        """Return whom the implementation acts as; empty: as it is."""
        return self._user

    def reached(self, at_ns: int) -> None:
        """Move the clock of the case on to where a follower is by now."""
        self._stage.clock.move_to(at_ns)

    def follow(self, follower: Follower) -> None:
        """Keep *follower* in step with the clock of the case, until its end."""
        self._followers.append(follower)

    def acting(self) -> AbstractContextManager[None]:
        """Return what the implementation runs within: the user of the scene."""
        return self._as_nobody() if self._user == "nobody" else nullcontext()

    def apply(self, verb: str, argument: Any) -> None:
        """
        Carry out a verb of the world; see :class:`pytest_podsource.world.base.World`.
        """
        if verb in self._directory.verbs:
            try:
                changes = self._directory.apply(verb, argument)
            except OSError as error:
                raise CaseError(verb, f"can't be carried out: {error}.") from error
            self._stage.inotify.tell(changes)
        elif verb in self._verbs:
            self._verbs[verb](argument)
        else:
            known = ", ".join(sorted({*self._directory.verbs, *self._verbs}))
            raise CaseError(verb, f"is no verb of a world. Known verbs: {known}.")

    def starts(self) -> None:
        """Do nothing: virtual time hasn't passed."""

    def settle(self) -> None:
        """Run until nothing is left to do at this instant."""
        self._settle()
        self._stage.clock.rest()

    def advance(self, duration_ns: int) -> None:
        """Move the clock on, stopping at whatever is due, and settle."""
        clock = self._stage.clock
        target_ns = clock.monotonic_ns() + duration_ns
        self._settle()
        while clock.monotonic_ns() < target_ns:
            due_ns = clock.next_due_ns()
            stop_ns = target_ns if due_ns is None else min(due_ns, target_ns)
            for follower in self._followers:
                stop_ns = follower.advance_to(stop_ns)
            clock.move_to(stop_ns)
            self._settle()
        clock.rest()

    def now_ns(self) -> int:
        """Return the monotonic clock of the case."""
        return self._stage.clock.monotonic_ns()

    def take(self, stream: StreamName) -> list[Seen]:
        """Return what came on *stream* since the last call, in order."""
        return self._stage.streams.take(stream)

    def close(self) -> None:
        """End the case: nothing is left on the disk."""
        self._followers.clear()
        self._directory.close()

    def _make_environment(self) -> SimulatedEnvironment:
        return SimulatedEnvironment(self._stage)

    def _make_url(self, scene: Scene) -> str:
        return scene.config.url or (MANIFEST_URL if asks_url(scene) else "")

    def _make_directory(self, scene: Scene) -> ManifestDirectory:
        if scene.user == "nobody" and os.geteuid() != 0:
            raise CannotRunHere(
                "user: nobody needs root, to become an ordinary user for the case."
            )
        try:
            return ManifestDirectory(scene)
        except OSError as error:
            reason = f"the directory can't be made: {error}."
            raise CaseError("given", reason) from error

    @contextmanager
    def _as_nobody(self) -> Iterator[None]:
        before = os.geteuid()
        os.seteuid(NOBODY)
        try:
            yield
        finally:
            os.seteuid(before)

    def _settle(self) -> None:
        clock = self._stage.clock
        while True:
            clock.run_due()
            for follower in self._followers:
                follower.settle()
            if not clock.is_due():
                return

    def _hold(self) -> None:
        self._stage.reader.hold()
        for follower in self._followers:
            follower.hold(held=True)

    def _release(self) -> None:
        self._stage.reader.release()
        for follower in self._followers:
            follower.hold(held=False)

    def _fault(self, argument: Mapping[str, Any]) -> None:
        on, error, times = argument["on"], argument["error"], argument.get("times")
        if on == "watch" and error == "overflow":
            self._stage.inotify.overflow()
        elif on == "watch":
            self._stage.watch_faults = WatchFaults(_errno("fault", error), times)
        else:
            name = argument.get("name", ".")
            self._directory.fail_reading(name, _errno("fault", error), times)


def asks_url(scene: Scene) -> bool:
    """
    Return whether *scene* needs a manifest URL.
    """
    return bool(scene.replies) or "http" in scene.config.sources


def _stage(scene: Scene, config: Config, clock: CaseClock) -> Stage:
    streams = Streams(clock.monotonic_ns)
    ends_with_move = kubelet(config.kubelet).watch_ends_with_move
    fails = _errno("given.watch", scene.watch_fails)
    return Stage(
        config=config,
        clock=clock,
        streams=streams,
        reader=Reader(clock, streams),
        inotify=InotifyModel(clock, ends_with_move=ends_with_move),
        url=ScriptedUrl(clock, scene.replies),
        pods=PodModel(clock, scene.pods, streams=scene.streams),
        answers=Answers(scene.answers),
        watch_faults=WatchFaults(fails, scene.watch_fails_times),
    )


def _errno(where: str, name: str) -> int:
    number = getattr(errno, name, None) if name else 0
    if not isinstance(number, int):
        raise CaseError(where, f"{name!r} is no error of the system, such as EMFILE.")
    return number
