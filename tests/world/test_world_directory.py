"""
The manifest directory of a case looks as the scene says, and its verbs are done.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_podsource.contract import Config
from pytest_podsource.exceptions import CannotRunHere, CaseError
from pytest_podsource.world.base import Scene
from pytest_podsource.world.directory import ManifestDirectory

Make = Callable[..., ManifestDirectory]


@pytest.fixture
def make() -> Iterator[Make]:
    made: list[ManifestDirectory] = []

    def directory(path: str = "", **scene: object) -> ManifestDirectory:
        made.append(ManifestDirectory(Scene(config=Config(path=path), **scene)))  # type: ignore[arg-type]
        return made[-1]

    yield directory
    for each in made:
        each.close()


def test_directory_has_the_files_of_the_scene(make: Make) -> None:
    """Files are there, with the folders that their names need."""
    directory = make(files={"a.yaml": b"a", "sub/b.yaml": b"b"})

    assert Path(directory.path, "a.yaml").read_bytes() == b"a"
    assert Path(directory.path, "sub/b.yaml").read_bytes() == b"b"


def test_missing_directory_is_missing(make: Make) -> None:
    """``dir: missing`` gives a path that leads nowhere, and can be made later."""
    directory = make(dir="missing")
    missing = not Path(directory.path).exists()

    directory.apply("mkdir", ".")

    assert missing
    assert Path(directory.path).is_dir()


def test_file_is_the_path_itself(make: Make) -> None:
    """``dir: file`` gives the path of the file; names stay relative to its folder."""
    directory = make(dir="file", files={"p.yaml": b"p"})

    directory.apply("write", {"p.yaml": b"other"})

    assert Path(directory.path).name == "p.yaml"
    assert Path(directory.path).read_bytes() == b"other"


def test_symlink_leads_to_a_directory(make: Make) -> None:
    """``dir: symlink`` gives a link, and what is written through it is there."""
    directory = make(dir="symlink", files={"a": b"a"})

    assert Path(directory.path).is_symlink()
    assert [each.name for each in Path(directory.path).iterdir()] == ["a"]


@pytest.mark.parametrize(
    ("path", "ends"),
    [
        ("manifests/./a.yaml", "/manifests/./a.yaml"),
        ("manifests///", "/manifests///"),
        ("g[", "/g["),
    ],
)
def test_relative_path_is_kept_as_a_text(make: Make, path: str, ends: str) -> None:
    """A path that isn't in clean form reaches the implementation as it is."""
    assert make(path, files={"a.yaml": b"a"}).path.endswith(ends)


def test_absolute_path_is_left_alone(make: Make) -> None:
    """What is only hashed into UIDs needn't exist."""
    assert make("/m/web.yaml").path == "/m/web.yaml"


def test_place_never_shows_a_part(make: Make) -> None:
    """The new file is another inode, and the temporary name is gone."""
    directory = make(files={"a.yaml": b"a"})
    before = Path(directory.path, "a.yaml").stat().st_ino

    directory.apply("place", {"a.yaml": b"b"})

    assert Path(directory.path, "a.yaml").stat().st_ino != before
    assert [each.name for each in Path(directory.path).iterdir()] == ["a.yaml"]


def test_write_keeps_the_inode(make: Make) -> None:
    """A plain write truncates and fills the same file."""
    directory = make(files={"a.yaml": b"a"})
    before = Path(directory.path, "a.yaml").stat().st_ino

    directory.apply("write", {"a.yaml": b"bb"})

    assert Path(directory.path, "a.yaml").stat().st_ino == before


@pytest.mark.parametrize(
    ("error", "number"), [("EIO", errno.EIO), ("ELOOP", errno.ELOOP)]
)
def test_fault_lets_each_reading_fail(make: Make, error: str, number: int) -> None:
    """A reading fails as ordered, until the fault is taken back."""
    directory = make(files={"a.yaml": b"a"})
    path = Path(directory.path, "a.yaml")

    directory.fail_reading("a.yaml", number)
    with pytest.raises(OSError, match=os.strerror(number)):
        path.read_bytes()
    directory.fail_reading("a.yaml", 0)

    assert path.read_bytes() == b"a"


def test_writing_ends_a_fault(make: Make) -> None:
    """A write never goes through the link that stands for the fault."""
    directory = make(files={"a.yaml": b"a"})
    directory.fail_reading("a.yaml", errno.EIO)

    directory.apply("write", {"a.yaml": b"b"})

    assert Path(directory.path, "a.yaml").read_bytes() == b"b"


def test_fault_that_a_real_file_cannot_have_is_refused(make: Make) -> None:
    """The error says which ones there are."""
    directory = make(files={"a.yaml": b"a"})

    with pytest.raises(CannotRunHere, match=r"ENOSPC.*EIO, EISDIR, ELOOP"):
        directory.fail_reading("a.yaml", errno.ENOSPC)


def test_close_leaves_nothing_on_the_disk(make: Make) -> None:
    """Not even what was renamed out of the manifest directory."""
    directory = make(files={"a.yaml": b"a"})
    directory.apply("rename", ["a.yaml", "../b.yaml"])
    root = Path(directory.path).parent

    directory.close()

    assert not root.exists()


@pytest.mark.parametrize(
    ("verb", "argument"),
    [
        ("write", lambda out: {"../../ours": b""}),
        ("write", lambda out: {f"{out}/ours": b""}),
        ("write", lambda out: {"out/ours": b""}),
        ("write", lambda out: {"link": b""}),
        ("append", lambda out: {"link": b"x"}),
        ("truncate", lambda out: {"link": 0}),
        ("chmod", lambda out: {"link": "0"}),
        ("touch", lambda out: "link"),
        ("place", lambda out: {"out/ours": b""}),
        ("rename", lambda out: ["a", f"{out}/ours"]),
        ("remove", lambda out: f"{out}/theirs"),
        ("mkdir", lambda out: "../../ours"),
        ("symlink", lambda out: {"out/ours": "a"}),
        ("hardlink", lambda out: {"ours": f"{out}/theirs"}),
    ],
)
def test_no_verb_leads_out_of_the_temporary_directory(
    make: Make, tmp_path: Path, verb: str, argument: Callable[[Path], object]
) -> None:
    """By name, by an absolute path, through a link: a case may be a stranger's."""
    theirs = tmp_path / "theirs"
    theirs.write_bytes(b"theirs")
    mode = theirs.stat().st_mode
    directory = make(files={"a": b""})
    directory.apply("symlink", {"out": str(tmp_path), "link": str(theirs)})

    with pytest.raises(CaseError, match="leads out of the temporary directory"):
        directory.apply(verb, argument(tmp_path))

    assert [each.name for each in tmp_path.iterdir()] == ["theirs"]
    assert (theirs.read_bytes(), theirs.stat().st_mode) == (b"theirs", mode)
