"""
How late ``podsource watch`` tells a change, beside a bare inotify reader.

Both watch one directory for the same events, each in a process of its own, at the same
time. A manifest is
placed again and again; what counts is the time from the rename to the line on the other
end of the pipe. Prints both medians and their ratio.

Usage: python benchmarks/watch_lag.py [CHANGES]
"""

from __future__ import annotations

import contextlib
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from queue import Empty, Queue

BARE = """
import sys
from inotify_simple import INotify, flags
inotify = INotify()
names = "CREATE MOVED_TO MODIFY DELETE DELETE_SELF MOVED_FROM MOVE_SELF ATTRIB"
inotify.add_watch(sys.argv[1], sum(getattr(flags, name) for name in names.split()))
print("ready", flush=True)
while True:
    for event in inotify.read():
        if not event.name.startswith("."):
            print(event.name, flush=True)
"""
MANIFEST = """\
apiVersion: v1
kind: Pod
metadata: {{name: web}}
spec: {{containers: [{{name: c, image: "i:{number}"}}]}}
"""


class Reader:
    """
    A process, and when each of its lines arrived.
    """

    def __init__(self, *command: str) -> None:
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.lines: Queue[tuple[int, str]] = Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put((time.monotonic_ns(), line))

    def next(self, limit_s: float = 30) -> tuple[int, str]:
        """
        Return when the next line came, and the line.
        """
        return self.lines.get(timeout=limit_s)


def main(changes: int) -> None:
    """
    Measure *changes* changes.
    """
    with tempfile.TemporaryDirectory() as folder:
        bare = Reader(sys.executable, "-c", BARE, folder)
        watch = Reader(
            str(Path(sys.executable).with_name("podsource")),
            *("watch", folder, "--json", "--period", "1h"),
        )
        try:
            _await(bare, watch, Path(folder))
            lags = [_change(bare, watch, Path(folder), n) for n in range(changes)]
        finally:
            for reader in (bare, watch):
                reader.process.terminate()
                reader.process.wait()
    bare_ms = statistics.median(lag[0] for lag in lags) / 1e6
    watch_ms = statistics.median(lag[1] for lag in lags) / 1e6
    print(f"bare inotify reader: {bare_ms:.3f} ms, median of {changes}")
    print(f"podsource watch:     {watch_ms:.3f} ms, median of {changes}")
    print(f"ratio:               {watch_ms / bare_ms:.2f}")


def _await(bare: Reader, watch: Reader, folder: Path) -> None:
    bare.next()
    watch.next()  # the empty ADD of the first listing, which doesn't wait for the watch
    for number in itertools.count(1):
        _place(folder, -number)
        bare.next()
        with contextlib.suppress(Empty):
            while json.loads(watch.next(limit_s=0.3)[1])["op"] != "ADD":
                pass
            return


def _change(bare: Reader, watch: Reader, folder: Path, number: int) -> tuple[int, int]:
    begun_ns = _place(folder, number)
    bare_ns, _ = bare.next()
    while True:
        watch_ns, line = watch.next()
        if json.loads(line)["op"] == "REMOVE":
            break
    watch.next()
    return bare_ns - begun_ns, watch_ns - begun_ns


def _place(folder: Path, number: int) -> int:
    hidden = folder / ".web"
    hidden.write_text(MANIFEST.format(number=number))
    begun_ns = time.monotonic_ns()
    hidden.rename(folder / "web.yaml")
    return begun_ns


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
