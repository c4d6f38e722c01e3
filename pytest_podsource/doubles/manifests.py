"""
A manifest directory to write into, on a temporary or a fake disk.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from pytest_podsource.doubles.patches import Patches
from pytest_podsource.exceptions import DriverError

FAKE_PATH = "/etc/kubernetes/manifests"
# What is first imported while the disk is a fake is thrown away at its end.
_IMPORTED_BEFORE = ("freezegun", "requests", "responses", "yaml")


def manifest(name: str, *, image: str = "nginx:1", **metadata: Any) -> dict[str, Any]:
    """
    Return a minimal pod with one container ``c``.

    Args:
        name: Its name.
        image: The image of its container.
        metadata: Further fields of its metadata, such as ``namespace="kube-system"``.
    """
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, **metadata},
        "spec": {"containers": [{"name": "c", "image": image}]},
    }


class ManifestDirectory:
    """
    A directory of manifests, changed the ways people change one.

    A content is a pod as a mapping, written as JSON, or a text, or bytes.

    Attributes:
        path: Where it is.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def within(cls, folder: Path) -> ManifestDirectory:
        """Make one in *folder*."""
        path = folder / "manifests"
        path.mkdir()
        return cls(path)

    def write(self, name: str, content: Mapping[str, Any] | str | bytes) -> Path:
        """Write in place, as an editor or ``cp`` does: a reader may see half of it."""
        path = self.path / name
        path.write_bytes(_bytes(content))
        return path

    def place(self, name: str, content: Mapping[str, Any] | str | bytes) -> Path:
        """Write to a dot file beside it and rename that: a reader sees all or nothing."""
        return self.write(f".{name}.part", content).rename(self.path / name)

    def remove(self, name: str) -> None:
        """Remove a file."""
        (self.path / name).unlink()


@contextmanager
def fake_manifest_directory(
    threads: Collection[threading.Thread] = (),
) -> Iterator[ManifestDirectory]:
    """
    Give ``/etc/kubernetes/manifests`` on a fake disk, which everything sees meanwhile.

    Args:
        threads: Those that may run beside: they are known to leave the disk alone.

    Raises:
        DriverError: Another thread runs, or is started by this one: some of its calls
            would reach the real disk.
    """
    from pyfakefs.fake_filesystem_unittest import Patcher  # noqa: PLC0415 - slow

    from pytest_podsource.world.fakefs import LinesOfTheRealDisk  # noqa: PLC0415 - slow

    for name in _IMPORTED_BEFORE:
        import_module(name)
    for thread in {*threading.enumerate()} - {*threads, threading.current_thread()}:
        _refuse(thread)
    patches, patcher = Patches(), Patcher()
    setattr(patcher, "linecache_patcher", LinesOfTheRealDisk())  # noqa: B010 - theirs
    with patcher:
        assert patcher.fs is not None
        patcher.fs.shuffle_listdir_results = False
        patcher.fs.create_dir(FAKE_PATH)
        patches.set(threading.Thread, "start", _refuse_here())
        try:
            yield ManifestDirectory(Path(FAKE_PATH))
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


def _bytes(content: Mapping[str, Any] | str | bytes) -> bytes:
    if isinstance(content, bytes):
        return content
    text = content if isinstance(content, str) else json.dumps(content, indent=2)
    return text.encode()
