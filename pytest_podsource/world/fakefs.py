"""
The simulated world on a fake disk, at the path that kubelets really use.

It can what a real directory can't: readings that fail as ordered and as often, file
times of the case's clock, listings in an order drawn from the seed. Rule 1: no threads.
pyfakefs switches to the real disk for the whole process while it does some things, so
the calls of a second thread would land there. Rule 2: nothing is imported for the first
time while the disk is a fake, for that is thrown away at its end.
"""

from __future__ import annotations

import io
import linecache
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, NoReturn, Protocol

from pyfakefs import helpers
from pyfakefs.fake_filesystem_unittest import Patcher
from pyfakefs.fake_open import FakeFileOpen

from pytest_podsource import data
from pytest_podsource.contract import SECOND_NS
from pytest_podsource.doubles.patches import Patches
from pytest_podsource.exceptions import CannotRunHere
from pytest_podsource.world.base import Scene
from pytest_podsource.world.clock import CaseClock
from pytest_podsource.world.directory import ManifestDirectory
from pytest_podsource.world.inotify_model import Change
from pytest_podsource.world.simulated import NOBODY, SimulatedWorld

FOLDER = "/etc/kubernetes"
_IMPORTED_BEFORE = ("freezegun", "requests", "responses", "yaml")
_MOVES_DIRECTORY = frozenset({"create", "delete", "moved_from", "moved_to"})
# What the reference looks up, when it first needs it.
_DATA = str(Path(data.__file__).parent)
# Real functions, held where pyfakefs doesn't look.
_REAL = (io.open,)


class WallClock(Protocol):
    """
    Says what time it is.
    """

    def now_ns(self) -> int:
        """Return the wall clock, in nanoseconds since 1970."""
        ...


class FakeDirectory(ManifestDirectory):
    """
    A manifest directory on the fake disk.

    Args:
        scene: Says how it looks at first.
        fs: The fake disk.
        clock: File times are its wall clock; only ``now_ns`` is asked.
    """

    def __init__(self, scene: Scene, fs: Any, clock: WallClock) -> None:
        self._fs = fs
        self._clock = clock
        self._random = Random(scene.seed) if scene.seed else None  # noqa: S311 - no secret
        self._failing: dict[str, list[int]] = {}
        if scene.dir in ("missing", "symlink"):
            fs.create_dir(FOLDER)
        super().__init__(scene, FOLDER)
        self._stamp([])

    def apply(self, verb: str, argument: Any) -> list[Change]:
        """
        Carry out *verb* and return what the kernel would tell of it.

        Raises:
            OSError: It can't be carried out.
        """
        changes = super().apply(verb, argument)
        self._stamp(changes)
        return changes

    def fail_reading(self, name: str, error: int, times: int | None = None) -> None:
        """Let readings of *name*, or listings of it, fail with *error*; 0 ends that."""
        path = self._at(name)
        if error:
            self._failing[path] = [error, -1 if times is None else times]

    def check(self, path: Any) -> None:
        """
        Let a reading of *path* pass.

        Raises:
            OSError: It fails, as ordered.
        """
        with suppress(TypeError, ValueError):
            fault = self._failing.get(os.path.realpath(os.fsdecode(path)))
            if fault is not None and fault[1]:
                fault[1] -= 1
                raise OSError(fault[0], os.strerror(fault[0]), path)

    def _make_folder(self, path: str) -> None:
        self._fs.create_dir(path, 0o755)  # at once with what is above it

    def _at(self, name: str) -> str:
        path = super()._at(name)
        self._failing.pop(path, None)
        return path

    def _stamp(self, changes: list[Change]) -> None:
        """Do what pyfakefs leaves out: directory times, and the order of listings."""
        moved = {each.inode[1] for each in changes if each.kind in _MOVES_DIRECTORY}
        renamed = {each.inode[1] for each in changes if each.kind == "move_self"}
        for folder in _folders(self._fs.get_object(FOLDER)):
            if folder.st_ino in moved:
                folder.stat_result.st_mtime_ns = self._clock.now_ns()
                folder.stat_result.st_ctime_ns = self._clock.now_ns()
            for each in folder.entries.values():
                if each.st_ino in renamed:
                    each.stat_result.st_ctime_ns = self._clock.now_ns()
            if self._random is not None:
                _shuffle(folder.entries, self._random)


class FakeWorld(SimulatedWorld):
    """
    A simulated world whose disk is a fake one, for the whole process.

    It begins with its construction and ends with ``close``.
    """

    def __init__(self, scene: Scene) -> None:
        for name in _IMPORTED_BEFORE:
            import_module(name)
        clock = CaseClock(scene.wall_ns, scene.seed)
        self._fake_clock = clock
        self._refused: CannotRunHere | None = None
        self._patches = Patches()
        self._patcher = Patcher()
        setattr(self._patcher, "linecache_patcher", LinesOfTheRealDisk())  # noqa: B010 - as if it were one of theirs
        self._patcher.setUp()
        self._is_faked = True
        assert self._patcher.fs is not None
        self._fs = self._patcher.fs
        try:
            self._fs.shuffle_listdir_results = False
            self._fs.add_real_directory(_DATA)
            self._patch(clock)
            super().__init__(scene, clock)
        except BaseException:
            self._end()
            raise

    def close(self) -> None:
        """End the case: the disk is the real one again; a second time it does nothing."""
        try:
            super().close()
        finally:
            self._end()

    def _patch(self, clock: CaseClock) -> None:
        helpers.set_uid(0)
        self._patches.set(helpers, "now", lambda: clock.now_ns() / SECOND_NS)
        self._patches.set(threading.Thread, "start", self._refuse_threads())
        check_readings(self._patches, self._fs, self._check)

    def _end(self) -> None:
        self._patches.undo()
        if self._is_faked:  # pyfakefs counts, and one end too many breaks the next disk
            self._is_faked = False
            self._patcher.tearDown()
        helpers.reset_ids()

    def _make_directory(self, scene: Scene) -> FakeDirectory:
        return FakeDirectory(scene, self._fs, self._fake_clock)

    @contextmanager
    def _as_nobody(self) -> Iterator[None]:
        helpers.set_uid(NOBODY)
        try:
            yield
        finally:
            helpers.set_uid(0)

    def _settle(self) -> None:
        if self._refused is not None:
            raise self._refused
        super()._settle()

    def _refuse_threads(self) -> Callable[[threading.Thread], None]:
        real, owner = threading.Thread.start, threading.get_ident()

        def start(thread: threading.Thread) -> None:
            if threading.get_ident() != owner:
                real(thread)
            else:
                self._refuse(thread)

        return start

    def _refuse(self, thread: threading.Thread) -> NoReturn:
        self._refused = CannotRunHere(
            f"it starts the thread {thread.name!r}, and on the fake disk a second "
            "thread's calls can reach the real one. Callbacks and asyncio run here; "
            "for threads leave --podsource-fs=fake away."
        )
        raise self._refused

    def _check(self, path: Any) -> None:
        directory = getattr(self, "_directory", None)
        if directory is not None and not isinstance(path, int):
            directory.check(path)


def check_readings(patches: Patches, fs: Any, check: Callable[[Any], None]) -> None:
    """
    Let *check* see the path of each open and each listing before it is carried out.
    """
    real_open, real_list = FakeFileOpen.call, fs.confirmdir

    def call(opener: Any, file_: Any, *args: Any, **options: Any) -> Any:
        check(file_)
        return real_open(opener, file_, *args, **options)

    def confirmdir(path: Any, *args: Any, **options: Any) -> Any:
        check(path)
        return real_list(path, *args, **options)

    patches.set(FakeFileOpen, "call", call)
    patches.set(fs, "confirmdir", confirmdir)


class LinesOfTheRealDisk:
    """
    Gives tracebacks their source without switching to the real disk.

    pyfakefs lets linecache switch, from CPython 3.13 on at each ``open``, and that for
    all threads of the process.
    """

    def __init__(self) -> None:
        self._patches = Patches()

    def start_patching(self) -> None:
        """Be called by pyfakefs when the disk becomes a fake one."""
        if sys.version_info >= (3, 13):
            self._patches.set(linecache, "checkcache", lambda filename=None: None)
            self._patches.set(linecache, "updatecache", _read_lines)

    def stop_patching(self) -> None:
        """Be called by pyfakefs when the disk is the real one again."""
        self._patches.undo()


def _read_lines(filename: str, module_globals: Any = None) -> list[str]:
    try:
        with _REAL[0](filename, encoding="utf-8") as file:
            lines = file.readlines()
    except (OSError, UnicodeDecodeError):
        return []
    linecache.cache[filename] = (sum(map(len, lines)), None, lines, filename)
    return lines


def _folders(folder: Any) -> Iterator[Any]:
    yield folder
    for each in folder.entries.values():
        if hasattr(each, "entries"):
            yield from _folders(each)


def _shuffle(entries: dict[str, Any], random: Random) -> None:
    mixed = list(entries.items())
    random.shuffle(mixed)
    entries.clear()
    entries.update(mixed)
