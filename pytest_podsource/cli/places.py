"""
Reads what ``check`` and ``diff`` are pointed at: directories, files, URLs.

Nothing here writes. Special files are never opened.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass

from pytest_podsource.contract import Config, Reply
from pytest_podsource.core.disk import CannotList
from pytest_podsource.core.http_exchange import HttpExchange
from pytest_podsource.core.versions import kubelet
from pytest_podsource.exceptions import UsageError
from pytest_podsource.findings.directory import Entry, Kind, about_directory
from pytest_podsource.findings.finding import Finding
from pytest_podsource.shells.files import RealDisk

_FETCH_NS = 10_000_000_000
_OK = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """
    What lies at one path.

    Attributes:
        path: The path, as it was given.
        entries: The files and other names.
        findings: What there is to say about the path itself.
    """

    path: str
    entries: tuple[Entry, ...]
    findings: tuple[Finding, ...] = ()


def is_url(path: str) -> bool:
    """
    Return whether *path* is fetched.
    """
    return path.startswith(("http://", "https://"))


def read_place(path: str, config: Config) -> Place:
    """
    Return what lies at *path*, a directory, a single file or a URL.

    Raises:
        UsageError: Nothing is there, or you may not look into it.
    """
    if is_url(path):
        body = fetch(path, config)
        answer = Entry(path=path, real_path=path, data=body, source="http")
        return Place(path=path, entries=(answer,))
    state = RealDisk().look(path)
    if state.state == "directory":
        return _directory(path, config)
    if state.state == "missing" and not os.path.islink(path):
        raise UsageError(
            f"{path} does not exist. A kubelet would go on as with an empty directory."
        )
    if state.state == "unreadable":
        raise UsageError(
            f"{path} can't be read by you: {state.error}. Change its mode."
        )
    return Place(path=path, entries=(read_entry(path, config),))


def read_entry(path: str, config: Config) -> Entry:
    """
    Return the file, or whatever is at *path*.
    """
    real = os.path.abspath(path)
    link = os.readlink(path) if os.path.islink(path) else ""
    state = RealDisk().look(path).state
    if state == "file":
        limit = kubelet(config.kubelet).max_manifest_bytes
        read = RealDisk().read(path, limit)
        return Entry(
            path=path, real_path=real, data=read.data, error=read.error, link=link
        )
    kinds: dict[str, Kind] = {"directory": "directory", "special": "special"}
    kind = kinds.get(state, "missing")
    return Entry(path=path, real_path=real, kind=kind, link=link)


def fetch(url: str, config: Config) -> bytes:
    """
    Return the body that *url* answers with, as the kubelet's client gets it.

    Raises:
        UsageError: There is none.
    """
    from pytest_podsource.shells.env import RealEnvironment  # noqa: PLC0415 - not always

    env = RealEnvironment(lambda _: None)
    told: list[Reply | OSError] = []

    def on_done(outcome: Reply | OSError) -> None:
        told.append(outcome)
        env.stop()

    limit = kubelet(config.kubelet).max_manifest_bytes
    exchange = HttpExchange(
        env, url, (), timeout_ns=_FETCH_NS, max_bytes=limit, on_done=on_done
    )
    try:
        env.clock.call_later(0, exchange.start)
        env.run()
    finally:
        env.close()
    outcome = told[0] if told else OSError("interrupted")
    if isinstance(outcome, OSError):
        raise UsageError(f"{url}: {outcome}. The kubelet keeps the pods that it had.")
    if outcome.status != _OK:
        raise UsageError(
            f"{url}: status {outcome.status}. Only 200 counts: the kubelet keeps the "
            "pods that it had."
        )
    if not outcome.body:
        raise UsageError(f"{url}: the body is empty. The kubelet removes all its pods.")
    return outcome.body


def _directory(path: str, config: Config) -> Place:
    if not os.access(path, os.R_OK | os.X_OK):
        raise UsageError(
            f"{path} can't be read by you. Become root, or change its mode."
        )
    shown = path.rstrip("/") or path
    findings = about_directory(
        os.path.abspath(path), link=os.readlink(shown) if os.path.islink(shown) else ""
    )
    return Place(
        path=path,
        entries=tuple(_entries(path, config)),
        findings=tuple(findings),
    )


def _entries(path: str, config: Config) -> Iterator[Entry]:
    listed = _listed(path) if _has_pattern(path) else None
    for name in sorted(os.listdir(path), key=os.fsencode):
        place = os.path.join(path, name)
        real = os.path.abspath(place)
        if name.startswith("."):
            if not stat.S_ISDIR(os.lstat(place).st_mode):
                yield Entry(path=place, real_path=real, kind="dot-file")
        elif listed is not None and real not in listed:
            yield Entry(path=place, real_path=real, kind="not-listed")
        else:
            yield read_entry(place, config)


def _has_pattern(path: str) -> bool:
    return bool(set("*?[\\") & set(os.path.abspath(path)))


def _listed(path: str) -> frozenset[str]:
    """Return what the kubelet's listing of *path* finds, by its own rules."""
    try:
        found = RealDisk().manifests(os.path.abspath(path), 1)
        return frozenset(each.path for each in found)
    except CannotList:
        return frozenset()
