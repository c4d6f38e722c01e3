"""
PodConfig: the sets of all sources go in, operations come out.

Rule 1: one merge sends REMOVE, ADD, UPDATE, DELETE, then the empty ADD that says that a
source without pods has been seen, then RECONCILE; each at most once, with the source's
name. Rule 2: equal sets give nothing. Rule 3: a source is seen from the merge of its
first full set on, before anybody has read what came of it. Rule 4: what a reader gets
are copies. Rule 5: the two snapshot modes send one SET of all sources instead of what
they don't tell singly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pytest_podsource.contract import Operation, Pod, PodUpdate, SourceUpdate
from pytest_podsource.core.merge import Changes, Event, Log, PodStorage
from pytest_podsource.core.mux import Channel, Mux, Send
from pytest_podsource.core.pods import copies
from pytest_podsource.core.versions import Kubelet

#: The source of a SET that ``sync`` asked for.
ALL_SOURCES = "*"

INCREMENTAL = "incremental"
SNAPSHOT = "snapshot"
SNAPSHOT_AND_UPDATES = "snapshot-and-updates"


def _no_fault(pod: Pod) -> str | None:
    return None


class PodConfig:
    """
    Merges the sets of several sources into one stream of operations.

    Args:
        kubelet: Which kubelet to behave like.
        mode: ``incremental``, ``snapshot`` or ``snapshot-and-updates``.
        now: The wall clock, in nanoseconds since 1970.
        send: Hands one operation to the reader; its second argument is called when
            the reader has taken it.
        event: Records an event: pod, type, reason, message.
        log: Takes level, message and fields.
        sources: The names of the sources that are configured from the start.
        validate: Returns what is wrong with a pod; asked by 1.1 only.

    Raises:
        ValueError: A notification mode, for a kubelet without them.

    Kubelet: ``PodConfig`` in ``pkg/kubelet/config``.
    """

    def __init__(
        self,
        kubelet: Kubelet,
        mode: str = INCREMENTAL,
        *,
        now: Callable[[], int],
        send: Send,
        event: Event,
        log: Log,
        sources: Iterable[str] = (),
        validate: Callable[[Pod], str | None] = _no_fault,
    ) -> None:
        if mode != INCREMENTAL and not kubelet.notification_modes:
            raise ValueError(
                f"mode {mode!r}: kubelet {kubelet.minor} has no notification modes. "
                f"It always works as {INCREMENTAL!r}."
            )
        self._kubelet = kubelet
        self._mode = mode
        self._log = log
        self._storage = PodStorage(
            kubelet, now=now, event=event, log=log, validate=validate
        )
        self._mux = Mux(send)
        self._channels: dict[str, Channel] = {}
        for source in sources:
            self.channel(source)

    def channel(self, source: str) -> Channel:
        """
        Return the channel of *source*, the same each time; it counts as configured.

        The result takes ``(update, taken=None)``; *taken* is called when the source's
        listener has accepted the message.

        Raises:
            ValueError: The name is empty.

        Kubelet: ``PodConfig.Channel``.
        """
        if not source:
            raise ValueError("a source's name is empty. Use file, http or api.")
        if source not in self._channels:
            self._channels[source] = self._mux.listen(
                lambda update: self._merge(source, update)
            )
        return self._channels[source]

    def seen_all_sources(self, seen: frozenset[str]) -> bool:
        """
        Return whether every configured source has delivered a full set.

        Args:
            seen: The names that the caller has seen; all must be in it (not in 1.1).

        Kubelet: ``PodConfig.SeenAllSources``.
        """
        configured = self._channels.keys()
        if self._kubelet.seen_needs_loop and not configured <= seen:
            return False
        return configured <= self._storage.seen

    def sync(self) -> None:
        """
        Send one SET with the pods of all sources, as source ``*``.

        Kubelet: ``PodConfig.Sync``, up to 1.34.
        """
        self._mux.run_locked(lambda: [self._snapshot(ALL_SOURCES)])

    def _merge(self, source: str, update: SourceUpdate) -> list[PodUpdate]:
        changes = self._storage.merge(source, update)
        if not self._kubelet.first_set_is_told:
            changes.first_set = False
        if self._mode == INCREMENTAL:
            return self._incremental(source, changes)
        if self._mode == SNAPSHOT:
            return self._snapshots(source, changes)
        if self._mode == SNAPSHOT_AND_UPDATES:
            return self._snapshots_and_updates(source, changes)
        return self._without_mode()

    def _without_mode(self) -> list[PodUpdate]:
        reason = (
            f"mode {self._mode!r} is not a notification mode. Known modes: "
            f"{INCREMENTAL}, {SNAPSHOT}, {SNAPSHOT_AND_UPDATES}."
        )
        if self._kubelet.panics_end_it:
            raise ValueError(reason)
        self._log("error", reason)
        return []

    def _incremental(self, source: str, changes: Changes) -> list[PodUpdate]:
        outputs = [
            *self._told("REMOVE", source, changes.removes),
            *self._told("ADD", source, changes.adds),
            *self._told("UPDATE", source, changes.updates),
            *self._told("DELETE", source, changes.deletes),
        ]
        if changes.first_set and not (
            changes.adds or changes.updates or changes.deletes
        ):
            outputs.append(PodUpdate(op="ADD", source=source, pods=()))
        return [*outputs, *self._told("RECONCILE", source, changes.reconciles)]

    def _snapshots(self, source: str, changes: Changes) -> list[PodUpdate]:
        if changes.updates or changes.deletes or _adds_or_removes(changes):
            return [self._snapshot(source)]
        return []

    def _snapshots_and_updates(self, source: str, changes: Changes) -> list[PodUpdate]:
        snapshot = [self._snapshot(source)] if _adds_or_removes(changes) else []
        singly = [
            *self._told("UPDATE", source, changes.updates),
            *self._told("DELETE", source, changes.deletes),
        ]
        if self._kubelet.snapshot_comes_first:
            return snapshot + singly
        return singly + snapshot

    def _told(self, op: Operation, source: str, pods: list[Pod]) -> list[PodUpdate]:
        if not pods:
            return []
        delivered = copies(pods) if self._kubelet.copies_pods else tuple(pods)
        return [PodUpdate(op=op, source=source, pods=delivered)]

    def _snapshot(self, source: str) -> PodUpdate:
        everything = copies(self._storage.everything())
        return PodUpdate(op="SET", source=source, pods=everything)


def _adds_or_removes(changes: Changes) -> bool:
    return bool(changes.adds or changes.removes or changes.first_set)
