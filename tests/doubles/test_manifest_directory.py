"""
The manifest directory: each operation, and what it tells.
"""

from __future__ import annotations

import itertools
import os
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_podsource.contract import WatchEvent
from pytest_podsource.doubles.manifests import ManifestDirectory
from pytest_podsource.doubles.pods import Pods
from pytest_podsource.exceptions import CannotRunHere

Operation = Callable[[ManifestDirectory], object]


def fake() -> AbstractContextManager[ManifestDirectory]:
    """A fake disk beside what other tests have left parked."""
    return ManifestDirectory.fake(threading.enumerate())


@pytest.fixture(params=["temporary", "fake"])
def directory(request: pytest.FixtureRequest) -> Iterator[ManifestDirectory]:
    kind = fake if request.param == "fake" else ManifestDirectory.temporary
    with kind() as made:
        made.write("a.yaml", "one")
        made.mkdir("sub")
        made.events.clear()
        yield made


OPERATIONS: dict[str, tuple[Operation, list[tuple[str, str]]]] = {
    "write new": (
        lambda d: d.write("n", "x"),
        [("create", "n"), ("write", "n")],
    ),
    "write old": (lambda d: d.write("a.yaml", "x"), [("write", "a.yaml")]),
    "append": (lambda d: d.append("a.yaml", "x"), [("write", "a.yaml")]),
    "truncate": (lambda d: d.truncate("a.yaml", 1), [("write", "a.yaml")]),
    "place": (
        lambda d: d.place("a.yaml", "x"),
        [("create", ".t"), ("write", ".t"), ("rename", ".t"), ("create", "a.yaml")],
    ),
    "rename": (
        lambda d: d.rename("a.yaml", "b.yaml"),
        [("rename", "a.yaml"), ("create", "b.yaml")],
    ),
    "rename out": (lambda d: d.rename("a.yaml", "../a"), [("rename", "a.yaml")]),
    "remove": (lambda d: d.remove("a.yaml"), [("remove", "a.yaml")]),
    "remove folder": (lambda d: d.remove("sub"), [("remove", "sub")]),
    "mkdir": (lambda d: d.mkdir("more"), [("create", "more")]),
    "chmod": (lambda d: d.chmod("a.yaml", 0o600), [("chmod", "a.yaml")]),
    "touch": (lambda d: d.touch("a.yaml"), [("chmod", "a.yaml")]),
    "symlink": (lambda d: d.symlink("l", "a.yaml"), [("create", "l")]),
    "hardlink": (lambda d: d.hardlink("l", "a.yaml"), [("create", "l")]),
    "below": (lambda d: d.write("sub/x", "x"), []),
    "the directory": (
        lambda d: d.remove("."),
        [
            ("remove", "a.yaml"),
            ("remove", "sub"),
            ("remove", ""),
        ],
    ),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_operation_tells_what_happened(directory: ManifestDirectory, name: str) -> None:
    """On a temporary and on a fake disk alike; the list is compared with plain pairs."""
    operation, expected = OPERATIONS[name]

    operation(directory)

    assert directory.events == expected


def test_operations_change_the_disk(directory: ManifestDirectory) -> None:
    """What they say is what they do."""
    directory.append("a.yaml", " and two")
    appended = (directory.path / "a.yaml").read_text()
    directory.truncate("a.yaml", 3)
    cut = (directory.path / "a.yaml").read_text()
    directory.chmod("a.yaml", 0o640)
    link = directory.symlink("l", "a.yaml")
    hard = directory.hardlink("h", "a.yaml")
    moved = directory.rename("a.yaml", "sub/b.yaml")
    directory.touch("empty")

    assert (appended, cut) == ("one and two", "one")
    assert stat.S_IMODE(moved.stat().st_mode) == 0o640
    assert (os.readlink(link), hard.read_text()) == ("a.yaml", "one")
    assert (directory.path / "empty").read_bytes() == b""


def test_content_is_a_pod_or_several_or_a_text(directory: ManifestDirectory) -> None:
    """Pods are JSON, which YAML readers take too."""
    pods = Pods()

    one = directory.write("1", pods("web"))
    many = directory.write("2", [pods("web"), pods("db")])

    assert '"name": "web"' in one.read_text()
    assert '"kind": "PodList"' in many.read_text()
    assert many.read_text().count('"kind": "Pod"') == 2


def test_data_folder_may_have_folders(directory: ManifestDirectory) -> None:
    """As the items of a ConfigMap may; the link is of the outermost one."""
    directory.swap_data_dir({"in/a.yaml": "1", "in/deep/b.yaml": "2"})

    assert (directory.path / "in").is_symlink()
    assert (directory.path / "in/a.yaml").read_text() == "1"
    assert (directory.path / "in/deep/b.yaml").read_text() == "2"


def test_data_folder_is_swapped_as_in_a_mounted_config_map(
    directory: ManifestDirectory,
) -> None:
    """Readers of a name see the old or the new; a watch sees only the links."""
    directory.swap_data_dir({"x": "1", "y": "1"})
    first = {name: (directory.path / name).read_text() for name in "xy"}
    folder = os.readlink(directory.path / "..data")
    directory.events.clear()

    directory.swap_data_dir({"x": "2", "z": "2"})

    second = os.readlink(directory.path / "..data")
    assert first == {"x": "1", "y": "1"}
    assert (directory.path / "x").read_text() == "2"
    assert sorted(os.listdir(directory.path)) == sorted(
        [second, "..data", "a.yaml", "sub", "x", "z"]
    )
    assert directory.events == [
        ("create", second),
        ("chmod", second),
        ("create", "..data_tmp"),
        ("rename", "..data_tmp"),
        ("create", "..data"),
        ("create", "z"),
        ("remove", "y"),
        ("remove", folder),
    ]


def test_watchers_are_told_until_they_have_enough(
    directory: ManifestDirectory,
) -> None:
    """Within the operation, with the whole path."""
    told: list[WatchEvent] = []
    stop = directory.watch(told.append)

    directory.write("a.yaml", "x")
    stop()
    directory.write("a.yaml", "y")

    path = str(directory.path / "a.yaml")
    assert told == [WatchEvent(path=path, ops=frozenset({"write"}))]


def test_watcher_may_look_and_change_while_it_is_told(
    directory: ManifestDirectory,
) -> None:
    """A save is seen half done, as by a quick reader."""
    seen: list[object] = []

    def look(event: WatchEvent) -> None:
        path = directory.path / "a.yaml"
        seen.append(path.read_text() if path.exists() else None)

    directory.watch(look)
    directory.save_like("vim", "a.yaml", "two")

    assert set(seen) == {"one", None, "", "two"}


def test_reading_fails_as_ordered(directory: ManifestDirectory) -> None:
    """Until it is healed."""
    path = directory.path / "a.yaml"
    directory.fail("a.yaml", "EIO")

    with pytest.raises(OSError, match="Input/output error"):
        path.read_text()
    directory.heal("a.yaml")

    assert path.read_text() == "one"
    assert directory.events == []


def test_reading_fails_until_the_file_is_written_again(
    directory: ManifestDirectory,
) -> None:
    """What heals a disk is a new file."""
    directory.fail("a.yaml", "EIO")

    path = directory.write("a.yaml", "two")

    assert path.read_text() == "two"


def test_fake_disk_fails_with_every_error_and_so_many_times() -> None:
    """Listings too."""
    with fake() as directory:
        directory.fail(".", "EACCES", times=1)
        with pytest.raises(PermissionError):
            list(directory.path.iterdir())
        listing = list(directory.path.iterdir())

    assert listing == []


def test_temporary_directory_says_what_it_cannot(tmp_path: Path) -> None:
    """With the way out."""
    directory = ManifestDirectory.within(tmp_path)
    directory.write("a", "")

    with pytest.raises(CannotRunHere, match=r"EACCES.*fs=fake"):
        directory.fail("a", "EACCES")
    with pytest.raises(CannotRunHere, match=r"counted.*fs=fake"):
        directory.fail("a", "EIO", times=2)
    with pytest.raises(ValueError, match=r"'EOOPS' is no error of the system"):
        directory.fail("a", "EOOPS")


def test_temporary_one_goes_at_the_end() -> None:
    """As a context manager, outside pytest as well."""
    with ManifestDirectory.temporary() as directory:
        path = directory.write("a", "x")
        there = path.exists()

    assert there
    assert not path.parent.exists()


def test_times_of_a_fake_directory_move_with_its_files() -> None:
    """Code that skips a folder whose time stands still would see nothing."""
    with fake() as directory:
        before = directory.path.stat().st_mtime_ns
        directory.write("a", "x")

        assert directory.path.stat().st_mtime_ns > before


NAMES = st.sampled_from(["a.yaml", "b", ".c", "sub"])
STEPS: st.SearchStrategy[tuple[str, tuple[Any, ...]]] = st.one_of(
    st.tuples(
        st.sampled_from(["write", "append", "place"]), st.tuples(NAMES, st.just("x"))
    ),
    st.tuples(st.sampled_from(["remove", "mkdir", "touch"]), st.tuples(NAMES)),
    st.tuples(st.just("rename"), st.tuples(NAMES, NAMES)),
    st.tuples(st.just("symlink"), st.tuples(NAMES, NAMES)),
    st.tuples(st.just("truncate"), st.tuples(NAMES, st.integers(0, 3))),
    st.tuples(st.just("chmod"), st.tuples(NAMES, st.just(0o644))),
    st.tuples(st.just("swap_data_dir"), st.tuples(st.just({"m": "1"}))),
)


@pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")
@settings(deadline=None, max_examples=40)
@given(steps=st.lists(STEPS, max_size=8))
def test_whatever_is_done_the_kernel_tells_the_same(
    steps: list[tuple[str, tuple[Any, ...]]],
) -> None:
    """Operations that can't be carried out raise OSError and tell nothing."""
    from inotify_simple import INotify, flags  # noqa: PLC0415 - Linux only

    words = {
        flags.CREATE: "create",
        flags.MOVED_TO: "create",
        flags.MODIFY: "write",
        flags.ATTRIB: "chmod",
        flags.MOVED_FROM: "rename",
        flags.DELETE: "remove",
    }
    mask = 0
    for flag in words:
        mask |= flag
    kernel: list[tuple[str, str]] = []
    with ManifestDirectory.temporary() as directory, INotify() as inotify:
        inotify.add_watch(directory.path, mask)
        for verb, arguments in steps:
            before = len(directory.events)
            try:
                getattr(directory, verb)(*arguments)
            except OSError:
                del directory.events[before:]
                inotify.read(timeout=0)
                continue
            for event in inotify.read(timeout=0):
                kernel += [(w, event.name) for f, w in words.items() if event.mask & f]
        told = list(directory.events)

    one, other = ([e for e, _ in itertools.groupby(each)] for each in (told, kernel))
    assert one == other
