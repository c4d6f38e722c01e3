"""
An edit of manifests: the operations that a kubelet emits, and which pods restart.

Rule 1: the answer is that of the first listing after the edit. Rule 2: pods and their
order of merging are the core's; nothing is compared here but to tell why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from pytest_podsource.contract import Config, Operation, Pod, SourceUpdate
from pytest_podsource.core import pods as words
from pytest_podsource.core.manifest.defaults import containers
from pytest_podsource.core.manifest.identity import Origin
from pytest_podsource.core.merge import Changes, PodStorage
from pytest_podsource.core.pods import copies
from pytest_podsource.core.versions import Kubelet, kubelet
from pytest_podsource.findings.directory import together
from pytest_podsource.findings.finding import Finding
from pytest_podsource.findings.manifest import Verdict, check_manifest

Fate = Literal["starts", "stops", "restarts", "containers-restart", "stays", "unseen"]

#: From here on only name and image of a container count for its restart.
_NARROW_HASH = ("1.34", "1.36", "1.37")
_OWN = ("config.hash", "config.seen", "config.source", "config.mirror")
_MOST_FIELDS = 4
_TELLING = frozenset({"refused", "same-pod", "same-uid"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Restart:
    """
    What becomes of one pod.

    Attributes:
        pod: ``namespace/name``.
        fate: ``starts``, ``stops``, ``restarts``, ``containers-restart`` (in place),
            ``stays``, or ``unseen``: the kubelet doesn't notice the edit.
        operations: What the kubelet emits about it, in order.
        why: The reason, for people.
        fields: The fields that differ.
    """

    pod: str
    fate: Fate
    operations: tuple[Operation, ...]
    why: str
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """
    What an edit leads to.

    Attributes:
        operations: Each with its pods, in the order in which they come.
        pods: What becomes of each pod, by name.
        findings: What the new manifests are refused for, and pods that get mixed up.
    """

    operations: tuple[tuple[Operation, tuple[Pod, ...]], ...]
    pods: tuple[Restart, ...]
    findings: tuple[Finding, ...]

    @property
    def refused(self) -> bool:
        """
        Return whether a new manifest is refused.
        """
        return _refused(self.findings)

    @property
    def is_certain(self) -> bool:
        """
        Return whether it is the same each time; with two pods of one UID it isn't.
        """
        return all(each.code != "same-uid" for each in self.findings)

    @property
    def restarts(self) -> bool:
        """
        Return whether any pod stops, starts or has a container restarted.
        """
        return any(each.fate not in ("stays", "unseen") for each in self.pods)


def edit_of(
    old: Mapping[str, bytes],
    new: Mapping[str, bytes],
    config: Config,
    source: Origin = "file",
) -> Edit:
    """
    Return what becomes of the pods when *old* turns into *new*.

    Args:
        old: The manifests by their paths, as the kubelet has them.
        new: The same afterwards.
        config: Node name, kubelet and gates; ``url`` for a URL.
        source: Where they are from.
    """
    before, told_before = _pods(old, config, source)
    after, told = _pods(new, config, source)
    unusable, refused = _refused(told_before), _refused(told)
    if refused and source == "http":
        after = before  # a URL's pods stay until it answers with something usable
    version = kubelet(config.kubelet)
    storage = PodStorage(
        version,
        now=lambda: 0,
        event=lambda *_: None,
        log=lambda *_, **__: None,
        validate=lambda _: None,
    )
    if source == "file" or not unusable:  # else nobody has heard of the URL yet
        storage.merge(source, SourceUpdate(source=source, pods=copies(before)))
    changes = storage.merge(source, SourceUpdate(source=source, pods=copies(after)))
    if refused and source == "http" and unusable:
        changes = Changes()
    operations = tuple(_operations(changes, version))
    fates = _fates(before, after, operations, _Moves(old, new, config))
    mixed = [each for each in told_before if each.code == "same-uid"]
    return Edit(operations=operations, pods=tuple(fates), findings=(*mixed, *told))


def _refused(findings: Sequence[Finding]) -> bool:
    return any(each.level == "refused" for each in findings)


def _pods(
    manifests: Mapping[str, bytes], config: Config, source: Origin
) -> tuple[list[Pod], tuple[Finding, ...]]:
    """Return the pods of a listing, in its order, and what was refused."""
    verdicts = [
        check_manifest(
            manifests[path],
            path,
            replace(config, path=path) if source == "file" else config,
            source,
        )
        for path in sorted(manifests, key=lambda each: each.encode())
    ]
    pods = [pod for verdict in verdicts for pod in verdict.pods]
    if source == "file" and kubelet(config.kubelet).file_watch:
        pods = list({words.full_name(pod): pod for pod in pods}.values())
    return pods, tuple(_telling(together(verdicts, config)))


def _telling(verdicts: Sequence[Verdict]) -> Iterator[Finding]:
    for verdict in verdicts:
        yield from (each for each in verdict.findings if each.code in _TELLING)


def _operations(
    changes: Changes, version: Kubelet
) -> Iterator[tuple[Operation, tuple[Pod, ...]]]:
    told: tuple[tuple[Operation, list[Pod]], ...] = (
        ("REMOVE", changes.removes),
        ("ADD", changes.adds),
        ("UPDATE", changes.updates),
        ("DELETE", changes.deletes),
        ("RECONCILE", changes.reconciles),
    )
    is_silent = not (changes.adds or changes.updates or changes.deletes)
    tells_first = changes.first_set and is_silent and version.first_set_is_told
    for operation, pods in told:
        if operation == "RECONCILE" and tells_first:
            yield "ADD", ()
        if pods:
            yield operation, tuple(pods)


class _Moves:
    """
    What the places of the manifests have to do with a new UID.
    """

    def __init__(
        self, old: Mapping[str, bytes], new: Mapping[str, bytes], config: Config
    ) -> None:
        self.differ = old.keys() != new.keys()
        version = kubelet(config.kubelet)
        self.path_counts = version.uid_of_origin
        self.narrow_hash = version.minor in _NARROW_HASH
        self.by_uid = version.pods_by_uid


def _fates(
    before: Sequence[Pod],
    after: Sequence[Pod],
    operations: Sequence[tuple[Operation, tuple[Pod, ...]]],
    moves: _Moves,
) -> Iterator[Restart]:
    was = {_shown(pod): pod for pod in before}
    will = {_shown(pod): pod for pod in after}
    for name in sorted(was.keys() | will.keys()):
        told = tuple(
            operation
            for operation, pods in operations
            if name in {_shown(pod) for pod in pods}
        )
        yield _fate(name, was.get(name), will.get(name), told, moves)


def _fate(
    name: str,
    was: Pod | None,
    will: Pod | None,
    told: tuple[Operation, ...],
    moves: _Moves,
) -> Restart:
    if was is None or will is None:
        return _one_sided(name, told, is_new=was is None)
    fields = tuple(differing(was, will))
    shown = _shown_fields(fields)
    if "REMOVE" in told and "ADD" in told:
        why = f"its UID is made anew: {shown}" if fields else _moved(moves)
        return Restart(
            pod=name, fate="restarts", operations=told, why=why, fields=fields
        )
    if "UPDATE" in told or "DELETE" in told:
        return _in_place((was, will), told, fields, moves)
    if "RECONCILE" in told:
        why = f"only its status differs: {shown}"
    elif fields:
        why = f"the kubelet doesn't compare {shown}"
    else:
        why = "nothing that counts differs"
    return Restart(pod=name, fate="stays", operations=told, why=why, fields=fields)


def _moved(moves: _Moves) -> str:
    if moves.differ and moves.path_counts:
        return "its UID is made anew: the manifest's file is another one"
    return "its UID is another one"


def _one_sided(name: str, told: tuple[Operation, ...], *, is_new: bool) -> Restart:
    if not told:
        why = "its UID was known: another name or namespace alone isn't noticed"
        return Restart(pod=name, fate="unseen", operations=told, why=why)
    if is_new:
        return Restart(
            pod=name, fate="starts", operations=told, why="it wasn't there before"
        )
    why = "no manifest makes it any more"
    return Restart(pod=name, fate="stops", operations=told, why=why)


def _in_place(
    both: tuple[Pod, Pod],
    told: tuple[Operation, ...],
    fields: tuple[str, ...],
    moves: _Moves,
) -> Restart:
    name, shown = _shown(both[0]), _shown_fields(fields)
    if "DELETE" in told:
        why = f"it is told to end: {shown}"
        return Restart(pod=name, fate="stops", operations=told, why=why, fields=fields)
    changed = _containers_that_restart(*both, narrow=moves.narrow_hash)
    known = "its UID stays" if moves.by_uid else "its name stays"
    if changed:
        why = f"{known}; these containers restart in place: {', '.join(changed)}"
        return Restart(
            pod=name,
            fate="containers-restart",
            operations=told,
            why=f"{why} ({shown})",
            fields=fields,
        )
    why = f"{known}, and no container has to restart: {shown}"
    return Restart(pod=name, fate="stays", operations=told, why=why, fields=fields)


def _containers_that_restart(was: Pod, will: Pod, *, narrow: bool) -> list[str]:
    """
    Return the names of the containers whose hash differs, or that come or go.

    Kubelet: ``HashContainer`` in ``pkg/kubelet/container``.
    """
    old, new = _by_name(was, narrow=narrow), _by_name(will, narrow=narrow)
    if was["spec"].get("hostNetwork") != will["spec"].get("hostNetwork"):
        return sorted(new)  # the sandbox is made anew
    return sorted(n for n in old.keys() | new.keys() if old.get(n) != new.get(n))


def _by_name(pod: Pod, *, narrow: bool) -> dict[str, Any]:
    found = {}
    for each in containers(pod["spec"], ("containers",)):
        found[each["name"]] = (each["name"], each.get("image")) if narrow else each
    return found


def differing(was: Any, will: Any, path: str = "") -> Iterator[str]:
    """
    Yield the paths of the fields that differ between two pods.

    What the kubelet makes by itself, such as a generated UID and its hash, isn't told.
    """
    if isinstance(was, dict) and isinstance(will, dict):
        for name in sorted({*was, *will}, key=str):
            place = _below(path, name)
            if place not in _MADE:
                yield from differing(was.get(name), will.get(name), place)
    elif isinstance(was, list) and isinstance(will, list) and len(was) == len(will):
        for index, (one, other) in enumerate(zip(was, will, strict=True)):
            yield from differing(one, other, f"{path}[{index}]")
    elif was != will:
        yield path


_MADE = frozenset(
    {
        "metadata.uid",
        "metadata.selfLink",
        *(f"metadata.annotations[kubernetes.io/{each}]" for each in _OWN),
    }
)


def _below(path: str, name: str) -> str:
    if path in ("metadata.labels", "metadata.annotations", "spec.nodeSelector"):
        return f"{path}[{name}]"
    return f"{path}.{name}" if path else name


def _shown_fields(fields: Sequence[str]) -> str:
    shown = ", ".join(fields[:_MOST_FIELDS])
    more = len(fields) - _MOST_FIELDS
    return f"{shown} and {more} more" if more > 0 else shown


def _shown(pod: Pod) -> str:
    return f"{words.namespace(pod)}/{words.name(pod)}"
