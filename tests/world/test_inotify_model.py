"""
The model of inotify says what the kernel says.

Each operation is done on a real directory that the kernel watches as well; what it
tells is brought into fsnotify's words and compared, in order.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_podsource.contract import Config, WatchEvent
from pytest_podsource.world.base import Scene
from pytest_podsource.world.clock import CaseClock
from pytest_podsource.world.directory import ManifestDirectory
from pytest_podsource.world.inotify_model import InotifyModel

if sys.platform != "linux":
    pytest.skip("inotify is Linux's", allow_module_level=True)

from inotify_simple import INotify, flags

WORDS = (
    (flags.CREATE | flags.MOVED_TO, "create"),
    (flags.DELETE | flags.DELETE_SELF, "remove"),
    (flags.MODIFY, "write"),
    (flags.MOVED_FROM | flags.MOVE_SELF, "rename"),
    (flags.ATTRIB, "chmod"),
)
MASK = (
    flags.CREATE
    | flags.MOVED_TO
    | flags.DELETE
    | flags.DELETE_SELF
    | flags.MODIFY
    | flags.MOVED_FROM
    | flags.MOVE_SELF
    | flags.ATTRIB
)
Told = list[tuple[str, tuple[str, ...]]]


class Kernel:
    """
    What fsnotify (1.7 and later) would tell of the kernel's events.
    """

    def __init__(self, path: str) -> None:
        self._path = os.path.normpath(path)
        self._inotify = INotify()
        self._inotify.add_watch(path, MASK)
        self._alive = True

    def read(self) -> Told:
        told: Told = []
        for event in self._inotify.read(timeout=0):
            if not self._alive or event.mask & (flags.IGNORED | flags.UNMOUNT):
                continue
            self._alive = not event.mask & (flags.DELETE_SELF | flags.MOVE_SELF)
            path = f"{self._path}/{event.name}" if event.name else self._path
            ops = tuple(word for mask, word in WORDS if event.mask & mask)
            told.append((path, ops))
        return told

    def close(self) -> None:
        self._inotify.close()


class Twin:
    """
    One directory, watched by the kernel and by the model.
    """

    def __init__(self, scene: Scene) -> None:
        self.directory = ManifestDirectory(scene)
        self._clock = CaseClock()
        self._model = InotifyModel(self._clock, ends_with_move=True)
        self._told: Told = []
        self._model.add(self.directory.path, self._hear)
        self._kernel = Kernel(self.directory.path)

    def do(self, verb: str, argument: Any) -> tuple[Told, Told]:
        """Return what the model and what the kernel tell of one operation."""
        self._told.clear()
        self._model.tell(self.directory.apply(verb, argument))
        self._clock.run_due()
        return list(self._told), self._kernel.read()

    def close(self) -> None:
        self._kernel.close()
        self.directory.close()

    def _hear(self, event: WatchEvent | OSError) -> None:
        assert isinstance(event, WatchEvent)
        self._told.append((event.path, tuple(event.ops)))


@pytest.fixture
def twins() -> Iterator[list[Twin]]:
    made: list[Twin] = []
    yield made
    for twin in made:
        twin.close()


DIRECTORY = Scene(config=Config(), files={"a.yaml": b"a", "b.yaml": b"b"})
FILE = Scene(config=Config(), files={"a.yaml": b"a"}, dir="file")
LINK = Scene(config=Config(), files={"a.yaml": b"a"}, dir="symlink")

OPERATIONS: dict[str, list[tuple[str, Any]]] = {
    "write new": [("write", {"n.yaml": b"n"})],
    "write new, empty": [("write", {"n.yaml": b""})],
    "write over": [("write", {"a.yaml": b"other"})],
    "write over with nothing": [("write", {"a.yaml": b""})],
    "append": [("append", {"a.yaml": b"more"})],
    "append nothing": [("append", {"a.yaml": b""})],
    "append new": [("append", {"n.yaml": b"more"})],
    "write two": [("write", {"a.yaml": b"1", "n.yaml": b"2"})],
    "place new": [("place", {"n.yaml": b"n"})],
    "place over": [("place", {"a.yaml": b"other"})],
    "rename": [("rename", ["a.yaml", "n.yaml"])],
    "rename over": [("rename", ["a.yaml", "b.yaml"])],
    "rename to itself": [("rename", ["a.yaml", "a.yaml"])],
    "rename out and back": [
        ("rename", ["a.yaml", "../a.yaml"]),
        ("rename", ["../a.yaml", "a.yaml"]),
        ("write", {"a.yaml": b"later"}),
    ],
    "remove": [("remove", "a.yaml")],
    "remove and write again": [("remove", "a.yaml"), ("write", {"a.yaml": b"a"})],
    "mkdir and fill": [
        ("mkdir", "sub"),
        ("write", {"sub/x.yaml": b"x"}),
        ("remove", "sub"),
    ],
    "touch": [("touch", "a.yaml")],
    "touch new": [("touch", "n.yaml")],
    "touch the directory": [("touch", ".")],
    "chmod": [("chmod", {"a.yaml": "0600"})],
    "chmod the directory": [("chmod", {".": "0700"})],
    "symlink": [("symlink", {"l.yaml": "a.yaml"}), ("write", {"l.yaml": b"through"})],
    "symlink to outside": [
        ("write", {"../real": b"x"}),
        ("symlink", {"l.yaml": "../real"}),
        ("write", {"l.yaml": b"y"}),
        ("touch", "l.yaml"),
        ("chmod", {"l.yaml": "0600"}),
        ("remove", "l.yaml"),
    ],
    "dangling symlink": [
        ("symlink", {"l.yaml": "made.yaml"}),
        ("write", {"l.yaml": b"x"}),
    ],
    "hardlink": [
        ("hardlink", {"h.yaml": "a.yaml"}),
        ("write", {"h.yaml": b"1"}),
        ("remove", "a.yaml"),
        ("write", {"h.yaml": b"2"}),
        ("remove", "h.yaml"),
    ],
    "rename a hard link over its twin": [
        ("hardlink", {"h.yaml": "a.yaml"}),
        ("rename", ["a.yaml", "h.yaml"]),
    ],
    "hard link replaced": [
        ("hardlink", {"../kept": "a.yaml"}),
        ("place", {"a.yaml": b"other"}),
        ("write", {"../kept": b"still watched"}),
    ],
    "swap as a ConfigMap does": [
        ("mkdir", "v1"),
        ("write", {"v1/m.yaml": b"1"}),
        ("symlink", {"..data": "v1"}),
        ("symlink", {"m.yaml": "..data/m.yaml"}),
        ("mkdir", "v2"),
        ("write", {"v2/m.yaml": b"2"}),
        ("symlink", {"..tmp": "v2"}),
        ("rename", ["..tmp", "..data"]),
    ],
    "remove the directory": [
        ("remove", "."),
        ("mkdir", "."),
        ("write", {"a.yaml": b"a"}),
    ],
    "rename the directory away": [
        ("rename", [".", "../away"]),
        ("write", {"../away/a.yaml": b"unseen"}),
        ("mkdir", "."),
        ("write", {"a.yaml": b"a"}),
    ],
    "replace a directory by an empty one": [
        ("remove", "a.yaml"),
        ("remove", "b.yaml"),
        ("mkdir", "../new"),
        ("rename", ["../new", "."]),
    ],
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_directory_events_are_the_kernels(name: str, twins: list[Twin]) -> None:
    """Watching a directory, each operation gives the kernel's events in its order."""
    twins.append(Twin(DIRECTORY))

    for verb, argument in OPERATIONS[name]:
        model, kernel = twins[0].do(verb, argument)
        assert model == kernel, (verb, argument)


ON_A = [
    name
    for name, steps in OPERATIONS.items()
    if "b.yaml" not in str(steps) and "directory" not in name
]


@pytest.mark.parametrize("scene", [FILE, LINK], ids=["file", "symlink"])
@pytest.mark.parametrize("name", ON_A)
def test_file_events_are_the_kernels(
    name: str, scene: Scene, twins: list[Twin]
) -> None:
    """So it is for a watch on one file, and on a directory through a link."""
    twins.append(Twin(scene))

    for verb, argument in OPERATIONS[name]:
        model, kernel = twins[0].do(verb, argument)
        assert model == kernel, (verb, argument)


NAMES = st.sampled_from(["a", "b", ".c", "d/x", "d", "../out", "."])
DATA = st.sampled_from([b"", b"1", b"22"])
STEPS = st.one_of(
    st.tuples(
        st.sampled_from(["write", "append", "place"]),
        st.dictionaries(NAMES, DATA, min_size=1, max_size=2),
    ),
    st.tuples(st.sampled_from(["remove", "mkdir", "touch"]), NAMES),
    st.tuples(st.just("rename"), st.tuples(NAMES, NAMES).map(list)),
    st.tuples(
        st.sampled_from(["symlink", "hardlink"]),
        st.dictionaries(NAMES, NAMES, min_size=1, max_size=1),
    ),
    st.tuples(
        st.just("chmod"),
        st.dictionaries(NAMES, st.sampled_from(["0700", "0755"]), min_size=1),
    ),
)


@given(steps=st.lists(STEPS, max_size=12), scene=st.sampled_from([DIRECTORY, FILE]))
@settings(deadline=None, max_examples=300)
def test_any_operations_give_the_kernels_events(
    steps: list[tuple[str, Any]], scene: Scene
) -> None:
    """Whatever is done in whatever order, model and kernel tell the same."""
    twin = Twin(scene)
    try:
        for verb, argument in steps:
            try:
                model, kernel = twin.do(verb, argument)
            except OSError:
                return
            assert model == kernel, (verb, argument)
    finally:
        twin.close()


def _told(path: str, *steps: tuple[str, Any], ends_with_move: bool) -> list[str]:
    directory = ManifestDirectory(FILE)
    clock = CaseClock()
    model = InotifyModel(clock, ends_with_move=ends_with_move)
    told: list[str] = []

    def hear(event: WatchEvent | OSError) -> None:
        assert isinstance(event, WatchEvent)
        told.append(f"{'+'.join(event.ops)} {os.path.relpath(event.path, base)}")

    base = str(Path(directory.path).parent)
    model.add(f"{base}/{path}", hear)
    for verb, argument in steps:
        model.tell(directory.apply(verb, argument))
    clock.run_due()
    directory.close()
    return told


MOVE_AND_BACK = [
    ("rename", ["a.yaml", "../a.yaml"]),
    ("rename", ["../a.yaml", "a.yaml"]),
    ("write", {"a.yaml": b"later"}),
]


def test_watch_ends_with_a_move_of_its_own_path() -> None:
    """From fsnotify 1.7 on the watch is dropped (FILE-69)."""
    told = _told("a.yaml", *MOVE_AND_BACK, ends_with_move=True)

    assert told == ["rename a.yaml"]


def test_older_watch_stays_on_the_inode() -> None:
    """With fsnotify 1.4.9 it stays, so the write after the way back is told (FILE-69)."""
    told = _told("a.yaml", *MOVE_AND_BACK, ends_with_move=False)

    assert told == ["rename a.yaml", "rename a.yaml", "write a.yaml"]


@pytest.mark.parametrize(
    ("ends_with_move", "expected"),
    [(True, ["chmod a.yaml", "remove a.yaml"]), (False, ["remove a.yaml"])],
    ids=["1.9.0", "1.4.9"],
)
def test_older_watch_says_nothing_of_names_that_are_gone(
    ends_with_move: bool,  # noqa: FBT001 - a parameter of the test
    expected: list[str],
) -> None:
    """The loss of a link is a chmod, which 1.4.9 leaves out once the name is gone."""
    told = _told("a.yaml", ("remove", "a.yaml"), ends_with_move=ends_with_move)

    assert told == expected


def test_events_carry_the_path_in_clean_form() -> None:
    """A path such as ``/d/./p.yaml`` is cleaned by the watch (FILE-70)."""
    told = _told("./x/../a.yaml", ("write", {"a.yaml": b"1"}), ends_with_move=True)

    assert told == ["write a.yaml"]


def test_cancelled_watch_is_told_nothing() -> None:
    """Also what was told and not yet delivered is gone."""
    clock = CaseClock()
    directory = ManifestDirectory(DIRECTORY)
    model = InotifyModel(clock, ends_with_move=True)
    told: list[Any] = []
    cancel = model.add(directory.path, told.append)
    model.tell(directory.apply("touch", "a.yaml"))

    cancel()
    model.tell(directory.apply("touch", "b.yaml"))
    clock.run_due()
    directory.close()

    assert told == []


def test_watch_on_nothing_fails() -> None:
    """As the kernel does: no such file."""
    model = InotifyModel(CaseClock(), ends_with_move=True)

    with pytest.raises(FileNotFoundError):
        model.add("/no/such/path", lambda _: None)
