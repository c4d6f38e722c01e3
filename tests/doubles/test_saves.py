"""
A save is, event by event, what inotify shows of the real program.
"""

from __future__ import annotations

import itertools
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_podsource.doubles.manifests import ManifestDirectory
from pytest_podsource.doubles.saves import SCRIPTS, Program

if sys.platform != "linux":
    pytest.skip("inotify is Linux's", allow_module_level=True)

from inotify_simple import INotify, flags

SHOWN = (
    flags.CREATE
    | flags.MODIFY
    | flags.ATTRIB
    | flags.CLOSE_WRITE
    | flags.MOVED_FROM
    | flags.MOVED_TO
    | flags.DELETE
)
OLD, NEW = "image: one\n", "image: two\n"
# The temporary folder isn't left out of backups: vim does so by default.
_VIM = ("vim", "-Nu", "NONE", "-es", "-c", "set backupskip=")
_SAVE = ("-c", "%s/one/two/", "-c", "wq", "a.yaml")
_S = ("s/one/two/", "a.yaml")
REAL: dict[Program, tuple[str, ...]] = {
    "vim": (*_VIM, *_SAVE),
    "vim backup": (*_VIM, "-c", "set backup", *_SAVE),
    "vim backupcopy=yes": (*_VIM, "-c", "set backupcopy=yes", *_SAVE),
    "sed -i": ("sed", "-i", *_S),
    "sed -i.bak": ("sed", "-i.bak", *_S),
    "perl -pi": ("perl", "-pi", "-e", *_S),
    "perl -pi.bak": ("perl", "-pi.bak", "-e", *_S),
    "ed": ("ed", "-s", "a.yaml"),
    "cp": ("cp", "../new", "a.yaml"),
    "install": ("install", "-m", "644", "../new", "a.yaml"),
}


def shown(folder: Path, work: Callable[[], object]) -> list[tuple[str, str]]:
    """What inotify shows of *work*; a random temporary name is ``temporary``."""
    with INotify() as inotify:
        inotify.add_watch(folder, SHOWN)
        work()
        events = inotify.read(timeout=0)
    return [
        (
            re.sub(r"^(sed\w{6}|XX\w{6})$", "temporary", event.name),
            "|".join(str(flag.name) for flag in flags.from_mask(event.mask)),
        )
        for event in events
    ]


def merged(events: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Equal neighbours are one."""
    return [each for each, _ in itertools.groupby(events)]


@pytest.fixture
def directory(tmp_path: Path) -> ManifestDirectory:
    made = ManifestDirectory.within(tmp_path)
    made.write("a.yaml", OLD)
    made.events.clear()
    return made


@pytest.mark.parametrize("program", REAL)
def test_save_is_what_the_real_program_does(
    directory: ManifestDirectory, tmp_path: Path, program: Program
) -> None:
    """The same events in the same order, closings too, and the same files after it."""
    command = REAL[program]
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    real = tmp_path / "real"
    real.mkdir()
    (real / "a.yaml").write_text(OLD)
    (tmp_path / "new").write_text(NEW)

    def run() -> None:
        subprocess.run(
            command,
            cwd=real,
            input=b",s/one/two/\nw\nq\n",
            capture_output=True,
            check=False,
            timeout=30,
        )

    expected = shown(real, run)
    got = shown(directory.path, lambda: directory.save_like(program, "a.yaml", NEW))

    assert got == expected
    assert sorted(each.name for each in directory.path.iterdir()) == sorted(
        each.name for each in real.iterdir()
    )
    assert (directory.path / "a.yaml").read_text() == NEW


def test_every_program_but_our_own_is_compared() -> None:
    """A script without its program would be a guess."""
    assert set(SCRIPTS) - set(REAL) == {"place"}


@pytest.mark.parametrize("program", SCRIPTS)
def test_what_a_save_tells_is_what_the_kernel_tells(
    directory: ManifestDirectory, program: Program
) -> None:
    """The events as a list, and the kernel's, which merges what nobody has read."""
    words = {
        "CREATE": "create",
        "MOVED_TO": "create",
        "MODIFY": "write",
        "ATTRIB": "chmod",
        "MOVED_FROM": "rename",
        "DELETE": "remove",
    }
    names = {"sedSTQUkB": "temporary", "XXZQGJ0S": "temporary"}

    kernel = shown(directory.path, lambda: directory.save_like(program, "a.yaml", NEW))

    told = [(op, names.get(name, name)) for op, name in directory.events]
    read = [(words[kind], name) for name, kind in kernel if kind != "CLOSE_WRITE"]
    assert merged(told) == merged(read)


@pytest.mark.parametrize("program", SCRIPTS)
def test_save_makes_a_file_that_was_not_there(tmp_path: Path, program: Program) -> None:
    """Also as the programs do that begin with the old one."""
    directory = ManifestDirectory.within(tmp_path)

    path = directory.save_like(program, "new.yaml", NEW)

    assert path.read_text() == NEW
    assert [each.name for each in directory.path.iterdir()] == ["new.yaml"]


def test_save_again_leaves_one_backup(directory: ManifestDirectory) -> None:
    """The old backup goes."""
    for program in ("sed -i.bak", "perl -pi.bak"):
        directory.save_like(program, "a.yaml", "1")
        directory.save_like(program, "a.yaml", "2")

        assert (directory.path / "a.yaml.bak").read_text() == "1"


def test_unknown_program_is_told_the_known_ones(directory: ManifestDirectory) -> None:
    """A slip doesn't make a save of another kind."""
    with pytest.raises(ValueError, match=r"'nano' is not known. Known: vim, .*place"):
        directory.save_like("nano", "a.yaml", NEW)  # type: ignore[arg-type]
