"""
How programs save a file, system call by system call.

Each script is what inotify shows of the real program; a test runs the program beside it
where it is installed. ``{n}`` is the name of the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

from pytest_podsource.world.directory import both, inode_of, named, unlinked
from pytest_podsource.world.inotify_model import Change

Program: TypeAlias = Literal[
    "vim",
    "vim backupcopy=yes",
    "vim backup",
    "sed -i",
    "sed -i.bak",
    "perl -pi",
    "perl -pi.bak",
    "ed",
    "cp",
    "install",
    "place",
]

_SWAP_FILE = """
open .{n}.swp
open .{n}.swx
close .{n}.swx
remove .{n}.swx
close .{n}.swp
remove .{n}.swp
open .{n}.swp
scribble .{n}.swp
chmod .{n}.swp
scribble .{n}.swp
"""
_NO_SWAP_FILE = """
close .{n}.swp
remove .{n}.swp
"""
_MAY_I_WRITE_HERE = """
open 4913
chmod 4913
close 4913
remove 4913
"""
_NEW_FILE = """
rename {n} {n}~
open {n}
fill {n}
chmod {n}
close {n}
chmod {n}
scribble .{n}.swp
"""
_TEMPORARY = """
open {t}
chmod {t}
fill {t}
close {t}
"""

SCRIPTS: Mapping[Program, str] = {
    "vim": f"{_SWAP_FILE}{_MAY_I_WRITE_HERE}{_NEW_FILE}remove {{n}}~{_NO_SWAP_FILE}",
    "vim backup": f"{_SWAP_FILE}{_MAY_I_WRITE_HERE}{_NEW_FILE}{_NO_SWAP_FILE}",
    "vim backupcopy=yes": f"""{_SWAP_FILE}
open {{n}}~
scribble {{n}}~
close {{n}}~
chmod {{n}}~
open {{n}}
fill {{n}}
chmod {{n}}
close {{n}}
scribble .{{n}}.swp
remove {{n}}~{_NO_SWAP_FILE}""",
    "sed -i": f"{_TEMPORARY}rename {{t}} {{n}}",
    "sed -i.bak": f"{_TEMPORARY}rename {{n}} {{n}}.bak\nrename {{t}} {{n}}",
    "perl -pi": f"{_TEMPORARY}rename {{t}} {{n}}",
    "perl -pi.bak": f"{_TEMPORARY}link {{n}} {{n}}.bak\nrename {{t}} {{n}}",
    "ed": "open {n}\nfill {n}\nclose {n}",
    "cp": "open {n}\nfill {n}\nclose {n}",
    "install": "remove {n}\nopen {n}\nfill {n}\nchmod {n}\nclose {n}\nchmod {n}",
    "place": "open .{n}.part\nfill .{n}.part\nclose .{n}.part\nrename .{n}.part {n}",
}
"""What each program does, a call a line; ``{t}`` is a temporary name of its own."""

_TEMPORARIES = {"sed": "sedSTQUkB", "perl": "XXZQGJ0S"}


def save(
    folder: str, program: Program, name: str, data: bytes
) -> Iterator[list[Change]]:
    """
    Save *data* as *program* does, and yield after each call what the kernel tells.

    Args:
        folder: Where the file is.
        program: One of :data:`SCRIPTS`.
        name: The file. Programs that need an old one make it if it isn't there.
        data: Its new content.
    """
    temporary = _TEMPORARIES.get(program.split(" ", maxsplit=1)[0], "")
    script = SCRIPTS[program].format(n=name, t=temporary)
    saving = _Saving(folder, data)
    try:
        for line in script.split("\n"):
            if line:
                verb, *names = line.split(" ")
                yield saving.do(verb, *(os.path.join(folder, each) for each in names))
    finally:
        saving.close_all()


class _Saving:
    """
    One program at work, with the files that it holds open.
    """

    def __init__(self, folder: str, data: bytes) -> None:
        self._data = data
        self._handles: dict[str, int] = {}

    def do(self, verb: str, path: str, other: str = "") -> list[Change]:
        changes: list[Change] = getattr(self, f"_{verb}")(
            path, *([other] * bool(other))
        )
        return changes

    def close_all(self) -> None:
        for path in list(self._handles):
            self._close(path)

    def _open(self, path: str) -> list[Change]:
        new = not os.path.exists(path)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        self._handles[path] = os.open(path, flags, 0o644)
        return named(path, "create") if new else both(path, "modify")

    def _fill(self, path: str) -> list[Change]:
        os.write(self._handles[path], self._data)
        return both(path, "modify") if self._data else []

    def _scribble(self, path: str) -> list[Change]:
        os.write(self._handles[path], b"\0")
        return both(path, "modify")

    def _chmod(self, path: str) -> list[Change]:
        os.chmod(path, 0o644)
        return both(path, "attrib")

    def _close(self, path: str) -> list[Change]:
        os.close(self._handles.pop(path))
        return []

    def _remove(self, path: str) -> list[Change]:
        if not os.path.lexists(path):
            return []
        ends = [] if path in self._handles else unlinked(path)
        os.remove(path)
        return [*ends, *named(path, "delete")]

    def _link(self, path: str, other: str) -> list[Change]:
        if not os.path.lexists(path):
            return []
        if os.path.lexists(other):
            os.remove(other)
        os.link(path, other)
        return [Change(inode_of(path), "attrib"), *named(other, "create")]

    def _rename(self, path: str, other: str) -> list[Change]:
        if not os.path.lexists(path):
            return []
        moved = inode_of(path)
        replaced = unlinked(other) if os.path.lexists(other) else []
        before = named(path, "moved_from")
        os.rename(path, other)
        return [
            *before,
            *named(other, "moved_to"),
            *replaced,
            Change(moved, "move_self"),
        ]
