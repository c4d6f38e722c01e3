"""
A manifest directory on a fake disk, at the path that kubelets really use.

Rule 1: no threads, for pyfakefs lets some of their calls through to the real disk.
Rule 2: nothing is imported for the first time while the disk is a fake one, for that is
thrown away at its end.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import NoReturn

from pyfakefs.fake_filesystem_unittest import Patcher

from pytest_podsource.contract import Config
from pytest_podsource.doubles.patches import Patches
from pytest_podsource.exceptions import DriverError
from pytest_podsource.world.base import Scene
from pytest_podsource.world.fakefs import (
    FakeDirectory,
    LinesOfTheRealDisk,
    check_readings,
)

_IMPORTED_BEFORE = ("freezegun", "requests", "responses", "yaml")


class _Now:
    """
    The wall clock, frozen or not.
    """

    def now_ns(self) -> int:
        return time.time_ns()


@contextmanager
def fake_disk(threads: Collection[threading.Thread] = ()) -> Iterator[FakeDirectory]:
    """
    Make the disk of this process a fake one, with an empty manifest directory.

    Args:
        threads: Those that may run beside: they are known to leave the disk alone.

    Raises:
        DriverError: Another thread runs, or is started by this one; or there is such
            a directory already.
    """
    for name in _IMPORTED_BEFORE:
        import_module(name)
    for thread in {*threading.enumerate()} - {*threads, threading.current_thread()}:
        _refuse(thread)
    patches, patcher = Patches(), Patcher()
    setattr(patcher, "linecache_patcher", LinesOfTheRealDisk())  # noqa: B010 - theirs
    with patcher:
        assert patcher.fs is not None
        patcher.fs.shuffle_listdir_results = False
        try:
            directory = FakeDirectory(Scene(config=Config()), patcher.fs, _Now())
        except FileExistsError as error:
            raise DriverError(
                f"podsource_manifest_dir: the disk is a fake one already, and has "
                f"{error.filename}. Use that, or a temporary directory beside it."
            ) from None
        check_readings(patches, patcher.fs, directory.check)
        patches.set(threading.Thread, "start", _refuse_here())
        try:
            yield directory
        finally:
            patches.undo()


def _refuse_here() -> Callable[[threading.Thread], None]:
    real, owner = threading.Thread.start, threading.get_ident()

    def start(thread: threading.Thread) -> None:
        if threading.get_ident() == owner:
            _refuse(thread)
        real(thread)  # pytest's own, which were there before

    return start


def _refuse(thread: threading.Thread) -> NoReturn:
    raise DriverError(
        f"podsource_manifest_dir: the thread {thread.name!r} and a fake disk don't go "
        "together: some of its calls would reach the real one. Stop the thread, or "
        "leave fs='fake' away for a temporary directory."
    )
