"""
What a pod source sees of the disk: values, and the seam to what reads it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

PathState = Literal["missing", "directory", "file", "special", "unreadable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """
    One manifest file, read or not.

    Attributes:
        path: Where it is.
        data: What it holds, ``None`` if it couldn't be read.
        error: Why it couldn't be read.
        is_gone: It was there a moment ago.
    """

    path: str
    data: bytes | None = None
    error: str = ""
    is_gone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PathLook:
    """
    What a path is.

    Attributes:
        state: ``missing``, ``directory``, ``file``, ``special`` (a device, a FIFO) or
            ``unreadable`` (it can't be examined).
        error: Why it can't be examined.
    """

    state: PathState
    error: str = ""


class CannotList(Exception):
    """
    A directory that can't be listed, such as one whose name is a broken pattern.
    """


class Disk(Protocol):
    """
    Reads manifests.
    """

    def look(self, path: str) -> PathLook:
        """Return what *path* is; links are followed."""
        ...

    def manifests(self, directory: str, max_bytes: int | None) -> Iterator[Manifest]:
        """
        Read the manifests of *directory*, in byte-wise order of their paths.

        Raises:
            CannotList: The name expansion fails as a whole.
        """
        ...

    def read(self, path: str, max_bytes: int | None) -> Manifest:
        """Read one file; one of *max_bytes* or more is an error."""
        ...
