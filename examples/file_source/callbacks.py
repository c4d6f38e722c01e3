"""
A file source as callbacks: list every period, and after each event of the watch.
"""

from __future__ import annotations

import os
from contextlib import suppress

from manifests import listing

from pytest_podsource import Config, Environment, SourceUpdate, WatchEvent


class FileSource:
    """
    Lists and watches one directory.
    """

    def __init__(self, config: Config, env: Environment) -> None:
        self.config = config
        self.env = env

    def start(self) -> None:
        """Send what is there, and begin to watch."""
        self.tick()
        self.cancel_watch = _nothing
        with suppress(FileNotFoundError):
            self.cancel_watch = self.env.watch(self.config.path, self.changed)

    def stop(self) -> None:
        """End."""
        self.cancel_timer()
        self.cancel_watch()

    def tick(self) -> None:
        """List, and again after the period."""
        self.cancel_timer = self.env.clock.call_later(self.config.period_ns, self.tick)
        self.send()

    def changed(self, event: WatchEvent | OSError) -> None:
        """List again; the end of the watch leaves the period."""
        if isinstance(event, OSError):
            return
        if not os.path.basename(event.path).startswith("."):
            self.send()

    def send(self) -> None:
        """Send the whole set."""
        pods = listing(self.config.path, self.config.node_name)
        self.env.send(SourceUpdate(source="file", pods=pods))


def _nothing() -> None:
    """There is no watch to cancel."""


def new_file_source(config: Config, env: Environment) -> FileSource:
    """Return a file source."""
    return FileSource(config, env)
