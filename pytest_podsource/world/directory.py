"""
The manifest directory of a case: a temporary one, and the verbs that change it.

Each verb is carried out on the disk and gives the changes that the kernel would tell of
it, in the kernel's order, whether anybody watches or not. Names are relative to the
manifest directory; ``.`` is the directory itself and ``..`` leads out of it, within the
temporary directory of the case. A relative ``path`` of the scene's config is taken from
beside the manifest directory and kept as a text: ``manifests///`` stays so.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from typing import Any

from pytest_podsource.exceptions import CannotRunHere, CaseError
from pytest_podsource.world.base import Scene
from pytest_podsource.world.inotify_model import Change, Inode

# Links that make a reading fail, whoever reads.
_UNREADABLE = {errno.EIO: "/proc/self/mem", errno.EISDIR: "/proc/self", errno.ELOOP: ""}


class ManifestDirectory:
    """
    A manifest directory, as a scene wants it.

    Args:
        scene: Says how it looks at first.
        root: An empty directory; a temporary one, removed by ``close``, if not given.

    Attributes:
        path: What the implementation is told to read.

    Raises:
        OSError: The scene can't be made here.
    """

    def __init__(self, scene: Scene, root: str | None = None) -> None:
        self._root = root or _temporary_root()
        self._base = os.path.join(self._root, "manifests")
        self._faults: dict[str, str] = {}
        self._verbs: Mapping[str, Callable[[Any], list[Change]]] = {
            "write": lambda files: self._each(self._write, files),
            "append": lambda files: self._each(self._append, files),
            "truncate": lambda sizes: self._each(self._truncate, sizes),
            "place": lambda files: self._each(self._place, files),
            "rename": lambda names: self._rename(*map(self._at, names)),
            "remove": lambda name: self._remove(self._at(name)),
            "mkdir": lambda name: self._mkdir(self._at(name)),
            "touch": lambda name: self._touch(self._at(name)),
            "symlink": lambda links: self._each(self._symlink, links),
            "hardlink": lambda links: self._each(self._hardlink, links),
            "chmod": lambda modes: self._each(self._chmod, modes),
        }
        self._make(scene)
        self.path = self._path_of(scene)

    @property
    def verbs(self) -> frozenset[str]:
        """Return the verbs that :meth:`apply` knows."""
        return frozenset(self._verbs)

    def apply(self, verb: str, argument: Any) -> list[Change]:
        """
        Carry out *verb* and return what the kernel tells of it.

        Raises:
            OSError: It can't be carried out.
        """
        return self._verbs[verb](argument)

    def fail_reading(self, name: str, error: int, times: int | None = None) -> None:
        """
        Let readings of *name* fail with *error*; nobody is told an event.

        It ends with 0, or with the next verb that names the file, or after *times*.

        Raises:
            CannotRunHere: A real file can't fail like that.
        """
        if times:
            raise CannotRunHere(
                f"readings of a real directory can't be counted (times: {times}). "
                "Leave times out, or run with --podsource-fs=fake."
            )
        path = self._at(name)
        if error and times is None:
            self._swap_for_link(path, error)

    def close(self) -> None:
        """Remove the temporary directory."""
        shutil.rmtree(self._root, ignore_errors=True)

    def _make(self, scene: Scene) -> None:
        if scene.dir == "symlink":
            os.mkdir(os.path.join(self._root, "target"))
            os.symlink("target", self._base)
        elif scene.dir != "missing":
            self._make_folder(self._base)
        for name, data in scene.files.items():
            path = self._at(name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            self._write(path, data)

    def _make_folder(self, path: str) -> None:
        os.mkdir(path)

    def _path_of(self, scene: Scene) -> str:
        if scene.config.path:
            return os.path.join(self._root, scene.config.path)
        if scene.dir == "file":
            return os.path.join(self._base, next(iter(scene.files), "manifest.yaml"))
        return self._base

    def _at(self, name: str) -> str:
        path = os.path.normpath(os.path.join(self._base, name))
        self._refuse_outside(os.path.dirname(path))
        aside = self._faults.pop(path, None)
        if aside is not None:
            os.remove(path)
            os.rename(aside, path)
        return path

    def _refuse_outside(self, path: str) -> None:
        # Cases may be somebody else's: none reaches a file that isn't its own.
        root = os.path.realpath(self._root)
        if os.path.commonpath([root, os.path.realpath(path)]) != root:
            raise CaseError(
                path, "this leads out of the temporary directory. Name a place in it."
            )

    def _each(
        self, verb: Callable[[str, Any], list[Change]], arguments: Mapping[str, Any]
    ) -> list[Change]:
        changes: list[Change] = []
        for name, argument in arguments.items():
            changes += verb(self._at(name), argument)
        return changes

    def _write(self, path: str, data: bytes) -> list[Change]:
        return self._put(path, data, os.O_TRUNC)

    def _append(self, path: str, data: bytes) -> list[Change]:
        return self._put(path, data, os.O_APPEND)

    def _put(self, path: str, data: bytes, how: int) -> list[Change]:
        self._refuse_outside(path)
        real = os.path.realpath(path)
        new = not os.path.exists(real)
        handle = os.open(real, os.O_WRONLY | os.O_CREAT | how, 0o644)
        with open(handle, "ab" if how == os.O_APPEND else "wb") as file:
            file.write(data)
        modified = data or (how == os.O_TRUNC and not new)
        return [
            *(named(real, "create") if new else []),
            *(both(real, "modify") if modified else []),
        ]

    def _truncate(self, path: str, size: int) -> list[Change]:
        self._refuse_outside(path)
        os.truncate(path, size)
        return both(os.path.realpath(path), "modify")

    def _place(self, path: str, data: bytes) -> list[Change]:
        temporary = os.path.join(os.path.dirname(path), ".t")
        return self._write(temporary, data) + self._rename(temporary, path)

    def _rename(self, old: str, new: str) -> list[Change]:
        moved = inode_of(old)
        there = os.path.lexists(new)
        if there and inode_of(new) == moved:
            return []
        replaced = unlinked(new) if there else []
        before = named(old, "moved_from")
        os.rename(old, new)
        changes = [*before, *named(new, "moved_to"), *replaced]
        return [*changes, Change(moved, "move_self")]

    def _remove(self, path: str) -> list[Change]:
        if os.path.isdir(path) and not os.path.islink(path):
            return self._remove_tree(path)
        ends = unlinked(path)
        os.remove(path)
        return [*ends, *named(path, "delete")]

    def _remove_tree(self, path: str) -> list[Change]:
        changes: list[Change] = []
        for name in sorted(os.listdir(path)):
            changes += self._remove(os.path.join(path, name))
        own = Change(inode_of(path), "delete_self")
        os.rmdir(path)
        return [*changes, own, *named(path, "delete")]

    def _mkdir(self, path: str) -> list[Change]:
        os.mkdir(path)
        return named(path, "create")

    def _touch(self, path: str) -> list[Change]:
        if not os.path.lexists(path):
            return self._write(path, b"")
        self._refuse_outside(path)
        os.utime(path)
        return both(os.path.realpath(path), "attrib")

    def _symlink(self, path: str, target: str) -> list[Change]:
        os.symlink(target, path)
        return named(path, "create")

    def _hardlink(self, path: str, target: str) -> list[Change]:
        source = self._at(target)
        os.link(source, path)
        return [Change(inode_of(source), "attrib"), *named(path, "create")]

    def _chmod(self, path: str, mode: str) -> list[Change]:
        self._refuse_outside(path)
        os.chmod(path, int(mode, 8))
        return both(os.path.realpath(path), "attrib")

    def _swap_for_link(self, path: str, error: int) -> None:
        if error not in _UNREADABLE:
            known = ", ".join(errno.errorcode[each] for each in _UNREADABLE)
            raise CannotRunHere(
                f"a real file can't fail with {errno.errorcode.get(error, error)}. "
                f"It can with {known}; others need --podsource-fs=fake."
            )
        aside = os.path.join(self._root, f"aside-{len(self._faults)}")
        os.rename(path, aside)
        os.symlink(_UNREADABLE[error] or path, path)
        self._faults[path] = aside


def _temporary_root() -> str:
    root = os.path.realpath(tempfile.mkdtemp(prefix="podsource-"))
    os.chmod(root, 0o755)  # noqa: S103 - an ordinary user reads it as well
    return root


def inode_of(path: str) -> Inode:
    """
    Return the inode that *path* names, of a link itself.
    """
    status = os.lstat(path)
    return (status.st_dev, status.st_ino)


def named(path: str, kind: str) -> list[Change]:
    """
    Return what the directory of *path* is told.
    """
    parent, name = os.path.split(path)
    status = os.stat(parent)
    return [Change((status.st_dev, status.st_ino), kind, name)]


def both(path: str, kind: str) -> list[Change]:
    """
    Return what the directory of *path* is told, and the file itself.
    """
    return [*named(path, kind), Change(inode_of(path), kind)]


def unlinked(path: str) -> list[Change]:
    """
    Return what the file *path* is told when the name goes.
    """
    status = os.lstat(path)
    inode = (status.st_dev, status.st_ino)
    last = status.st_nlink == 1 or os.path.isdir(path)
    attrib = [Change(inode, "attrib")]
    return [*attrib, Change(inode, "delete_self")] if last else attrib
