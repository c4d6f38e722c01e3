"""
The environment of a simulated world: callbacks, streams, and nothing that blocks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_podsource.contract import (
    Cancel,
    Clock,
    Config,
    LogLevel,
    Pod,
    PodUpdate,
    Reply,
    SourceUpdate,
    WatchEvent,
)
from pytest_podsource.world.apiserver import PodModel
from pytest_podsource.world.clock import CaseClock
from pytest_podsource.world.inotify_model import InotifyModel
from pytest_podsource.world.replies import ScriptedUrl
from pytest_podsource.world.streams import Reader, Streams

ANSWERS: Mapping[str, Any] = {
    "node_has_synced": True,
    "seen_all_sources": True,
    "all_ready": True,
    "runtime_errors": [],
}
"""What the rest of the kubelet answers where a scene doesn't say."""


class Answers:
    """
    What the rest of the kubelet answers, by question.
    """

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self._answers = {**ANSWERS, **answers}

    def set(self, answers: Mapping[str, Any]) -> None:
        """Answer with *answers* from now on."""
        self._answers.update(answers)

    def ask(self, question: str, *args: Any) -> Any:
        """
        Return the answer; ``{"needs": names}`` is true for all of those names.

        Raises:
            LookupError: Nobody knows the question.
        """
        if question not in self._answers:
            known = ", ".join(sorted(self._answers))
            raise LookupError(f"{question!r} is no question. Known questions: {known}.")
        answer = self._answers[question]
        if isinstance(answer, Mapping) and "needs" in answer:
            return set(answer["needs"]) <= set(args[0] if args else ())
        return answer


class WatchFaults:
    """
    How often, and how, a new watch fails.
    """

    def __init__(self, error: int, times: int | None) -> None:
        self._error = error
        self._times = times

    def check(self) -> None:
        """
        Let a new watch pass.

        Raises:
            OSError: It fails, as ordered.
        """
        if not self._error or self._times == 0:
            return
        if self._times is not None:
            self._times -= 1
        raise OSError(self._error, os.strerror(self._error))


@dataclass(slots=True, kw_only=True)
class Stage:
    """
    What stands behind an environment, and what the verbs of a world change.
    """

    config: Config
    clock: CaseClock
    streams: Streams
    reader: Reader
    inotify: InotifyModel
    url: ScriptedUrl
    pods: PodModel
    answers: Answers
    watch_faults: WatchFaults


class SimulatedEnvironment:
    """
    What an implementation is given in a simulated world: callbacks, in virtual time.
    """

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    @property
    def clock(self) -> Clock:
        """Return the clock of this case."""
        return self._stage.clock

    def send(
        self,
        update: SourceUpdate | PodUpdate,
        taken: Callable[[], None] | None = None,
    ) -> None:
        """Send *update* to the reader; *taken* is called when it has accepted it."""
        if not isinstance(update, (SourceUpdate, PodUpdate)):
            raise TypeError(
                f"env.send was given {update!r}. A source sends a SourceUpdate, "
                "PodConfig a PodUpdate, both of pytest_podsource."
            )
        self._stage.reader.send(update, taken)

    def watch(
        self, path: str, on_event: Callable[[WatchEvent | OSError], None]
    ) -> Cancel:
        """
        Watch *path*; the model of inotify tells events.

        Raises:
            FileNotFoundError: It doesn't exist; that is no attempt, and isn't noted.
            OSError: As the case orders.
        """
        self._attempt_watch(path)
        return self._stage.inotify.add(path, on_event)

    def fetch(
        self,
        url: str,
        headers: Sequence[tuple[str, str]],
        timeout_ns: int,
        on_done: Callable[[Reply | OSError], None],
    ) -> Cancel:
        """GET *url*: the next scripted reply, in virtual time."""
        self._stage.streams.note("requests", {"url": url, "headers": tuple(headers)})
        return self._stage.url.fetch(timeout_ns, on_done)

    def list_pods(
        self,
        on_done: Callable[[dict[str, Any] | OSError], None],
        resource_version: str = "",
    ) -> Cancel:
        """List the pods of the model."""
        asked = {"list": self._selector(), "resource_version": resource_version}
        self._stage.streams.note("requests", asked)
        return self._stage.pods.list_pods(on_done, resource_version)

    def watch_pods(
        self,
        resource_version: str,
        on_event: Callable[[dict[str, Any] | OSError | None], None],
        *,
        initial: bool = False,
    ) -> Cancel:
        """Watch the pods of the model."""
        pods = self._stage.pods
        if initial and not pods.streams:
            return pods.refuse_to_stream(on_event)
        self._stage.streams.note(
            "requests",
            {
                "watch": self._selector(),
                "resource_version": resource_version,
                "initial": initial,
            },
        )
        return pods.watch_pods(resource_version, on_event, initial=initial)

    def ask(self, question: str, *args: Any) -> Any:
        """Ask the rest of the kubelet, which answers as the case says."""
        return self._stage.answers.ask(question, *args)

    def handle(self, handler: str, pods: Sequence[Pod]) -> None:
        """Note the call of a handler."""
        self._stage.streams.note("calls", {"handler": handler, "pods": tuple(pods)})

    def event(self, pod: Pod, type_: str, reason: str, message: str) -> None:
        """Note a Kubernetes event."""
        event = {"type": type_, "reason": reason, "pod": pod, "message": message}
        self._stage.streams.note("events", event)

    def log(self, level: LogLevel, message: str, **fields: Any) -> None:
        """Note a line of the log."""
        entry = {**fields, "level": level, "message": message}
        self._stage.streams.note("logs", entry)

    def _attempt_watch(self, path: str) -> None:
        os.stat(path)
        self._stage.streams.note("watches", {"path": path})
        self._stage.watch_faults.check()

    def _selector(self) -> str:
        return f"spec.nodeName={self._stage.config.node_name}"
