"""
``podsource watch --records``: changes of records, through a queue to a consumer.

The watcher puts each change into a queue of fifty; a thread takes them out and prints
them. While the queue is full the watcher waits: a slow reader slows the watcher down,
and nothing is lost.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from queue import Queue
from threading import Thread

import click

from pytest_podsource.cli import show
from pytest_podsource.cli.records import Change, RecordSource
from pytest_podsource.shells.env import RealEnvironment

_ROOM = 50


def watch(directory: Path, period_ns: int, *, once: bool, as_json: bool) -> None:
    """
    Print the changes of *directory*, until it is interrupted.

    Args:
        directory: Where the records are.
        period_ns: Time between two listings that no event asks for.
        once: End after the first listing.
        as_json: A JSON object a line.
    """
    if not directory.is_dir():
        raise click.UsageError(f"{directory} is not a directory of records.")
    env = RealEnvironment(lambda _: None, on_log=show.print_log)
    consumer = Consumer(_json if as_json else _text, env.stop)
    source = RecordSource(directory, env, consumer.changes.put, period_ns)
    consumer.start()
    try:
        if once:
            source.list()
        else:
            source.start()
            env.run()
    except KeyboardInterrupt:
        pass
    finally:
        source.stop()
        env.close()
        consumer.changes.put(None)
        consumer.join()


class Consumer(Thread):
    """
    Takes changes out of the queue and shows them.

    Args:
        show_change: Shows one.
        give_up: Called when nobody reads what is shown any more.

    Attributes:
        changes: The queue; ``None`` is its end.
    """

    def __init__(
        self, show_change: Callable[[Change], None], give_up: Callable[[], None]
    ) -> None:
        super().__init__(name="consumer", daemon=True)
        self.changes: Queue[Change | None] = Queue(maxsize=_ROOM)
        self._show = show_change
        self._give_up = give_up

    def run(self) -> None:
        """Show changes until the end of the queue."""
        changes = iter(self.changes.get, None)
        try:
            for change in changes:
                self._show(change)
        except BrokenPipeError:
            self._give_up()
            for _ in changes:
                pass  # go on taking, so that the watcher can end


def _text(change: Change) -> None:
    show.print_change(change.op, change.key, change.record)


def _json(change: Change) -> None:
    show.print_json({"op": change.op, "key": change.key, "record": change.record})
