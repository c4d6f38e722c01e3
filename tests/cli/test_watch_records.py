"""
``podsource watch --records``: a directory of records against the cache before.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from click.testing import CliRunner

from pytest_podsource.cli import commands
from pytest_podsource.cli.records import (
    Change,
    RecordSource,
    UnusableRecord,
    parse_record,
)
from pytest_podsource.cli.watch_records import Consumer
from pytest_podsource.contract import SECOND_NS, Cancel, Environment, WatchEvent
from pytest_podsource.world.clock import CaseClock
from tests.cli.watching import APART, Watching


def record(name: str, desc: str = "x", namespace: str = "ns") -> str:
    return json.dumps({"Namespace": namespace, "Name": name, "Desc": desc})


class Env:
    """
    Virtual time, a watch that can be told to fail, and the log.
    """

    def __init__(self, watch_fails: int = 0) -> None:
        self.clock = CaseClock()
        self.logs: list[str] = []
        self.watches: list[int] = []
        self.on_event: Callable[[WatchEvent | OSError], None] | None = None
        self._watch_fails = watch_fails

    def watch(
        self, path: str, on_event: Callable[[WatchEvent | OSError], None]
    ) -> Cancel:
        self.watches.append(self.clock.monotonic_ns() // SECOND_NS)
        if len(self.watches) <= self._watch_fails:
            raise OSError(errno.EMFILE, "Too many open files")
        self.on_event = on_event
        return lambda: None

    def log(self, level: str, message: str, **fields: Any) -> None:
        self.logs.append(message)


def source_of(directory: Path, env: Env) -> tuple[RecordSource, list[str]]:
    told: list[str] = []

    def tell(change: Change) -> None:
        told.append(f"{change.op} {change.key} {change.record['Desc']}")

    return RecordSource(directory, cast("Environment", env), tell), told


def test_listing_is_compared_with_the_one_before(tmp_path: Path) -> None:
    """Added, updated and deleted, by namespace and name, whatever the extension."""
    (tmp_path / "one.json").write_text(record("a"))
    (tmp_path / "two.txt").write_text(record("b"))
    (tmp_path / "three").write_text(record("a", namespace="other"))
    source, told = source_of(tmp_path, Env())
    source.list()
    first, told[:] = list(told), []

    (tmp_path / "one.json").write_text(record("a", "y"))
    (tmp_path / "two.txt").unlink()
    (tmp_path / "four").write_text(record("c"))
    source.list()

    assert first == ["ADDED ns/a x", "ADDED ns/b x", "ADDED other/a x"]
    assert told == ["ADDED ns/c x", "UPDATED ns/a y", "DELETED ns/b x"]


def test_file_that_cannot_be_read_keeps_its_record(tmp_path: Path) -> None:
    """It is reported; what it held last stays until it is gone or good again."""
    (tmp_path / "one").write_text(record("a"))
    env = Env()
    source, told = source_of(tmp_path, env)
    source.list()

    (tmp_path / "one").write_text("{ half")
    source.list()
    (tmp_path / "one").unlink()
    source.list()

    assert told == ["ADDED ns/a x", "DELETED ns/a x"]
    assert [log.split(": ")[:2] for log in env.logs] == [
        [f"{tmp_path}/one", "it isn't JSON"]
    ]


def test_directory_that_is_gone_changes_nothing(tmp_path: Path) -> None:
    """A mount that went away is no deletion of everything."""
    folder = tmp_path / "records"
    folder.mkdir()
    (folder / "one").write_text(record("a"))
    env = Env()
    source, told = source_of(folder, env)
    source.list()

    folder.rename(tmp_path / "away")
    source.list()

    assert told == ["ADDED ns/a x"]
    assert env.logs == [f"{folder}: No such file or directory"]


def test_event_and_tick_list_again(tmp_path: Path) -> None:
    """An event is seen at once, what it missed after a period."""
    env = Env()
    source, told = source_of(tmp_path, env)
    source.start()
    (tmp_path / "one").write_text(record("a"))
    assert env.on_event is not None
    env.on_event(WatchEvent(path=str(tmp_path / "one"), ops=frozenset({"create"})))
    seen, told[:] = list(told), []

    (tmp_path / "two").write_text(record("b"))
    env.clock.advance(20 * SECOND_NS)

    assert seen == ["ADDED ns/a x"]
    assert told == ["ADDED ns/b x"]


def test_watch_that_fails_is_tried_again_with_backoff(tmp_path: Path) -> None:
    """After 1, 2, 4, 8, 16, 20 and 20 seconds."""
    env = Env(watch_fails=8)
    source, _ = source_of(tmp_path, env)

    source.start()
    env.clock.advance(71 * SECOND_NS)

    assert env.watches == [0, 1, 3, 7, 15, 31, 51, 71]
    assert env.logs[0] == f"watch of {tmp_path}: Too many open files"


def test_watch_that_ends_is_made_again_and_nothing_is_lost(tmp_path: Path) -> None:
    """What changed while nobody watched is seen when it is watched again."""
    env = Env()
    source, told = source_of(tmp_path, env)
    source.start()
    assert env.on_event is not None

    env.on_event(OSError(errno.EIO, "Input/output error"))
    (tmp_path / "one").write_text(record("a"))
    env.clock.advance(SECOND_NS)

    assert env.watches == [0, 1]
    assert told == ["ADDED ns/a x"]


def test_stop_ends_ticks_and_retries(tmp_path: Path) -> None:
    """Nothing is planned afterwards."""
    env = Env(watch_fails=1)
    source, _ = source_of(tmp_path, env)
    source.start()

    source.stop()

    assert env.clock.next_due_ns() is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{}",
        b'{"Namespace": "a"}',
        b'{"Namespace": 1, "Name": "b"}',
        b"\xff",
    ],
)
def test_data_that_is_no_record_is_refused(data: bytes) -> None:
    """Both names are texts, and not empty."""
    with pytest.raises(UnusableRecord):
        parse_record(data)


def test_queue_is_bounded_and_keeps_the_order() -> None:
    """Fifty changes fit; the watcher waits for room, and all come in order."""
    shown: list[str] = []
    consumer = Consumer(lambda change: shown.append(change.key), lambda: None)
    assert consumer.changes.maxsize == 50

    consumer.start()
    for number in range(200):
        consumer.changes.put(Change(op="ADDED", key=str(number), record={}))
    consumer.changes.put(None)
    consumer.join(20)
    assert not consumer.is_alive()

    assert shown == [str(number) for number in range(200)]


def test_reader_that_goes_away_ends_the_watch() -> None:
    """The watcher is told, and never waits for a queue that nobody empties."""
    ended: list[bool] = []

    def broken(change: Change) -> None:
        raise BrokenPipeError

    consumer = Consumer(broken, lambda: ended.append(True))
    consumer.start()
    for number in range(200):
        consumer.changes.put(Change(op="ADDED", key=str(number), record={}))
    consumer.changes.put(None)
    consumer.join(20)
    assert not consumer.is_alive()

    assert ended == [True]


def test_once_prints_the_records(tmp_path: Path) -> None:
    """A line for each, and what can't be read on standard error."""
    (tmp_path / "one").write_text(record("a"))
    (tmp_path / "two").write_text("rubbish")

    result = CliRunner(**APART).invoke(
        commands, ["watch", "--records", "--once", str(tmp_path)]
    )

    assert result.stdout == 'ADDED    ns/a  {"Desc": "x"}\n'
    assert f"error: {tmp_path}/two: it isn't JSON" in result.stderr


def test_changes_come_as_they_happen(tmp_path: Path) -> None:
    """On a real directory, through the kernel's events."""
    with Watching("--records", "--period=1h", tmp_path) as watching:
        lines = []
        for desc in ("x", "y"):
            part = tmp_path / ".part"
            part.write_text(record("a", desc))
            part.rename(tmp_path / "one")
            lines.append(watching.next())
        (tmp_path / "one").unlink()
        lines.append(watching.next())

    assert [line["op"] for line in lines] == ["ADDED", "UPDATED", "DELETED"]
    assert {line["key"] for line in lines} == {"ns/a"}
