"""
The dialogue with programs, written down as JSON lines.

Rule 1: each line is one ``write`` to a file that is opened to append, so that several
workers can share it. Rule 2: what is no JSON is kept as text.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

Sender = Literal["suite", "adapter"]


class Trace:
    """
    A file that the dialogue is appended to.

    Args:
        path: The file.

    Raises:
        OSError: It can't be written.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab", buffering=0)
        self.case = ""

    def note(self, sender: Sender, pid: int, line: bytes) -> None:
        """
        Write down one *line* between the suite and the process *pid*.
        """
        entry: dict[str, Any] = {"case": self.case, "pid": pid, "from": sender}
        try:
            entry["message"] = json.loads(line)
        except ValueError:
            entry["text"] = line.decode(errors="replace")
        self._file.write(json.dumps(entry, separators=(",", ":")).encode() + b"\n")

    def close(self) -> None:
        """Close the file."""
        self._file.close()
