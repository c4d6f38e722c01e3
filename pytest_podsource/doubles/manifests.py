"""
A manifest directory that is changed the ways people change one, and tells what happened.

Rule 1: each operation is carried out on the disk, then watchers are told what the kernel
would tell of it, in fsnotify's words and the kernel's order. Rule 2: names are relative
to the directory, and reach at most into the folder that it stands in. Rule 3: a save is told call by call, so a watcher sees it half done.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import json
import os
import tempfile
import threading
import time
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, TypeAlias

from pytest_podsource.contract import Cancel, Config, WatchEvent
from pytest_podsource.doubles.pods import manifest as manifest  # noqa: PLC0414 - also found here
from pytest_podsource.doubles.saves import SCRIPTS, Program, save
from pytest_podsource.world.base import Scene
from pytest_podsource.world.clock import CaseClock
from pytest_podsource.world.directory import ManifestDirectory as Disk
from pytest_podsource.world.inotify_model import Change, InotifyModel

Content: TypeAlias = "Mapping[str, Any] | Sequence[Mapping[str, Any]] | str | bytes"
"""A pod, several pods as a PodList, a text, or bytes; pods are written as JSON."""

FAKE_PATH = "/etc/kubernetes/manifests"


class FileEvent(NamedTuple):
    """
    One event of the directory; equal to a plain ``(op, name)``.

    Attributes:
        op: ``create``, ``write``, ``remove``, ``rename`` or ``chmod``.
        name: The name within the directory; empty if it is about the directory itself.
    """

    op: str
    name: str


class ManifestDirectory:
    """
    A directory of manifests, and what happened there.

    Attributes:
        path: Where it is.
        events: What the operations told, in order.
    """

    def __init__(self, disk: Disk) -> None:
        self.path = Path(disk.path)
        self.events: list[FileEvent] = []
        self._disk = disk
        self._clock = CaseClock()
        self._inotify = InotifyModel(self._clock, ends_with_move=True)
        self._numbers = itertools.count(1)
        self._notes = False

    @classmethod
    def within(cls, folder: Path) -> ManifestDirectory:
        """Make one in *folder*, which is there and has nothing of that name."""
        return cls(Disk(Scene(config=Config()), str(folder)))

    @classmethod
    @contextmanager
    def temporary(cls) -> Iterator[ManifestDirectory]:
        """Give one in a temporary folder, which goes at the end."""
        with tempfile.TemporaryDirectory(prefix="podsource-") as folder:
            yield cls.within(Path(folder))

    @classmethod
    @contextmanager
    def fake(
        cls, threads: Collection[threading.Thread] = ()
    ) -> Iterator[ManifestDirectory]:
        """
        Give ``/etc/kubernetes/manifests`` on a fake disk, which all see meanwhile.

        Args:
            threads: Those that may run beside: they are known to leave the disk alone.

        Raises:
            DriverError: Another thread runs, or is started by this one: some of its
                calls would reach the real disk.
        """
        from pytest_podsource.doubles.fake_disk import fake_disk  # noqa: PLC0415 - slow

        with fake_disk(threads) as disk:
            yield cls(disk)

    def write(self, name: str, content: Content) -> Path:
        """Write in place, as ``cp`` does: a reader may see half of it."""
        return self._do("write", name, as_bytes(content))

    def append(self, name: str, content: Content) -> Path:
        """Write at the end of a file."""
        return self._do("append", name, as_bytes(content))

    def truncate(self, name: str, size: int = 0) -> Path:
        """Cut a file to *size* bytes."""
        return self._do("truncate", name, size)

    def place(self, name: str, content: Content) -> Path:
        """Write to a dot file beside it and rename that: a reader sees all or nothing."""
        return self._do("place", name, as_bytes(content))

    def save_like(self, program: Program, name: str, content: Content) -> Path:
        """
        Save as *program* does, with its temporary files and in its order.

        Args:
            program: One of ``vim``, ``vim backup``, ``vim backupcopy=yes``, ``sed -i``,
                ``sed -i.bak``, ``perl -pi``, ``perl -pi.bak``, ``ed``, ``cp``,
                ``install`` and ``place``.
            name: The file.
            content: What it has afterwards.

        Raises:
            ValueError: The program isn't known.
        """
        if program not in SCRIPTS:
            known = ", ".join(SCRIPTS)
            raise ValueError(f"save_like: {program!r} is not known. Known: {known}.")
        _check_name(name)
        self._begin()
        for changes in save(str(self.path), program, name, as_bytes(content)):
            self._tell(changes)
        return self.path / name

    def swap_data_dir(self, contents: Mapping[str, Content]) -> None:
        """
        Replace all files at once, as a kubelet does in a mounted ConfigMap.

        The files are links through ``..data`` to a dated folder; a new folder is
        filled, ``..data`` is renamed onto it, then links are made and removed.
        """
        for name in contents:
            _check_name(name)
        before = self._link("..data")
        stamp = time.strftime("..%Y_%m_%d_%H_%M_%S", time.gmtime())
        folder = f"{stamp}.{next(self._numbers)}"
        self._apply("mkdir", folder)
        self._apply("chmod", {folder: "0755"})
        for sub in _folders(contents):
            self._apply("mkdir", f"{folder}/{sub}")
        for name, content in contents.items():
            self._apply("write", {f"{folder}/{name}": as_bytes(content)})
            self._apply("chmod", {f"{folder}/{name}": "0644"})
        self._apply("symlink", {"..data_tmp": folder})
        self._apply("rename", ["..data_tmp", "..data"])
        self._renew_links(contents)
        if before:
            self._apply("remove", before)

    def rename(self, old: str, new: str) -> Path:
        """Rename a file or folder, over *new* if it is there."""
        _check_name(old)
        _check_name(new)
        self._apply("rename", [old, new])
        return self.path / new

    def remove(self, name: str) -> None:
        """Remove a file, or a folder with all that is in it."""
        _check_name(name)
        self._apply("remove", name)

    def mkdir(self, name: str) -> Path:
        """Make a folder."""
        _check_name(name)
        self._apply("mkdir", name)
        return self.path / name

    def chmod(self, name: str, mode: int) -> Path:
        """Set the mode of a file or folder, such as ``0o600``."""
        return self._do("chmod", name, f"{mode:04o}")

    def touch(self, name: str) -> Path:
        """Move the times of a file, or make an empty one."""
        _check_name(name)
        self._apply("touch", name)
        return self.path / name

    def symlink(self, name: str, target: str | Path) -> Path:
        """Make a symbolic link to *target*, which is kept as it is given."""
        return self._do("symlink", name, os.fspath(target))

    def hardlink(self, name: str, target: str) -> Path:
        """Make one more name of the file *target*."""
        _check_name(target)
        return self._do("hardlink", name, target)

    def fail(self, name: str, error: str, times: int | None = None) -> None:
        """
        Let readings of a file, or with ``.`` listings of the directory, fail.

        It ends with :meth:`heal`, or with the next operation that names the file.

        Args:
            name: The file, or ``.``.
            error: Such as ``EIO``. A temporary directory can ``EIO``, ``EISDIR`` and
                ``ELOOP``, for files; a fake one everything.
            times: How often; for ever if not given. On a fake disk only.

        Raises:
            ValueError: There is no such error.
            CannotRunHere: A temporary directory can't fail like that.
        """
        _check_name(name)
        number = getattr(errno, error, None)
        if not isinstance(number, int):
            raise ValueError(f"fail: {error!r} is no error of the system, such as EIO.")  # noqa: TRY004 - a wrong value
        self._disk.fail_reading(name, number, times)

    def heal(self, name: str) -> None:
        """End what :meth:`fail` ordered."""
        _check_name(name)
        self._disk.fail_reading(name, 0)

    def watch(self, on_event: Callable[[WatchEvent], None]) -> Cancel:
        """
        Tell *on_event* what happens from now on; the result ends that.

        It is called within the operation. For code that takes its events from a
        callback; a watch of the kernel's sees a temporary directory by itself.
        """
        self._begin()
        return self._inotify.add(str(self.path), _of_events(on_event))

    def _begin(self) -> None:
        """Note what is told from now on; at the first operation, for it costs a bit."""
        if not self._notes:
            self._notes = True
            with contextlib.suppress(
                FileNotFoundError
            ):  # then there is nothing to tell
                self._inotify.add(str(self.path), _of_events(self._note))

    def _note(self, event: WatchEvent) -> None:
        name = os.path.relpath(event.path, self.path)
        (op,) = event.ops
        self.events.append(FileEvent(op, "" if name == "." else name))

    def _do(self, verb: str, name: str, argument: Any) -> Path:
        _check_name(name)
        self._apply(verb, {name: argument})
        return self.path / name

    def _apply(self, verb: str, argument: Any) -> None:
        self._begin()
        self._tell(self._disk.apply(verb, argument))

    def _tell(self, changes: list[Change]) -> None:
        self._inotify.tell(changes)
        self._clock.run_due()
        self._clock.rest()

    def _link(self, name: str) -> str:
        path = self.path / name
        return str(path.readlink()) if path.is_symlink() else ""

    def _renew_links(self, contents: Mapping[str, Content]) -> None:
        wanted = {name.split("/")[0] for name in contents}
        there = {
            each.name
            for each in self.path.iterdir()
            if self._link(each.name).startswith("..data/")
        }
        for name in sorted(wanted - there):
            self._apply("symlink", {name: f"..data/{name}"})
        for name in sorted(there - wanted):
            self._apply("remove", name)


def as_bytes(content: Content) -> bytes:
    """
    Return what stands in a file or an answer.
    """
    if isinstance(content, bytes):
        return content
    if isinstance(content, str):
        return content.encode()
    if isinstance(content, Mapping):
        return json.dumps(content, indent=2).encode()
    given: object = content
    if not isinstance(given, Sequence):
        raise TypeError(
            f"{content!r} is no manifest. Right would be a pod, a sequence of pods, a "
            "text, or bytes."
        )
    items = {"apiVersion": "v1", "kind": "PodList", "items": list(content)}
    return json.dumps(items, indent=2).encode()


def _folders(names: Iterable[str]) -> list[str]:
    """Return the folders that files of these names lie in, outer ones first."""
    found = {str(each) for name in names for each in PurePosixPath(name).parents}
    return sorted(found - {"."})


def _check_name(name: str) -> None:
    """See that a test's slip doesn't reach files that have nothing to do with it."""
    parts = Path(os.path.normpath(name)).parts
    outside = parts[:1] == ("/",) or parts == ("..",) or parts[1:2] == ("..",)
    if outside or not name or "\0" in name:
        raise ValueError(
            f"podsource_manifest_dir: {name!r} is no name in the directory. "
            "Right would be web.yaml, sub/web.yaml, or ../web.yaml for beside it."
        )


def _of_events(
    on_event: Callable[[WatchEvent], None],
) -> Callable[[WatchEvent | OSError], None]:
    def hear(event: WatchEvent | OSError) -> None:
        if isinstance(event, WatchEvent):
            on_event(event)

    return hear
