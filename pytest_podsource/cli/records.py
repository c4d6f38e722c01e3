"""
A directory of records, listed and watched: what changed against the cache before.

A record is a file with one JSON object that has texts ``Namespace`` and ``Name``; its
key is ``Namespace/Name``. Files whose name starts with a dot are left out.

Rule 1: each listing makes a new cache, and is compared with the one before. Rule 2: a
file that can't be read is reported and keeps the record that it had. Rule 3: a
directory that can't be listed is reported and nothing changes. Rule 4: after each
failure of the watch it is made again, with backoff, and then listed.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_podsource.contract import SECOND_NS, Cancel, Environment, WatchEvent
from pytest_podsource.core.backoff import Backoff
from pytest_podsource.core.diff import diff_snapshots

Record = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """
    One record that was added, updated or deleted.

    Attributes:
        op: ``ADDED``, ``UPDATED`` or ``DELETED``.
        key: ``Namespace/Name``.
        record: The record, for a deleted one as it was.
    """

    op: str
    key: str
    record: Record


class UnusableRecord(Exception):
    """
    A file that holds no record.
    """


def parse_record(data: bytes) -> tuple[str, Record]:
    """
    Return the key and the record of a file's content.

    Raises:
        UnusableRecord: It is no JSON object with texts Namespace and Name.
    """
    try:
        value = json.loads(data)
    except ValueError as error:
        raise UnusableRecord(f"it isn't JSON: {error}") from None
    record: Record = value if isinstance(value, dict) else {}
    namespace, name = record.get("Namespace"), record.get("Name")
    if not (
        isinstance(namespace, str) and isinstance(name, str) and namespace and name
    ):
        raise UnusableRecord("it has no Namespace and Name. Both must be texts.")
    return f"{namespace}/{name}", record


class RecordSource:
    """
    Lists and watches a directory of records.

    Args:
        directory: Where the files are.
        env: The clock, the watch and the log are used.
        tell: Takes each change, in the order added, updated, deleted.
        period_ns: Time between two listings that no event asks for.
    """

    def __init__(
        self,
        directory: Path,
        env: Environment,
        tell: Callable[[Change], None],
        period_ns: int = 20 * SECOND_NS,
    ) -> None:
        self._directory = directory
        self._env = env
        self._tell = tell
        self._period_ns = period_ns
        self._files: dict[str, tuple[str, Record]] = {}
        self._cache: Mapping[str, Record] = {}
        self._cancels: dict[str, Cancel] = {}
        self._backoff = Backoff(
            env.clock, SECOND_NS, 20 * SECOND_NS, random=random.random
        )

    def start(self) -> None:
        """Watch, list, and go on doing so."""
        self._watch()
        self._tick()

    def stop(self) -> None:
        """End the watch and the listings."""
        for cancel in self._cancels.values():
            cancel()
        self._cancels.clear()

    def list(self) -> None:
        """List once, and tell what changed."""
        try:
            self._files = self._read_all()
        except OSError as error:
            self._report(str(self._directory), error)
            return
        new = dict(self._files[name] for name in sorted(self._files))
        old, self._cache = self._cache, new
        added, updated, deleted = diff_snapshots(old, new)
        for op, keys, of in (
            ("ADDED", added, new),
            ("UPDATED", updated, new),
            ("DELETED", deleted, old),
        ):
            for key in keys:
                self._tell(Change(op=op, key=key, record=of[key]))

    def _read_all(self) -> dict[str, tuple[str, Record]]:
        found: dict[str, tuple[str, Record]] = {}
        for path in sorted(self._directory.iterdir()):
            if path.name.startswith(".") or path.is_dir():
                continue
            try:
                found[path.name] = parse_record(path.read_bytes())
            except FileNotFoundError:
                continue  # removed since the directory was read
            except (OSError, UnusableRecord) as error:
                self._report(str(path), error)
                if path.name in self._files:
                    found[path.name] = self._files[path.name]
        return found

    def _tick(self) -> None:
        self.list()
        self._cancels["tick"] = self._env.clock.call_later(self._period_ns, self._tick)

    def _watch(self) -> None:
        try:
            self._cancels["watch"] = self._env.watch(
                str(self._directory), self._on_event
            )
        except OSError as error:
            self._retry(error)

    def _on_event(self, event: WatchEvent | OSError) -> None:
        if isinstance(event, OSError):
            self._retry(event)
        else:
            self.list()

    def _retry(self, error: OSError) -> None:
        self._report(f"watch of {self._directory}", error)
        self._backoff.next("watch", self._env.clock.monotonic_ns())
        self._cancels["watch"] = self._env.clock.call_later(
            self._backoff.get("watch"), self._watch_again
        )

    def _watch_again(self) -> None:
        self._watch()
        self.list()

    def _report(self, where: str, error: Exception) -> None:
        reason = error.strerror if isinstance(error, OSError) else None
        self._env.log("error", f"{where}: {reason or error}")
