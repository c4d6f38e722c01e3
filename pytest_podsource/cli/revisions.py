"""
Manifests as they were at a revision of git. Only reads, and asks nothing of a remote.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from pytest_podsource.exceptions import UsageError

_TIMEOUT_S = 30


def manifests_at(revision: str, path: str) -> dict[str, bytes]:
    """
    Return the files of *path* as they were at *revision*, by their names.

    Args:
        revision: Whatever git takes for one: ``HEAD~1``, a tag, a hash.
        path: A file or directory of a working tree.

    Raises:
        UsageError: There is no such revision, or no repository.
    """
    folder = path if Path(path).is_dir() else str(Path(path).parent)
    if not _git(folder, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}"):
        raise UsageError(
            f"{revision!r} is neither a path nor a revision of git there. "
            "Right would be such as old.yaml, a directory, or HEAD~1."
        )
    only = [] if Path(path).is_dir() else [Path(path).name]
    listed = _git(folder, "ls-tree", "-z", revision, "--", *only)
    names = [_name(line) for line in listed.split(b"\0") if b" blob " in line]
    prefix = _git(folder, "rev-parse", "--show-prefix").strip()
    return {
        os.fsdecode(name): data
        for name in names
        if (data := _content(folder, revision, prefix + name)) is not None
    }


def _name(line: bytes) -> bytes:
    return line.partition(b"\t")[2]


def _content(folder: str, revision: str, path: bytes) -> bytes | None:
    """Return what a path leads to, ``None`` for a link that leads nowhere."""
    asked = os.fsencode(revision) + b":" + path + b"\n"
    told = _git(folder, "cat-file", "--batch", "--follow-symlinks", stdin=asked)
    head, _, rest = told.partition(b"\n")
    parts = head.split()
    if len(parts) != 3 or parts[1] != b"blob":  # noqa: PLR2004 - hash, kind, size
        return None
    return rest[: int(parts[2])]


def _git(folder: str, *arguments: str, stdin: bytes = b"") -> bytes:
    try:
        done = subprocess.run(  # noqa: S603 - no shell
            ["git", "-C", folder, *arguments],  # noqa: S607 - the user's own git
            input=stdin,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"git can't be asked: {error}. Give two paths.") from None
    return done.stdout if done.returncode == 0 else b""
