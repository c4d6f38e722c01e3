"""
Small backoffs, readiness and loops, each wrong in one way that people got wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import ClassVar

from pytest_podsource.contract import SECOND_NS, Config, Environment, PodUpdate
from tests.miniature import Miniature


class Delays:
    """
    Delays that double up to a cap, and start over after twice the cap.
    """

    def __init__(self, config: Config, env: Environment) -> None:
        self.config = config
        self.clock = env.clock
        self.delays: dict[str, int] = {}
        self.updated: dict[str, int] = {}

    def next(self, id_: str, event_ns: int) -> None:
        passed_ns = event_ns - self.updated.get(id_, event_ns)
        if id_ in self.delays and passed_ns <= self.lifetime_ns():
            self.delays[id_] = self.capped(2 * self.delays[id_])
        else:
            self.delays[id_] = self.config.initial_ns
        self.updated[id_] = self.clock.monotonic_ns()

    def get(self, id_: str) -> int:
        return self.delays.get(id_, 0)

    def lifetime_ns(self) -> float:
        return 2 * self.config.max_ns

    def capped(self, delay_ns: int) -> int:
        return min(delay_ns, self.config.max_ns)


class WrapsAtTheCap(Delays):
    """R71: at the maximum the delays start over, in the middle of the trouble."""

    def capped(self, delay_ns: int) -> int:
        return delay_ns if delay_ns <= self.config.max_ns else self.config.initial_ns


class NeverStartsOver(Delays):
    """R70: one bad hour makes each later failure wait for the maximum."""

    def lifetime_ns(self) -> float:
        return float("inf")


class StartsOverAfterTheCap(Delays):
    """R70: whoever fails once in a cap's time is never backed off."""

    def lifetime_ns(self) -> float:
        return self.config.max_ns


class Ready:
    """
    Collects the sources that were seen, and asks whether those are all.
    """

    def __init__(self, config: Config, env: Environment) -> None:
        self.env = env
        self.seen: list[str] = []

    def add_source(self, source: str) -> None:
        self.seen.append(source)

    def all_ready(self) -> bool:
        return bool(self.env.ask("seen_all_sources", frozenset(self.seen)))


class CountsMessages(Ready):
    """R68: two messages of one source are taken for two sources."""

    def all_ready(self) -> bool:
        return len(self.seen) >= 2


class Loop:
    """
    Hands operations to handlers, and cleans up every two seconds once all is ready.
    """

    handlers: ClassVar[Mapping[str, str]] = {
        "ADD": "handle_pod_additions",
        "UPDATE": "handle_pod_updates",
        "DELETE": "handle_pod_updates",
        "REMOVE": "handle_pod_removes",
        "RECONCILE": "handle_pod_reconcile",
    }

    def __init__(self, config: Config, env: Environment) -> None:
        self.env = env
        self.seen: set[str] = set()

    def start(self) -> None:
        self.env.clock.call_later(2 * SECOND_NS, self.tick)

    def deliver(self, update: PodUpdate | None) -> None:
        if update is not None:
            self.env.handle(self.handlers[update.op], update.pods)
            self.seen.add(update.source)

    def tick(self) -> None:
        self.env.clock.call_later(2 * SECOND_NS, self.tick)
        if self.is_ready():
            self.env.handle("handle_pod_cleanups", ())

    def is_ready(self) -> bool:
        return bool(self.env.ask("all_ready", frozenset(self.seen)))


class SendsDeletionsToRemoves(Loop):
    """R74: a pod that is being deleted is gone before its grace period has begun."""

    handlers: ClassVar[Mapping[str, str]] = {
        **Loop.handlers,
        "DELETE": "handle_pod_removes",
    }


class CleansUpTooEarly(Loop):
    """R68: after a restart all pods of a source that is still silent are killed."""

    def is_ready(self) -> bool:
        return bool(self.seen)


class ForgetsEmptySources(Loop):
    """R61: a source without pods isn't noted, so nothing is ever cleaned up."""

    def deliver(self, update: PodUpdate | None) -> None:
        if update is None or update.pods:
            super().deliver(update)


_delays = partial(Miniature, offers="new_backoff")
_loops = partial(Miniature, offers="new_sync_loop")

MINIATURES = (
    _delays(
        made=WrapsAtTheCap, case="backoff/stays-at-the-cap:watch", fact="BACKOFF-03"
    ),
    _delays(
        made=NeverStartsOver,
        case="backoff/starts-over-after-twice-the-cap:one-second-more",
        fact="BACKOFF-04",
    ),
    _delays(
        made=StartsOverAfterTheCap,
        case="backoff/idle-at-the-cap-stays-at-the-cap",
        fact="BACKOFF-16",
    ),
    Miniature(
        made=CountsMessages,
        offers="new_sources_ready",
        case="ready/twice-one-source-is-not-two",
        fact="CONFIG-59",
    ),
    _loops(
        made=SendsDeletionsToRemoves,
        case="syncloop/delete-goes-to-updates",
        fact="SYNC-07",
    ),
    _loops(
        made=CleansUpTooEarly,
        case="syncloop/one-silent-source-holds-housekeeping",
        fact="SYNC-21",
    ),
    _loops(
        made=ForgetsEmptySources,
        case="syncloop/an-empty-add-calls-additions",
        fact="SYNC-11",
    ),
)
