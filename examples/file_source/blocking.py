"""
A file source as a thread: wait for an event or the end of the period, and list.
"""

from __future__ import annotations

import os

from manifests import listing

from pytest_podsource import Config, Environment, SourceUpdate, threads


class FileSource:
    """
    Lists and watches one directory, in a thread that blocks.
    """

    def __init__(self, config: Config, env: Environment) -> None:
        self.config = config
        self.clock = env.clock
        self.io = threads.run(env)

    def start(self) -> None:
        """Start the thread."""
        self.io.spawn(self.run)

    def stop(self) -> None:
        """End the thread."""
        self.io.stop()

    def run(self) -> None:
        """List at once, every period, and after each event."""
        self.send()
        try:
            watch = self.io.watch(self.config.path)
        except FileNotFoundError:
            watch = None
        due_ns = self.clock.monotonic_ns() + self.config.period_ns
        while True:
            left_ns = due_ns - self.clock.monotonic_ns()
            if watch is None:
                self.io.sleep(left_ns)
                event = None
            else:
                event = watch.next_event(timeout_ns=left_ns)
            if event is None:
                due_ns += self.config.period_ns
            elif os.path.basename(event.path).startswith("."):
                continue
            self.send()

    def send(self) -> None:
        """Send the whole set."""
        pods = listing(self.config.path, self.config.node_name)
        self.io.send(SourceUpdate(source="file", pods=pods))


def new_file_source(config: Config, env: Environment) -> FileSource:
    """Return a file source."""
    return FileSource(config, env)
