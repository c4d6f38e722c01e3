"""
Reads manifests from the disk, as the kubelet's listing does.

The path of a directory is part of a pattern, in Go's syntax: a directory named ``g[1]``
lists the files of ``g1``. Special files are never opened.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from typing import BinaryIO

from pytest_podsource.core.disk import CannotList, Manifest, PathLook

#: What Go's ``filepath.Glob`` is asked for below the directory.
NOT_HIDDEN = "[^.]*"
PIECE_BYTES = 64 * 1024

_META = frozenset("*?[\\")


class RealDisk:
    """
    The disk of this machine, or of a fake file system that is patched in.
    """

    def look(self, path: str) -> PathLook:
        """
        Return what *path* is; links are followed.
        """
        try:
            mode = os.stat(path).st_mode
        except FileNotFoundError:
            return PathLook(state="missing")
        except (OSError, ValueError) as error:
            return PathLook(state="unreadable", error=str(error))
        if stat.S_ISDIR(mode):
            return PathLook(state="directory")
        return PathLook(state="file" if stat.S_ISREG(mode) else "special")

    def manifests(self, directory: str, max_bytes: int | None) -> Iterator[Manifest]:
        """
        Read the manifests of *directory*, in byte-wise order of their paths.

        Raises:
            CannotList: The directory's path is a malformed pattern.

        Kubelet: ``extractFromDir``.
        """
        pattern = os.path.join(os.path.normpath(directory), NOT_HIDDEN)
        for path in sorted(_glob(pattern), key=os.fsencode):
            look = self.look(path)
            if look.state == "file":
                yield self.read(path, max_bytes)
            else:
                yield Manifest(path=path, error=_reason(look))

    def read(self, path: str, max_bytes: int | None) -> Manifest:
        """
        Read one file; one of *max_bytes* or more is an error.

        A FIFO is an error as well; a kubelet that is told of one waits for its writer,
        and for nothing else.
        """
        try:
            if stat.S_ISFIFO(os.stat(path).st_mode):
                return Manifest(path=path, error="it is a FIFO, which isn't opened")
            with open(path, "rb") as file:
                data = _head(file, max_bytes)
        except FileNotFoundError as error:
            return Manifest(path=path, error=str(error), is_gone=True)
        except OSError as error:
            return Manifest(path=path, error=str(error))
        if max_bytes is not None and len(data) >= max_bytes:
            return Manifest(
                path=path, error=f"it reaches the limit of {max_bytes} bytes"
            )
        return Manifest(path=path, data=data)


def _head(file: BinaryIO, max_bytes: int | None) -> bytes:
    # In pieces: asked for 10 MiB at once, Python makes room for 10 MiB first.
    data = bytearray()
    while max_bytes is None or len(data) < max_bytes:
        piece = file.read(PIECE_BYTES)
        if not piece:
            break
        data += piece
    return bytes(data)


def _reason(look: PathLook) -> str:
    return {
        "missing": "it can't be examined: it leads nowhere",
        "directory": "it is a directory, which is not descended into",
        "special": "it is neither a directory nor a file",
    }.get(look.state, look.error)


def _glob(pattern: str) -> list[str]:
    """
    Return the paths that match *pattern*, as Go's ``filepath.Glob`` does.

    Raises:
        CannotList: The pattern is malformed.
    """
    matches = _matcher(pattern)
    if not _META & set(pattern):
        return [pattern] if os.path.lexists(pattern) else []
    head, tail = os.path.split(pattern)
    if not _META & set(head):
        return _names(head, tail)
    if head == pattern:
        raise CannotList(f"{pattern!r} is a malformed pattern: {matches.pattern}")
    return [path for each in _glob(head) for path in _names(each, tail)]


def _names(directory: str, pattern: str) -> list[str]:
    matches = _matcher(pattern)
    try:
        names = os.listdir(directory or ".")
    except OSError:  # the name expansion hides it, so the directory seems empty
        return []
    return [os.path.join(directory, name) for name in names if matches.fullmatch(name)]


def _matcher(pattern: str) -> re.Pattern[str]:
    """
    Return *pattern*, in Go's syntax, as a regular expression.

    Raises:
        CannotList: It is malformed.
    """
    parts = []
    position = 0
    while position < len(pattern):
        match = _TOKEN.match(pattern, position)
        if match is None or not match.group():
            raise CannotList(f"{pattern!r} is a malformed pattern")
        parts.append(_translated(match))
        position = match.end()
    return re.compile("".join(parts), re.DOTALL)


_CHAR = r"(?:\\.|[^\\\]\-])"
_TOKEN = re.compile(
    rf"(?P<star>\*)|(?P<one>\?)"
    rf"|\[(?P<not>\^?)(?P<class>{_CHAR}(?:-{_CHAR})?(?:{_CHAR}(?:-{_CHAR})?)*)\]"
    r"|\\(?P<escaped>.)|(?P<plain>[^\\\[*?])",
    re.DOTALL,
)
_RANGE = re.compile(rf"({_CHAR})(?:-({_CHAR}))?", re.DOTALL)


def _translated(match: re.Match[str]) -> str:
    if match["star"]:
        return "[^/]*"
    if match["one"]:
        return "[^/]"
    if match["class"] is None:
        return re.escape(match["escaped"] or match["plain"])
    ranges = "".join(
        _ordinal(low) + (f"-{_ordinal(high)}" if high else "")
        for low, high in _RANGE.findall(match["class"])
    )
    return f"[{'^' if match['not'] else ''}{ranges}]"


def _ordinal(char: str) -> str:
    return f"\\U{ord(char[-1]):08x}"
