"""
A file source that was never written for this: a thread, ``time.sleep``, no watch.

The four lines at the end adapt it. Run it with ``--podsource-time=patched``.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from manifests import listing

from pytest_podsource import Config, Environment, SourceUpdate


class Poller:
    """
    Calls *on_pods* with the pods of a directory, again and again.
    """

    def __init__(
        self, path: str, node: str, seconds: float, on_pods: Callable[..., Any]
    ) -> None:
        self.path, self.node, self.seconds = path, node, seconds
        self.on_pods = on_pods
        self.ended = False
        self.thread = threading.Thread(target=self.run)

    def start(self) -> None:
        """Start the thread."""
        self.thread.start()

    def stop(self) -> None:
        """Let the thread end after its sleep."""
        self.ended = True

    def run(self) -> None:
        """List, sleep, list again."""
        while not self.ended:
            self.on_pods(listing(self.path, self.node))
            time.sleep(self.seconds)  # noqa: TID251 - that is the point


def new_file_source(config: Config, env: Environment) -> Poller:
    """Return the poller, which sends what it finds."""

    def send(pods: tuple[dict[str, Any], ...]) -> None:
        env.send(SourceUpdate(source="file", pods=pods))

    return Poller(config.path, config.node_name, config.period_ns / 1e9, send)
