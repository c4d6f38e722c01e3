"""
The contract between the suite and an implementation under test.

An implementation is a module or an object that offers any of the factories of
:class:`Implementation`. Everything that touches the world goes through the
:class:`Environment` that each factory is given. Durations and times are ``int``
nanoseconds; a pod is a plain ``dict`` in the Kubernetes JSON form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

Pod: TypeAlias = dict[str, Any]
Operation: TypeAlias = Literal["SET", "ADD", "UPDATE", "REMOVE", "DELETE", "RECONCILE"]
Cancel: TypeAlias = Callable[[], None]
LogLevel: TypeAlias = Literal["error", "warning", "info"]

SECOND_NS = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceUpdate:
    """
    What a pod source sends to PodConfig: with ``SET``, its whole set of pods.

    Attributes:
        source: ``"file"``, ``"http"`` or ``"api"``.
        pods: The pods; the order means something for URL lists only.
        op: ``SET``; the other operations enter PodConfig only up to 1.34.

    Kubelet: ``sourceUpdate``, up to 1.34 a ``PodUpdate``, in ``pkg/kubelet/config``.
    """

    source: str
    pods: tuple[Pod, ...]
    op: Operation = "SET"


@dataclass(frozen=True, slots=True, kw_only=True)
class PodUpdate:
    """
    What PodConfig sends to the sync loop: one operation and its pods.

    Kubelet: ``PodUpdate`` in ``pkg/kubelet/types``.
    """

    op: Operation
    source: str
    pods: tuple[Pod, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchEvent:
    """
    One event of a watched path, in fsnotify's words.

    Attributes:
        path: The path that changed, below or equal to the watched one.
        ops: Any of ``create``, ``write``, ``remove``, ``rename``, ``chmod``.
    """

    path: str
    ops: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """
    The answer of a manifest URL: status, headers in order, and the whole body.
    """

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


class Refused(Exception):
    """
    A manifest, flag or configuration that can't be used.

    Args:
        reason: Why, for people.
        parsed: True if it was a pod (list), but one that can't be used; then a URL
            source doesn't try it as a list.
    """

    def __init__(self, reason: str, parsed: bool = False) -> None:  # noqa: FBT001, FBT002 - the contract
        super().__init__(reason, parsed)
        self.reason = reason
        self.parsed = parsed

    def __str__(self) -> str:
        return self.reason


class ServerStatus(OSError):
    """
    An HTTP status with which the apiserver refused a list or a watch.

    Attributes:
        status: The status, such as 500.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(status, message)
        self.status = status


class Clock(Protocol):
    """
    One time axis; wall = monotonic + an offset that only the step ``jump`` moves.
    """

    def now_ns(self) -> int:
        """Return the wall clock, in nanoseconds since 1970."""
        ...

    def monotonic_ns(self) -> int:
        """Return the monotonic clock; it starts at 0 in every case."""
        ...

    def call_later(self, delay_ns: int, callback: Callable[[], None]) -> Cancel:
        """Call *callback* after *delay_ns*; the result cancels that."""
        ...


class Environment(Protocol):
    """
    All that touches the world, in callbacks; nothing blocks, one thing at a time.
    """

    @property
    def clock(self) -> Clock:
        """Return the clock of this case."""
        ...

    def send(
        self,
        update: SourceUpdate | PodUpdate,
        taken: Callable[[], None] | None = None,
    ) -> None:
        """Send *update* on; *taken* is called when the reader has accepted it."""
        ...

    def watch(
        self, path: str, on_event: Callable[[WatchEvent | OSError], None]
    ) -> Cancel:
        """
        Watch *path*, not recursively; the watch ends with an ``OSError``.

        Raises:
            OSError: At once, if the watch can't be made.
        """
        ...

    def fetch(
        self,
        url: str,
        headers: Sequence[tuple[str, str]],
        timeout_ns: int,
        on_done: Callable[[Reply | OSError], None],
    ) -> Cancel:
        """
        GET *url* once; *timeout_ns* is for all of it, 0 for no limit.

        The reply is told as it came: to follow a redirect, which is one more fetch, or
        to unpack a body is the caller's.
        """
        ...

    def list_pods(
        self,
        on_done: Callable[[dict[str, Any] | OSError], None],
        resource_version: str = "",
    ) -> Cancel:
        """
        List the pods of this node; *on_done* gets a PodList.

        Args:
            on_done: Is told the list, or why there is none; ``status`` of the error is
                the apiserver's answer, if it gave one.
            resource_version: The list is at least as new; empty for the newest one.
        """
        ...

    def watch_pods(
        self,
        resource_version: str,
        on_event: Callable[[dict[str, Any] | OSError | None], None],
        *,
        initial: bool = False,
    ) -> Cancel:
        """
        Watch the pods of this node.

        Args:
            resource_version: Events after it are told.
            on_event: Is told each event. ``None`` is the end of the watch; an
                ``OSError`` says that it couldn't be opened, as for a list.
            initial: The pods that are there come first, as ``ADDED``, up to a bookmark
                with the annotation ``k8s.io/initial-events-end``. An apiserver that
                can't do that tells the event ``ERROR`` with a ``Status``.
        """
        ...

    def ask(self, question: str, *args: Any) -> Any:
        """
        Ask the rest of the kubelet.

        Args:
            question: ``node_has_synced``, ``seen_all_sources``, ``all_ready`` or
                ``runtime_errors``.
            args: What belongs to the question.
        """
        ...

    def handle(self, handler: str, pods: Sequence[Pod]) -> None:
        """Call a handler of the sync loop, such as ``handle_pod_additions``."""
        ...

    def event(self, pod: Pod, type_: str, reason: str, message: str) -> None:
        """Record a Kubernetes event about *pod*."""
        ...

    def log(self, level: LogLevel, message: str, **fields: Any) -> None:
        """Log *message*."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """
    What a factory is told; each reads what concerns it.

    Attributes:
        kubelet: The kubelet to behave like, as major.minor.
        node_name: The node's name.
        path: The manifest directory or file; also the path hashed into UIDs.
        period_ns: Time between two listings, or from one GET's end to the next.
        url: The manifest URL.
        headers: Headers of each GET, several values a name in order.
        sources: The names of the sources that PodConfig or readiness waits for.
        mode: ``incremental``, ``snapshot`` or ``snapshot-and-updates``.
        initial_ns: First delay of a backoff.
        max_ns: Cap of a backoff.
        jitter_factor: Share of a delay that is drawn at random on top.
        expires_after_ns: Custom expiry of a backoff: idle for more than that.
        sync_period_ns: The kubelet's ``syncFrequency``.
        gates: Feature gates that differ from their default.
    """

    kubelet: str = "1.37"
    node_name: str = "node1"
    path: str = ""
    period_ns: int = 20 * SECOND_NS
    url: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    sources: tuple[str, ...] = ()
    mode: str = "incremental"
    initial_ns: int = 0
    max_ns: int = 0
    jitter_factor: float = 0.0
    expires_after_ns: int | None = None
    sync_period_ns: int = 60 * SECOND_NS
    gates: Mapping[str, bool] = field(default_factory=dict)


class Source(Protocol):
    """
    A pod source, or all of them with PodConfig; both may be ``async def``.
    """

    def start(self) -> None:
        """Begin to list, watch or fetch."""
        ...

    def stop(self) -> None:
        """End, and leave nothing running."""
        ...


class Backoff(Protocol):
    """
    client-go's Backoff; event times are on ``clock.monotonic_ns``, may be negative.
    """

    def next(self, id_: str, event_ns: int) -> None:
        """Move *id_* on to its next delay."""
        ...

    def get(self, id_: str) -> int:
        """Return the delay of *id_* in nanoseconds, 0 if unknown."""
        ...

    def reset(self, id_: str) -> None:
        """Forget *id_*."""
        ...

    def delete_entry(self, id_: str) -> None:
        """Forget *id_*."""
        ...

    def gc(self) -> None:
        """Forget what has expired."""
        ...

    def is_in_backoff_since(self, id_: str, event_ns: int) -> bool:
        """Return whether now is less than the delay after *event_ns*."""
        ...

    def is_in_backoff_since_update(self, id_: str, event_ns: int) -> bool:
        """Return whether *event_ns* is less than the delay after the last next."""
        ...


class PodConfig(Protocol):
    """
    Takes the sets of all sources, sends operations through ``env.send``.
    """

    def channel(self, source: str) -> Callable[..., None]:
        """Return ``(update, taken=None)`` of *source*; an empty name raises."""
        ...

    def seen_all_sources(self, seen: frozenset[str]) -> bool:
        """Return whether every configured source has delivered and is in *seen*."""
        ...

    def sync(self) -> None:
        """Send one SET with the pods of all sources; up to 1.34."""
        ...


class SourcesReady(Protocol):
    """
    Collects the names that the sync loop has seen.
    """

    def add_source(self, source: str) -> None:
        """Note *source* as seen."""
        ...

    def all_ready(self) -> bool:
        """Ask ``seen_all_sources`` with the names so far."""
        ...


class SyncLoop(Protocol):
    """
    Hands operations to handlers; started it ticks on ``env.clock``.
    """

    def start(self) -> None:
        """Begin to tick."""
        ...

    def stop(self) -> None:
        """End."""
        ...

    def deliver(self, update: PodUpdate | None) -> None:
        """Take *update* from the channel; ``None``: the channel is closed."""
        ...


class Implementation(Protocol):
    """
    The factories; every one is optional, a lacking component is *unsupported*.
    """

    def new_backoff(self, config: Config, env: Environment) -> Backoff:
        """Return a backoff of ``initial_ns``, ``max_ns`` and ``jitter_factor``."""
        ...

    def diff_snapshots(
        self, old: Mapping[str, Any], new: Mapping[str, Any]
    ) -> tuple[list[str], list[str], list[str]]:
        """Return the keys added, updated and removed."""
        ...

    def decode_manifest(self, data: bytes, config: Config) -> Pod:
        """Return the pod of one manifest; raises :class:`Refused`."""
        ...

    def decode_manifest_list(self, data: bytes, config: Config) -> list[Pod]:
        """Return the pods of a PodList; raises :class:`Refused`."""
        ...

    def new_file_source(self, config: Config, env: Environment) -> Source:
        """Return a source of the files at ``path``."""
        ...

    def new_http_source(self, config: Config, env: Environment) -> Source:
        """Return a source of the manifest at ``url``."""
        ...

    def new_apiserver_source(self, config: Config, env: Environment) -> Source:
        """Return a source of the pods bound to ``node_name``."""
        ...

    def new_pod_config(self, config: Config, env: Environment) -> PodConfig:
        """Return the merge of ``sources``."""
        ...

    def new_sources_ready(self, config: Config, env: Environment) -> SourcesReady:
        """Return the readiness of ``sources``."""
        ...

    def new_pod_sources(self, config: Config, env: Environment) -> Source:
        """
        Return file, http, api and PodConfig as one; sends PodUpdates.

        Which of them: those of ``sources``; where that is empty, file if there is a
        ``path`` and http if there is a ``url``.
        """
        ...

    def new_sync_loop(self, config: Config, env: Environment) -> SyncLoop:
        """Return the sync loop."""
        ...

    def parse_flags(self, argv: Sequence[str], config: Config) -> dict[str, Any]:
        """Return the settings of a command line; raises :class:`Refused`."""
        ...

    def parse_config(self, data: bytes, config: Config) -> dict[str, Any]:
        """Return the settings of a configuration file; raises :class:`Refused`."""
        ...
