"""
``podsource watch`` and ``run`` in a process of its own, and what it prints.
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from inspect import signature
from itertools import count
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any

from click.testing import CliRunner

from pytest_podsource.doubles.manifests import ManifestDirectory, manifest

# click before 8.2 puts both streams into one unless it is told not to.
APART: dict[str, Any] = (
    {"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}
)
LIMIT_S = 20.0
COMMAND = Path(sys.executable).with_name("podsource")


class Watching:
    """
    A running ``podsource watch --json``; use it in a with statement.

    Args:
        arguments: Its arguments.
        command: The command, if it is another one.
    """

    def __init__(self, *arguments: object, command: str = "watch") -> None:
        self._process = subprocess.Popen(
            [COMMAND, command, "--json", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._lines: Queue[str] = Queue()
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def next(self, limit_s: float = LIMIT_S) -> dict[str, Any]:
        """
        Return the next line's object; wait for it as long as it takes.

        Raises:
            Empty: Nothing came in time.
        """
        found: dict[str, Any] = json.loads(self._lines.get(timeout=limit_s))
        return found

    def await_watch(self, directory: ManifestDirectory) -> None:
        """Return when events come: the first listing doesn't wait for the watch."""
        for image in map(str, count()):
            directory.place("probe.yaml", manifest("probe", image=image))
            with suppress(Empty):
                self.next(limit_s=0.1)
                break
        directory.remove("probe.yaml")
        while self.told() != f"REMOVE probe:{image}":
            pass

    def told(self) -> str:
        """Return the next operation in short: ``ADD a:1 b:1``, pod and image."""
        line = self.next()
        pods = sorted(
            f"{pod['metadata']['name'].removesuffix('-node1')}"
            f":{pod['spec']['containers'][0]['image']}"
            for pod in line["pods"]
        )
        return " ".join([line["op"], *pods])

    def __enter__(self) -> Watching:  # noqa: PYI034 - Self is new in 3.11
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(LIMIT_S)
        self._reader.join(LIMIT_S)
        for pipe in (self._process.stdout, self._process.stderr):
            assert pipe is not None
            pipe.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
