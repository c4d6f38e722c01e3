"""
The pods of every source, and what a message of a source changes in them.

Rule 1: sources don't see each other; each has pods of its own. Rule 2: a message is
cleaned of duplicates before anything is compared. Rule 3: a pod is recognised by its
UID (1.1: by its full name), by nothing else. Rule 4: a difference is one of spec,
labels, deletion timestamp, grace period or annotations; the kubelet's own annotations
are none. Rule 5: a differing status alone is a reconcile. Rule 6: what isn't taken over
stays as it was when the pod was added. Rule 7: incoming pods become the stored ones,
they aren't copied; outgoing ones are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_podsource.contract import Pod, SourceUpdate
from pytest_podsource.core import pods as pod_words
from pytest_podsource.core.pods import (
    LOCAL_ANNOTATIONS,
    SEEN_ANNOTATION,
    SOURCE_ANNOTATION,
)
from pytest_podsource.core.versions import Kubelet

#: What differs here makes an update, beside spec and annotations.
COMPARED_METADATA = ("labels", "deletionTimestamp", "deletionGracePeriodSeconds")

_LOCAL = frozenset(LOCAL_ANNOTATIONS)

Stored = dict[str, Pod]
Event = Callable[[Pod, str, str, str], None]
Log = Callable[..., None]


@dataclass(slots=True, kw_only=True)
class Changes:
    """
    What one message changed, by operation; the pods are the stored ones.

    Attributes:
        first_set: It was the first full set of its source.
    """

    first_set: bool = False
    removes: list[Pod] = field(default_factory=list)
    adds: list[Pod] = field(default_factory=list)
    updates: list[Pod] = field(default_factory=list)
    deletes: list[Pod] = field(default_factory=list)
    reconciles: list[Pod] = field(default_factory=list)


class PodStorage:
    """
    Keeps the pods of every source, and which sources have delivered a full set.

    Args:
        kubelet: Which kubelet to behave like.
        now: The wall clock, in nanoseconds since 1970.
        event: Records an event: pod, type, reason, message.
        log: Takes level, message and fields.
        validate: Returns what is wrong with a pod; asked only by kubelets that
            validate here.

    Kubelet: ``podStorage`` in ``pkg/kubelet/config``.
    """

    def __init__(
        self,
        kubelet: Kubelet,
        *,
        now: Callable[[], int],
        event: Event,
        log: Log,
        validate: Callable[[Pod], str | None],
    ) -> None:
        self._kubelet = kubelet
        self._now = now
        self._event = event
        self._log = log
        self._validate = validate
        self._pods: dict[str, Stored] = {}
        self._seen: set[str] = set()

    @property
    def seen(self) -> frozenset[str]:
        """
        Return the sources that have delivered a full set.
        """
        return frozenset(self._seen)

    def everything(self) -> list[Pod]:
        """
        Return the pods of all sources; one that two sources have is there twice.

        Kubelet: ``podStorage.mergedState``, up to 1.34.
        """
        return [pod for stored in self._pods.values() for pod in stored.values()]

    def merge(self, source: str, update: SourceUpdate) -> Changes:
        """
        Take in one message of *source*.

        Raises:
            ValueError: An operation other than SET, for a kubelet without them.

        Kubelet: ``podStorage.merge``.
        """
        if update.op == "SET":
            return self._replace(source, update.pods)
        if not self._kubelet.source_operations:
            raise ValueError(
                f"source {source!r}: operation {update.op!r}. Kubelet "
                f"{self._kubelet.minor} takes SET only, a source's whole set of pods."
            )
        if update.op in self._inserting():
            stored = self._pods.setdefault(source, {})
            return self._insert(source, update.pods, stored, stored)
        if update.op == "REMOVE":
            return self._remove(source, update.pods)
        self._log(
            self._kubelet.merge_log_level,
            "received an operation that a source can't send",
            source=source,
            op=update.op,
        )
        return Changes()

    def _inserting(self) -> tuple[str, ...]:
        if self._kubelet.has_delete_and_reconcile:
            return ("ADD", "UPDATE", "DELETE")
        return ("ADD", "UPDATE")

    def _replace(self, source: str, incoming: Iterable[Pod]) -> Changes:
        before = self._pods.get(source, {})
        after: Stored = {}
        changes = self._insert(source, incoming, before, after)
        changes.removes = [pod for key, pod in before.items() if key not in after]
        changes.first_set = source not in self._seen
        self._seen.add(source)
        self._pods[source] = after
        return changes

    def _remove(self, source: str, incoming: Iterable[Pod]) -> Changes:
        stored = self._pods.get(source, {})
        found = [stored.pop(self._key_of(pod), None) for pod in incoming]
        return Changes(removes=[pod for pod in found if pod is not None])

    def _insert(
        self, source: str, incoming: Iterable[Pod], before: Stored, after: Stored
    ) -> Changes:
        """Put *incoming* into *after*, compared with *before*; both may be one."""
        changes = Changes()
        key_of = self._key_of
        for pod in self._usable(source, incoming):
            key = key_of(pod)
            existing = before.get(key)
            if existing is None:
                # Over whatever the source says; a pod that is known keeps its own.
                own = {SOURCE_ANNOTATION: source, SEEN_ANNOTATION: self._first_seen()}
                pod_words.annotate(pod, own)
                after[key] = pod
                changes.adds.append(pod)
            else:
                after[key] = existing
                self._compare(existing, pod, changes)
        return changes

    @property
    def _key_of(self) -> Callable[[Pod], str]:
        return pod_words.uid if self._kubelet.pods_by_uid else pod_words.full_name

    def _first_seen(self) -> str:
        return pod_words.timestamp(
            self._now(), trims_zeros=self._kubelet.seen_trims_zeros
        )

    def _usable(self, source: str, incoming: Iterable[Pod]) -> Iterable[Pod]:
        """
        Give the pods that can be used, the first of each full name.

        Kubelet: ``filterInvalidPods``.
        """
        names: set[str] = set()
        validates = self._kubelet.merge_validates
        for pod in incoming:
            name = pod_words.full_name(pod)
            reason = self._validate(pod) if validates else None
            if reason is None and name in names:
                reason = f"another pod is named {pod_words.name(pod)!r} as well"
            if reason is None:
                names.add(name)
                yield pod
            else:
                self._drop(source, pod, reason)

    def _drop(self, source: str, pod: Pod, reason: str) -> None:
        name = pod_words.full_name(pod)
        message = f"pod {name} from {source} is left out: {reason}"
        self._log(self._kubelet.merge_log_level, message, source=source, pod=name)
        self._event(
            pod, self._kubelet.duplicates_event_type, "FailedValidation", message
        )

    def _compare(self, existing: Pod, incoming: Pod, changes: Changes) -> None:
        """
        Take *incoming* over into *existing*, and note which operation that makes.

        Kubelet: ``checkAndUpdatePod``.
        """
        if differs(existing, incoming):
            self._take_over(existing, incoming)
            deleting = _metadata(incoming).get("deletionTimestamp") is not None
            if deleting and self._kubelet.has_delete_and_reconcile:
                changes.deletes.append(existing)
            else:
                changes.updates.append(existing)
        elif self._kubelet.status_is_merged and _part(existing, "status") != _part(
            incoming, "status"
        ):
            _assign(existing, incoming, "status")
            changes.reconciles.append(existing)

    def _take_over(self, existing: Pod, incoming: Pod) -> None:
        metadata = dict(_metadata(existing))
        for key in COMPARED_METADATA:
            _assign(metadata, _metadata(incoming), key)
        if self._kubelet.generation_is_merged:
            _assign(metadata, _metadata(incoming), "generation")
        metadata["annotations"] = merged_annotations(existing, incoming)
        existing["metadata"] = metadata
        _assign(existing, incoming, "spec")
        if self._kubelet.status_is_merged:
            _assign(existing, incoming, "status")


def differs(existing: Pod, incoming: Pod) -> bool:
    """
    Return whether *incoming* is more than *existing* with another status.

    Kubelet: ``podsDifferSemantically``.
    """
    if _part(existing, "spec") != _part(incoming, "spec"):
        return True
    before, after = _metadata(existing), _metadata(incoming)
    for key in COMPARED_METADATA:
        if before.get(key) != after.get(key):
            return True
    return _foreign_annotations(existing) != _foreign_annotations(incoming)


def merged_annotations(existing: Pod, incoming: Pod) -> dict[str, str]:
    """
    Return the annotations of *incoming*, with the kubelet's own as in *existing*.

    Kubelet: ``updateAnnotations``.
    """
    own = pod_words.annotations_of(existing)
    kept = {key: own[key] for key in LOCAL_ANNOTATIONS if key in own}
    return {**pod_words.annotations_of(incoming), **kept}


def _foreign_annotations(pod: Pod) -> dict[str, str]:
    annotations = pod_words.annotations_of(pod)
    if _LOCAL.isdisjoint(annotations):
        return annotations
    return {k: v for k, v in annotations.items() if k not in _LOCAL}


def _metadata(pod: Pod) -> Mapping[str, Any]:
    return pod.get("metadata") or {}


def _part(pod: Pod, key: str) -> Mapping[str, Any]:
    # Spec and status are structs in Go: absent and {} are the same.
    return pod.get(key) or {}


def _assign(target: dict[str, Any], origin: Mapping[str, Any], key: str) -> None:
    if key in origin:
        target[key] = origin[key]
    else:
        target.pop(key, None)
