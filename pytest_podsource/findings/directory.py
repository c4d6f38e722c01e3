"""
A manifest directory as a whole: which files are read, and which pods collide.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pytest_podsource.contract import Config, Pod
from pytest_podsource.core import pods as words
from pytest_podsource.core.manifest.identity import Origin
from pytest_podsource.core.versions import kubelet
from pytest_podsource.findings.finding import Finding
from pytest_podsource.findings.manifest import Verdict, check_manifest

Kind = Literal["file", "directory", "special", "missing", "not-listed", "dot-file"]

_META = frozenset("*?[\\")
_BACKUP = re.compile(
    r"(~|\.(bak|backup|old|orig|save|saved|swp|swo|tmp|rej|dpkg-\w+|rpmnew|rpmsave)"
    r"|\.(bak|old|orig)\d*|\.\d{8,}.*|\.#.*|#.*#)$|^(#.*#|4913|Copy of .*)$",
    re.IGNORECASE,
)
_KINDS = {
    "directory": ("subdirectory", "a directory is not descended into", "Move it out."),
    "special": ("special-file", "a FIFO, socket or device is never opened", ""),
    "missing": ("dangling-link", "the link leads nowhere, so it is left out", ""),
    "dot-file": ("dot-file", "its name begins with a dot, so it isn't read", ""),
    "not-listed": (
        "not-listed",
        "the kubelet doesn't find it: the directory's name is a pattern that matches others",
        "Rename the directory.",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """
    One file or name in a directory.

    Attributes:
        path: As it is named to people.
        real_path: As the kubelet has it, absolute.
        kind: What it is; of a link, what it leads to.
        data: What it holds, ``None`` if it wasn't or couldn't be read.
        error: Why it couldn't be read.
        link: Where it leads, if it is a link.
        source: Whether it is a file, or what a URL answers.
    """

    path: str
    real_path: str
    kind: Kind = "file"
    data: bytes | None = None
    error: str = ""
    link: str = ""
    source: Origin = "file"

    @property
    def name(self) -> str:
        """
        Return the last part of its path.
        """
        return posixpath.basename(self.path)


def check_directory(entries: Sequence[Entry], config: Config) -> list[Verdict]:
    """
    Return what the kubelet makes of each of *entries*, in their order.

    Args:
        entries: What lies in one directory; files that are named singly as well.
        config: Node name, kubelet and gates.
    """
    return together([check_entry(each, config) for each in entries], config)


def check_entry(entry: Entry, config: Config) -> Verdict:
    """
    Return what the kubelet makes of *entry*, whatever lies beside it.
    """
    if entry.kind != "file":
        code, message, hint = _KINDS[entry.kind]
        said = Finding(code=code, path=entry.path, message=message, hint=hint)
        return Verdict(path=entry.path, findings=(said,), is_read=False)
    if entry.data is None:
        said = Finding(code="unreadable", path=entry.path, message=entry.error)
        return Verdict(path=entry.path, findings=(said,), is_read=False)
    if entry.source == "http":
        placed = replace(config, url=entry.real_path)
        return check_manifest(entry.data, entry.path, placed, "http")
    placed = replace(config, path=entry.real_path)
    verdict = check_manifest(entry.data, entry.path, placed)
    return verdict.with_findings(*_about_name(entry, verdict))


def together(verdicts: Sequence[Verdict], config: Config) -> list[Verdict]:
    """
    Return the *verdicts* of one directory with what they are to each other.
    """
    more: dict[str, list[Finding]] = {}
    by_name = _grouped(verdicts, words.full_name)
    for name, paths in by_name.items():
        for finding in _same_pod(name, paths, config):
            more.setdefault(finding.path, []).append(finding)
    explicit = [each for each in verdicts if each.has_uid]
    for uid, paths in _grouped(explicit, words.uid).items():
        for finding in _same_uid(uid, paths):
            more.setdefault(finding.path, []).append(finding)
    return [each.with_findings(*more.get(each.path, ())) for each in verdicts]


def about_directory(path: str, *, link: str = "") -> Iterator[Finding]:
    """
    Yield what is odd about the path of a directory itself.

    Args:
        path: The path.
        link: Where it leads, if it is a link.
    """
    odd = "".join(sorted(_META & set(path)))
    if odd:
        yield Finding(
            code="glob-directory",
            path=path,
            message=f"the kubelet takes {odd!r} in the name for a pattern: its listings "
            "miss these files or find others, its watch does not",
            hint="Rename the directory.",
        )
    if link:
        yield _link(path, link)


def _about_name(entry: Entry, verdict: Verdict) -> Iterator[Finding]:
    if _BACKUP.search(entry.name):
        told = "is read like any other" if verdict.pods else "is tried at each listing"
        yield Finding(
            code="backup-file",
            path=entry.path,
            message=f"a backup or an editor's file {told}",
            hint="Keep it elsewhere, or begin its name with a dot.",
        )
    if entry.link:
        yield _link(entry.path, entry.link)


def _link(path: str, target: str) -> Finding:
    return Finding(
        code="symlink",
        path=path,
        message=f"a link to {target}: a change there is seen at the next listing only",
        hint="That is up to 20 s later (fileCheckFrequency). Use a file to be seen at once.",
    )


def _grouped(
    verdicts: Iterable[Verdict], key: Callable[[Pod], str]
) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for verdict in verdicts:
        for pod in verdict.pods:
            found.setdefault(key(pod), []).append(verdict.path)
    return {name: paths for name, paths in found.items() if len(paths) > 1}


def _same_pod(full_name: str, paths: list[str], config: Config) -> Iterator[Finding]:
    # Up to 1.1 there is no store: both are sent, and the merge keeps the first.
    version = kubelet(config.kubelet)
    ordered = sorted(paths, key=lambda path: path.encode("utf-8", "surrogateescape"))
    counts = ordered[-1] if version.file_watch else ordered[0]
    name, _, namespace = full_name.rpartition("_")
    if len(set(paths)) == 1:  # a list
        yield Finding(
            code="same-pod",
            path=paths[0],
            message=f"the list has {namespace}/{name} more than once; the first counts, "
            "the others are dropped with an event",
            hint="Keep one of them.",
        )
        return
    tail = (
        "removing either drops the pod until the next listing"
        if version.file_watch
        else "the others are dropped with an event"
    )
    for path in paths:
        others = ", ".join(posixpath.basename(each) for each in paths if each != path)
        told = (
            "and counts" if path == counts else f"{posixpath.basename(counts)} counts"
        )
        yield Finding(
            code="same-pod",
            path=path,
            field="metadata.name",
            message=f"{others} has the pod {namespace}/{name} too, {told}; {tail}",
            hint="Keep one of them here.",
        )


def _same_uid(uid: str, paths: list[str]) -> Iterator[Finding]:
    for path in dict.fromkeys(paths):
        others = ", ".join(posixpath.basename(each) for each in paths if each != path)
        yield Finding(
            code="same-uid",
            path=path,
            field="metadata.uid",
            message=f"{others or 'another pod of the list'} has the UID {uid} too: the kubelet mixes the pods up "
            "and updates one with the other at each listing",
            hint="Leave the UID away.",
        )
