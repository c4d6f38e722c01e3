"""
Small merges, each wrong in one way that people got wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from pytest_podsource.contract import (
    Config,
    Environment,
    Operation,
    Pod,
    PodUpdate,
    SourceUpdate,
)
from tests.miniature import Miniature

Pods = dict[str, Pod]
Operations = dict[Operation, list[Pod]]


class Merge:
    """
    Tells what each set of a source changes, by UID.
    """

    order: tuple[Operation, ...] = ("REMOVE", "ADD", "UPDATE", "DELETE", "RECONCILE")

    def __init__(self, config: Config, env: Environment) -> None:
        self.env = env
        self.stored: dict[str, Pods] = {}
        self.seen: set[str] = set()

    def channel(self, source: str) -> Callable[..., None]:
        self.stored.setdefault(source, {})
        return partial(self.take, source)

    def take(
        self, source: str, update: SourceUpdate, taken: Callable[[], None] | None = None
    ) -> None:
        before = self.before(source)
        after = {self.key(pod): pod for pod in self.usable(update.pods)}
        self.stored[source] = after
        found = self.changes(before, after)
        for op in self.order:
            if found[op] or (op == "ADD" and self.is_first(source, found)):
                self.env.send(PodUpdate(op=op, source=source, pods=tuple(found[op])))
        self.seen.add(source)
        if taken is not None:
            taken()

    def before(self, source: str) -> Pods:
        return self.stored[source]

    def key(self, pod: Pod) -> str:
        return str(pod["metadata"]["uid"])

    def usable(self, pods: tuple[Pod, ...]) -> list[Pod]:
        found: Pods = {}
        for pod in pods:
            if pod is not found.setdefault(pod["metadata"]["name"], pod):
                self.env.event(pod, "Warning", "FailedValidation", "the name is taken")
        return list(found.values())

    def changes(self, before: Pods, after: Pods) -> Operations:
        found: Operations = {op: [] for op in self.order}
        found["REMOVE"] = [pod for key, pod in before.items() if key not in after]
        for key, pod in after.items():
            if key not in before:
                found["ADD"].append(pod)
            elif (op := self.change(before[key], pod)) is not None:
                found[op].append(pod)
        return found

    def change(self, before: Pod, after: Pod) -> Operation | None:
        if {**before, "status": None} == {**after, "status": None}:
            return None if before.get("status") == after.get("status") else "RECONCILE"
        return "DELETE" if "deletionTimestamp" in after["metadata"] else "UPDATE"

    def is_first(self, source: str, found: Operations) -> bool:
        return source not in self.seen and not (found["UPDATE"] or found["DELETE"])

    def seen_all_sources(self, seen: frozenset[str]) -> bool:
        return self.stored.keys() <= seen & self.seen


class RemovesWhatIsBeingDeleted(Merge):
    """R57: a deletion timestamp is taken for the end, so there is no grace."""

    def changes(self, before: Pods, after: Pods) -> Operations:
        found = super().changes(before, after)
        found["REMOVE"] += found["DELETE"]
        found["DELETE"] = []
        return found


class SaysNothingOfAnEmptySource(Merge):
    """R61: the kubelet never cleans up, for it waits for the first message."""

    def is_first(self, source: str, found: Operations) -> bool:
        return False


class KnowsPodsByName(Merge):
    """R63: a pod made anew under its old name is updated, so the old one runs on."""

    def key(self, pod: Pod) -> str:
        return str(pod["metadata"]["name"])


class AddsBeforeItRemoves(Merge):
    """R16: the new pod starts while the old one still runs."""

    order = ("ADD", "UPDATE", "DELETE", "REMOVE", "RECONCILE")


class AddsEverythingAgain(Merge):
    """R15: an identical manifest restarts its pod."""

    def before(self, source: str) -> Pods:
        return {}


class LetsTheLastDuplicateWin(Merge):
    """R01: a dict by name, in which the last of two pods stays, in silence."""

    def usable(self, pods: tuple[Pod, ...]) -> list[Pod]:
        return list({pod["metadata"]["name"]: pod for pod in pods}.values())


class IsReadyWithTheFirstSource(Merge):
    """R68: what the other sources would bring is cleaned up."""

    def seen_all_sources(self, seen: frozenset[str]) -> bool:
        return bool(self.seen)


class KnowsPodsOfAllSources(Merge):
    """One store for all sources: what one lacks is removed from another."""

    def before(self, source: str) -> Pods:
        return {key: pod for pods in self.stored.values() for key, pod in pods.items()}


class UpdatesForAStatus(Merge):
    """R57: the pod's own status comes back as a change of the pod."""

    def change(self, before: Pod, after: Pod) -> Operation | None:
        return "UPDATE" if super().change(before, after) else None


def leaves_the_namespace_out(
    old: Mapping[str, Any], new: Mapping[str, Any]
) -> tuple[list[str], list[str], list[str]]:
    """Keys are cut to their names, so two namespaces share a pod."""
    before, after = ({key.split("/")[-1] for key in keys} for keys in (old, new))
    return sorted(after - before), [], sorted(before - after)


_merges = partial(Miniature, offers="new_pod_config")

MINIATURES = (
    _merges(
        made=RemovesWhatIsBeingDeleted,
        case="podconfig/a-deletion-timestamp-makes-a-delete",
        fact="CONFIG-30",
    ),
    _merges(
        made=SaysNothingOfAnEmptySource,
        case="podconfig/first-empty-set-gives-an-empty-add",
        fact="CONFIG-18",
    ),
    _merges(
        made=KnowsPodsByName,
        case="podconfig/another-uid-is-another-pod",
        fact="CONFIG-23",
    ),
    _merges(
        made=AddsBeforeItRemoves, case="podconfig/order-of-operations", fact="CONFIG-15"
    ),
    _merges(
        made=AddsEverythingAgain,
        case="podconfig/an-equal-set-gives-nothing",
        fact="CONFIG-20",
    ),
    _merges(
        made=LetsTheLastDuplicateWin,
        case="podconfig/of-equal-names-the-first-is-kept",
        fact="CONFIG-39",
    ),
    _merges(
        made=IsReadyWithTheFirstSource,
        case="podconfig/seen-needs-every-source-and-every-name",
        fact="CONFIG-56",
    ),
    _merges(
        made=KnowsPodsOfAllSources,
        case="podconfig/sources-dont-see-each-other",
        fact="CONFIG-44",
    ),
    _merges(
        made=UpdatesForAStatus,
        case="podconfig/a-status-alone-is-a-reconcile",
        fact="CONFIG-33",
    ),
    Miniature(
        made=leaves_the_namespace_out,
        offers="diff_snapshots",
        case="diff/records-with-one-name-in-two-namespaces",
        fact="CONFIG-23",
    ),
)
