"""
A file source with ``watchdog``: it lists at the start, every period, and after events.

It waits and watches by itself, so it runs in the real world:

    pytest podsource/file --podsource-impl=examples/python/watchdog_source.py \
        --podsource-world=real --podsource-time=real
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from pytest_podsource import Config, Environment, SourceUpdate

sys.path.append(str(Path(__file__).parent.parent / "file_source"))
from manifests import listing

CHANGES = {"created", "modified", "moved", "deleted"}


class FileSource(FileSystemEventHandler):
    """
    Lists one directory whenever something in it changes.
    """

    def __init__(self, config: Config, env: Environment) -> None:
        self.config, self.env = config, env
        self.wake, self.ended = threading.Event(), False
        self.observer = Observer()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def start(self) -> None:
        """Watch, if there is something to be watched, and list."""
        if Path(self.config.path).is_dir():
            self.observer.schedule(self, self.config.path)
            self.observer.start()
        self.thread.start()

    def stop(self) -> None:
        """End both threads."""
        self.ended = True
        self.wake.set()
        if self.observer.is_alive():
            self.observer.stop()
            self.observer.join(5)
        self.thread.join(5)

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Wake the thread that lists."""
        if event.event_type in CHANGES and not event.is_directory:
            self.wake.set()

    def run(self) -> None:
        """List, wait for an event or the period, list again."""
        while not self.ended:
            pods = listing(self.config.path, self.config.node_name)
            self.env.send(SourceUpdate(source="file", pods=pods))
            self.wake.wait(self.config.period_ns / 1e9)
            self.wake.clear()


def new_file_source(config: Config, env: Environment) -> FileSource:
    """Return a file source."""
    return FileSource(config, env)
