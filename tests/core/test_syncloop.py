"""
The sync loop: which handler is called when.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pytest_podsource.contract import SECOND_NS, Operation, Pod, PodUpdate
from pytest_podsource.core.sources_ready import SourcesReady
from pytest_podsource.core.syncloop import SyncLoop
from pytest_podsource.core.versions import kubelet
from pytest_podsource.world.clock import CaseClock

MS = 1_000_000


class Bench:
    """A sync loop in virtual time, with its calls as (handler, seconds)."""

    def __init__(self, minor: str = "1.37", *, needs: Sequence[str] = ()) -> None:
        self.clock = CaseClock()
        self.calls: list[tuple[str, float]] = []
        self.logs: list[str] = []
        self.errors: str = ""
        self.asked: list[frozenset[str]] = []
        self.checks_ms: list[int] = []
        self.needs = set(needs)
        self.loop = SyncLoop(
            kubelet(minor),
            self.clock,
            handle=self._handle,
            ready=SourcesReady(self._all_ready),
            runtime_errors=self._runtime_errors,
            log=lambda level, message, **fields: self.logs.append(level),
            sync_period_ns=10 * SECOND_NS,
        )

    def _handle(self, handler: str, pods: Sequence[Pod]) -> None:
        self.calls.append((handler, self.clock.monotonic_ns() / SECOND_NS))

    def _runtime_errors(self) -> str:
        self.checks_ms.append(self.clock.monotonic_ns() // MS)
        return self.errors

    def _all_ready(self, seen: frozenset[str]) -> bool:
        self.asked.append(seen)
        return self.needs <= seen

    def deliver(self, op: Operation, source: str = "file") -> None:
        self.loop.deliver(PodUpdate(op=op, source=source, pods=()))

    def handlers(self) -> list[str]:
        return [handler for handler, _ in self.calls]


@pytest.mark.parametrize(
    ("minor", "op", "handler", "logs"),
    [
        ("1.37", "ADD", "handle_pod_additions", []),
        ("1.37", "UPDATE", "handle_pod_updates", []),
        ("1.37", "DELETE", "handle_pod_updates", []),
        ("1.37", "REMOVE", "handle_pod_removes", []),
        ("1.37", "RECONCILE", "handle_pod_reconcile", []),
        ("1.34", "SET", None, ["error"]),
        ("1.1", "REMOVE", "handle_pod_deletions", []),
        ("1.1", "SET", None, ["error"]),
        ("1.1", "DELETE", None, []),
    ],
)
def test_deliver_calls_the_handler_of_the_operation(
    minor: str, op: Operation, handler: str | None, logs: list[str]
) -> None:
    """A DELETE is an update; a SET is an error, and the loop goes on."""
    bench = Bench(minor)
    bench.loop.start()

    bench.deliver(op)
    bench.deliver("ADD")

    expected = [] if handler is None else [handler]
    assert bench.handlers() == [*expected, "handle_pod_additions"]
    assert bench.logs == logs


def test_source_is_seen_after_any_message_of_it() -> None:
    """Also after one without a handler; housekeeping starts then."""
    bench = Bench("1.34", needs=["file"])
    bench.loop.start()

    bench.clock.advance(2 * SECOND_NS)
    bench.deliver("SET")
    bench.clock.advance(2 * SECOND_NS)

    assert bench.calls == [("handle_pod_cleanups", 4)]
    assert bench.asked == [frozenset(), {"file"}]


def test_housekeeping_comes_every_2_s_until_stop() -> None:
    """At a fixed rate, and no timer is left."""
    bench = Bench()
    bench.loop.start()

    bench.clock.advance(5 * SECOND_NS)
    bench.loop.stop()
    bench.deliver("ADD")
    bench.clock.advance(10 * SECOND_NS)

    assert bench.calls == [("handle_pod_cleanups", 2), ("handle_pod_cleanups", 4)]
    assert bench.clock.next_due_ns() is None


def test_closed_channel_ends_the_loop() -> None:
    """It is logged, what comes after it isn't read, and no timer is left."""
    bench = Bench()
    bench.loop.start()

    bench.loop.deliver(None)
    bench.deliver("ADD")
    bench.clock.advance(10 * SECOND_NS)

    assert bench.calls == []
    assert bench.logs == ["error"]
    assert bench.clock.next_due_ns() is None


def test_messages_before_start_are_read_at_start() -> None:
    """The channel keeps them."""
    bench = Bench()

    bench.deliver("ADD")
    before = list(bench.calls)
    bench.loop.start()

    assert before == []
    assert bench.handlers() == ["handle_pod_additions"]


def test_failing_runtime_makes_the_loop_sleep_longer_and_longer() -> None:
    """100 ms, doubled up to 5 s; one good check and it begins anew."""
    bench = Bench()
    bench.errors = "down"
    bench.loop.start()
    bench.clock.advance(17 * SECOND_NS)

    assert bench.logs == ["error"] * 9
    assert bench.checks_ms == [0, 100, 300, 700, 1500, 3100, 6300, 11300, 16300]


def test_messages_wait_while_the_runtime_fails() -> None:
    """They are read when it is found well; then a sleep is 100 ms again."""
    bench = Bench(needs=["never"])
    bench.errors = "down"
    bench.loop.start()
    bench.deliver("ADD")
    bench.deliver("REMOVE")

    bench.clock.advance(250 * MS)
    bench.errors = ""
    bench.clock.advance(50 * MS)
    bench.errors = "down"
    bench.deliver("UPDATE")
    bench.deliver("ADD")
    bench.errors = ""
    bench.clock.advance(100 * MS)

    assert bench.calls == [
        ("handle_pod_additions", 0.3),
        ("handle_pod_removes", 0.3),
        ("handle_pod_updates", 0.3),
        ("handle_pod_additions", 0.4),
    ]


def test_housekeeping_ticks_missed_while_asleep_count_once() -> None:
    """At 6.3 s the ticks of 2, 4 and 6 s are one."""
    bench = Bench()
    bench.errors = "down"
    bench.loop.start()

    bench.clock.advance(5 * SECOND_NS)
    bench.errors = ""
    bench.clock.advance(2 * SECOND_NS)

    assert bench.calls == [("handle_pod_cleanups", 6.3)]


def test_1_1_sleeps_5_s_each_time() -> None:
    """And says so on a lower level."""
    bench = Bench("1.1")
    bench.errors = "down"
    bench.loop.start()
    bench.deliver("ADD")

    bench.clock.advance(6 * SECOND_NS)
    bench.errors = ""
    bench.clock.advance(4 * SECOND_NS)

    assert bench.calls[:1] == [("handle_pod_additions", 10)]
    assert bench.logs == ["info", "info"]


def test_1_1_cleans_up_after_an_iteration_when_2_s_have_passed() -> None:
    """The first ready iteration starts the clock; exactly 2 s is not enough."""
    bench = Bench("1.1")
    bench.loop.start()

    bench.deliver("ADD")
    bench.clock.advance(2 * SECOND_NS)
    bench.deliver("ADD")
    bench.clock.advance(1)
    bench.deliver("ADD")
    bench.clock.advance(1 * SECOND_NS)
    bench.deliver("ADD")

    assert bench.handlers() == [
        *["handle_pod_additions"] * 3,
        "handle_pod_cleanups",
        "handle_pod_additions",
    ]


def test_1_1_syncs_all_pods_once_a_period() -> None:
    """And each of these iterations may clean up, if all sources are ready."""
    bench = Bench("1.1", needs=["never"])
    bench.loop.start()

    bench.clock.advance(25 * SECOND_NS)

    assert bench.calls == [("handle_pod_syncs", 10), ("handle_pod_syncs", 20)]


def test_handler_that_delivers_is_not_overlapped() -> None:
    """One thing at a time: the second message is read when the first is done."""
    bench = Bench()
    order: list[str] = []

    def handle(handler: str, pods: Sequence[Pod]) -> None:
        order.append(f"{handler} begins")
        if handler == "handle_pod_additions":
            bench.deliver("REMOVE")
        order.append(f"{handler} ends")

    bench.loop = SyncLoop(
        kubelet("1.37"),
        bench.clock,
        handle=handle,
        ready=SourcesReady(lambda seen: False),
        runtime_errors=lambda: None,
        log=lambda level, message, **fields: None,
        sync_period_ns=SECOND_NS,
    )
    bench.loop.start()

    bench.deliver("ADD")

    assert order == [
        "handle_pod_additions begins",
        "handle_pod_additions ends",
        "handle_pod_removes begins",
        "handle_pod_removes ends",
    ]
