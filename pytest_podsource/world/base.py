"""
What every world offers to the runner.

A world is made for one case and thrown away after it. It has the environment that the
implementation is given, carries out the verbs of the steps, and keeps what was seen in
streams. It never judges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from pytest_podsource.contract import Config, Pod
from pytest_podsource.driver.base import Host

StreamName = Literal["expect", "requests", "watches", "calls", "events", "logs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """
    One entry of a stream.

    Attributes:
        at_ns: When, in nanoseconds of the case's monotonic clock.
        value: ``expect``: a ``SourceUpdate`` or ``PodUpdate``. ``requests``:
            ``{"url", "headers"}``, ``{"list": selector}`` or ``{"watch": selector}``.
            ``watches``: ``{"path"}``. ``calls``: ``{"handler", "pods"}``. ``events``:
            ``{"type", "reason", "pod", "message"}``. ``logs``: ``{"level", "message"}``
            and its fields.
    """

    at_ns: int
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedReply:
    """
    What the manifest URL answers, or how it fails.

    Attributes:
        status: HTTP status.
        headers: Headers in order.
        body: The body.
        delay_ns: Time from the request to the end of the answer.
        cut_at: The connection ends after so many bytes of the body.
        error: ``refused``, ``reset``, ``dns`` or ``tls`` instead of an answer.
    """

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    delay_ns: int = 0
    cut_at: int | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """
    How a world looks before the first step; contents are bytes by now.

    Attributes:
        config: What the factories are told; the world fills in ``path`` and ``url``.
        files: Contents by name, relative to the manifest directory.
        dir: ``exists``, ``missing``, ``file`` (the path is one file) or ``symlink``.
        user: ``nobody`` for an ordinary user, empty for the present one.
        replies: What the manifest URL answers, in order; the last one repeats.
        pods: What the apiserver has.
        streams: It can begin a watch with what it has.
        answers: What ``env.ask`` answers, by question; ``{"needs": [names]}`` is true
            when the names asked with are all of those.
        watch_fails: Error name such as ``EMFILE`` for new watches, empty for none.
        watch_fails_times: How often, ``None`` for ever.
        wall_ns: The wall clock at the start.
        seed: Permutes what happens at one instant; 0 keeps the natural order.
        length_ns: How far the steps move the clock on, all together.
    """

    config: Config
    files: Mapping[str, bytes] = field(default_factory=dict)
    dir: Literal["exists", "missing", "file", "symlink"] = "exists"
    user: str = ""
    replies: Sequence[ScriptedReply] = ()
    pods: Sequence[Pod] = ()
    streams: bool = False
    answers: Mapping[str, Any] = field(default_factory=dict)
    watch_fails: str = ""
    watch_fails_times: int | None = None
    wall_ns: int = 1_704_067_200_000_000_000
    seed: int = 0
    length_ns: int = 0


class World(Host, Protocol):
    """
    One case's world, from its scene to its end.
    """

    @property
    def config(self) -> Config:
        """Return the scene's config, with the path and the URL of this world."""
        ...

    def apply(self, verb: str, argument: Any) -> None:
        """
        Carry out a verb of the world: files, replies, api, answers, faults, reader.

        Args:
            verb: ``write``, ``append``, ``place``, ``rename``, ``remove``, ``mkdir``,
                ``touch``, ``symlink``, ``hardlink``, ``chmod``, ``event``, ``fault``,
                ``replies``, ``api``, ``answer``, ``jump``, ``hold`` or ``release``.
            argument: As in the grammar, with contents as bytes, replies as
                :class:`ScriptedReply`, pods as dicts and durations in nanoseconds.

        Raises:
            CaseError: The verb can't be carried out here.
        """
        ...

    def starts(self) -> None:
        """Note that the implementation starts now, and with it its timers."""
        ...

    def settle(self) -> None:
        """
        Run until nothing is left to do at this instant.

        Raises:
            Spins: 1,000 wake-ups at one instant.
            DriverError: Idleness can't be known.
        """
        ...

    def advance(self, duration_ns: int) -> None:
        """Move the clock on, stopping at whatever is due, and settle."""
        ...

    def now_ns(self) -> int:
        """Return the monotonic clock of the case."""
        ...

    def take(self, stream: StreamName) -> list[Seen]:
        """Return what came on *stream* since the last call, in order."""
        ...

    def close(self) -> None:
        """End the case: nothing runs on, nothing is left on the disk."""
        ...
