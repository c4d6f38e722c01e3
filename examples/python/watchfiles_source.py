"""
A file source with ``watchfiles``: it lists at the start, every period, and after events.

It waits and watches by itself, so it runs in the real world:

    pytest podsource/file --podsource-impl=examples/python/watchfiles_source.py \
        --podsource-world=real --podsource-time=real
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path

from watchfiles import watch

from pytest_podsource import Config, Environment, SourceUpdate

sys.path.append(str(Path(__file__).parent.parent / "file_source"))
from manifests import listing


class FileSource:
    """
    Lists one directory whenever watchfiles says that it has changed.
    """

    def __init__(self, config: Config, env: Environment) -> None:
        self.config, self.env = config, env
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self.thread.start()

    def stop(self) -> None:
        """End it."""
        self.ended.set()
        self.thread.join(5)

    def run(self) -> None:
        """List once, and again after each batch of changes or the period."""
        self.send()
        if not Path(self.config.path).exists():
            while not self.ended.wait(self.config.period_ns / 1e9):
                self.send()
            return
        changes = watch(
            self.config.path,
            watch_filter=None,
            debounce=50,
            step=10,
            stop_event=self.ended,
            rust_timeout=max(1, self.config.period_ns // 1_000_000),
            yield_on_timeout=True,
            recursive=False,
        )
        for _ in changes:
            self.send()

    def send(self) -> None:
        """Send the whole set."""
        pods = listing(self.config.path, self.config.node_name)
        self.env.send(SourceUpdate(source="file", pods=pods))


def new_file_source(config: Config, env: Environment) -> FileSource:
    """Return a file source."""
    return FileSource(config, env)
