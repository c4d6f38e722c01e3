"""
Reading a manifest path from the real disk.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_podsource.core.disk import CannotList
from pytest_podsource.shells.files import RealDisk


def names(directory: Path | str, limit: int | None = None) -> list[str]:
    found = RealDisk().manifests(str(directory), limit)
    return [os.path.basename(manifest.path) for manifest in found]


@pytest.mark.parametrize(
    ("made", "state"),
    [("file", "file"), ("dir", "directory"), ("fifo", "special"), ("", "missing")],
)
def test_look_says_what_a_path_is(tmp_path: Path, made: str, state: str) -> None:
    """A path is told apart without opening it."""
    path = tmp_path / "x"
    if made == "file":
        path.write_bytes(b"")
    elif made == "dir":
        path.mkdir()
    elif made == "fifo":
        os.mkfifo(path)

    assert RealDisk().look(str(path)).state == state


def test_look_below_a_file_is_unreadable(tmp_path: Path) -> None:
    """A path whose parent is a file isn't missing, it can't be examined."""
    (tmp_path / "a").write_bytes(b"")

    look = RealDisk().look(str(tmp_path / "a" / "b"))

    assert look.state == "unreadable"
    assert "Not a directory" in look.error


def test_look_at_a_link_that_leads_to_itself_is_unreadable(tmp_path: Path) -> None:
    """A loop of links is an error, not a missing file."""
    (tmp_path / "a").symlink_to("a")

    assert RealDisk().look(str(tmp_path / "a")).state == "unreadable"


def test_manifests_come_in_the_order_of_their_bytes(tmp_path: Path) -> None:
    """Neither the locale nor numbers count."""
    for name in ("b", "B", "a10", "a9", "\xe4", ".hidden"):
        (tmp_path / name).write_text(name)

    assert names(tmp_path) == ["B", "a10", "a9", "b", "\xe4"]


def test_a_name_that_is_no_text_is_read(tmp_path: Path) -> None:
    """Bytes that aren't UTF-8 are a name like any other."""
    name = os.fsdecode(b"\xff\xfe.yaml")
    (tmp_path / name).write_bytes(b"x")

    (manifest,) = RealDisk().manifests(str(tmp_path), None)

    assert (os.path.basename(manifest.path), manifest.data) == (name, b"x")


def test_what_is_no_file_is_told_without_opening_it(tmp_path: Path) -> None:
    """A FIFO would block who opens it."""
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    (tmp_path / "lost").symlink_to("nowhere")

    found = {
        os.path.basename(manifest.path): (manifest.data, manifest.error)
        for manifest in RealDisk().manifests(str(tmp_path), None)
    }

    assert found == {
        "fifo": (None, "it is neither a directory nor a file"),
        "folder": (None, "it is a directory, which is not descended into"),
        "lost": (None, "it can't be examined: it leads nowhere"),
    }


@pytest.mark.parametrize(
    ("directory", "found"),
    [
        ("g[1]", ["in-g1"]),
        ("g[0-3]", ["in-g1"]),
        ("g[^1]", []),
        ("g?", ["in-g1"]),
        ("g*", ["in-g[1]", "in-g1", "in-g-x"]),
        (r"g\[1\]", ["in-g[1]"]),
    ],
)
def test_the_directory_is_part_of_the_pattern(
    tmp_path: Path, directory: str, found: list[str]
) -> None:
    """Its glob characters match its siblings, in Go's syntax."""
    for name in ("g[1]", "g1", "g-x"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"in-{name}").write_bytes(b"")

    assert sorted(names(tmp_path / directory)) == sorted(found)


@pytest.mark.parametrize("directory", ["g[", "g[]", "g[a-]", "g\\"])
def test_a_malformed_pattern_can_not_be_listed(tmp_path: Path, directory: str) -> None:
    """The error names the pattern."""
    with pytest.raises(CannotList, match="malformed pattern"):
        names(f"{tmp_path}/{directory}/x")


def test_a_directory_that_is_gone_seems_empty(tmp_path: Path) -> None:
    """The name expansion hides errors of the disk."""
    assert names(tmp_path / "gone") == []


@pytest.mark.parametrize(
    ("size", "limit", "is_read"),
    [(9, 10, True), (10, 10, False), (200_000, None, True)],
)
def test_read_keeps_to_the_limit(
    tmp_path: Path, size: int, limit: int | None, *, is_read: bool
) -> None:
    """A file of the limit's size is too big, one of a byte less isn't."""
    path = tmp_path / "a"
    path.write_bytes(b"x" * size)

    manifest = RealDisk().read(str(path), limit)

    assert (manifest.data == b"x" * size) is is_read
    assert ("limit" in manifest.error) is not is_read


def test_read_of_an_endless_file_ends_at_the_limit() -> None:
    """Nothing beyond the limit is kept."""
    manifest = RealDisk().read("/dev/zero", 1000)

    assert "limit" in manifest.error


def test_read_of_a_file_that_is_gone_says_so(tmp_path: Path) -> None:
    """The listing leaves such a file out in silence."""
    manifest = RealDisk().read(str(tmp_path / "a"), None)

    assert manifest.is_gone
    assert manifest.data is None


def test_read_of_a_directory_is_an_error(tmp_path: Path) -> None:
    """An event for a new folder ends here."""
    manifest = RealDisk().read(str(tmp_path), None)

    assert not manifest.is_gone
    assert "directory" in manifest.error


def test_read_of_a_fifo_does_not_wait_for_its_writer(tmp_path: Path) -> None:
    """An event for a new FIFO must not stop everything else."""
    os.mkfifo(tmp_path / "a")

    manifest = RealDisk().read(str(tmp_path / "a"), None)

    assert not manifest.is_gone
    assert "FIFO" in manifest.error
