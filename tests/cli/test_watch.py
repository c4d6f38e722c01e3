"""
``podsource watch`` on a real directory: what people reported, as it happens.

What gives nothing is followed by a change that gives something: if that comes next,
there was nothing before. An hour's period leaves events alone; a second's lets ticks in.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from pytest_podsource.cli import commands
from pytest_podsource.doubles.manifests import ManifestDirectory, manifest
from tests.cli.watching import APART, Watching

Watch = Callable[..., Watching]


@pytest.fixture
def directory(tmp_path: Path) -> ManifestDirectory:
    """A manifest directory with the pod a, image 1."""
    directory = ManifestDirectory.within(tmp_path)
    directory.write("a.yaml", manifest("a", image="1"))
    return directory


@pytest.fixture
def watching(directory: ManifestDirectory) -> Iterator[Watching]:
    """It, watched for events alone; its watch is there."""
    with Watching(directory.path, "--period=1h") as watching:
        assert watching.told() == "ADD a:1"
        watching.await_watch(directory)
        yield watching


def test_place_gives_remove_and_add(
    watching: Watching, directory: ManifestDirectory
) -> None:
    """An edit is another pod (R16)."""
    directory.place("a.yaml", manifest("a", image="2"))

    told = [watching.next() for _ in range(2)]

    assert [line["op"] for line in told] == ["REMOVE", "ADD"]
    uids = [line["pods"][0]["metadata"]["uid"] for line in told]
    assert uids[0] != uids[1]
    assert {line["source"] for line in told} == {"file"}
    assert told[0]["time"] <= told[1]["time"]


def test_touch_and_rewrite_give_nothing(
    watching: Watching, directory: ManifestDirectory
) -> None:
    """The same content is the same pod (R15)."""
    (directory.path / "a.yaml").touch()
    directory.write("a.yaml", manifest("a", image="1"))
    (directory.path / "a.yaml").chmod(0o600)
    directory.place("end.yaml", manifest("end", image="1"))

    assert watching.told() == "ADD end:1"


def test_dot_files_give_nothing(
    watching: Watching, directory: ManifestDirectory
) -> None:
    """An editor's swap file is never read (R03)."""
    directory.write(".a.yaml.swp", manifest("b", image="1"))
    directory.remove(".a.yaml.swp")
    directory.place("end.yaml", manifest("end", image="1"))

    assert watching.told() == "ADD end:1"


def test_editor_with_backup_moves_the_pod_to_and_fro(
    watching: Watching, directory: ManifestDirectory
) -> None:
    """The backup is a manifest too, and takes the pod along when it goes (R02)."""
    path = directory.path / "a.yaml"

    path.rename(f"{path}~")
    moved = [watching.told(), watching.told()]
    directory.place("a.yaml", manifest("a", image="2"))
    edited = [watching.told(), watching.told()]
    directory.remove("a.yaml~")

    assert moved == ["REMOVE a:1", "ADD a:1"]
    assert edited == ["REMOVE a:1", "ADD a:2"]
    assert watching.told() == "REMOVE a:2"


def test_move_out_and_back_gives_both(
    watching: Watching, directory: ManifestDirectory, tmp_path: Path
) -> None:
    """A removal and an addition of the same pod, not merged away (R12)."""
    away = (directory.path / "a.yaml").rename(tmp_path / "a.yaml")
    gone = watching.next()
    away.rename(directory.path / "a.yaml")
    back = watching.next()

    assert [gone["op"], back["op"]] == ["REMOVE", "ADD"]
    assert gone["pods"][0]["metadata"]["uid"] == back["pods"][0]["metadata"]["uid"]


def test_empty_file_that_is_filled_later_is_added_then(
    watching: Watching, directory: ManifestDirectory
) -> None:
    """What can't be read yet is no pod, and nothing else moves (R09)."""
    directory.write("b.yaml", "")
    directory.write("b.yaml", manifest("b", image="1"))

    assert watching.told() == "ADD b:1"


def test_swap_of_a_data_symlink_is_seen_by_the_events_of_the_names(
    watching: Watching, directory: ManifestDirectory
) -> None:
    """What a link points at may change unseen; a new link of that name is seen."""
    data = directory.path.parent / "data"
    data.mkdir()
    (data / "b.yaml").write_text(json.dumps(manifest("b", image="1")))
    link = directory.path / "b.yaml"
    link.symlink_to(data / "b.yaml")
    first = watching.told()

    (data / "b.yaml").write_text(json.dumps(manifest("b", image="2")))
    other = directory.path / ".b.link"
    other.symlink_to(data / "b.yaml")
    other.rename(link)

    assert first == "ADD b:1"
    assert [watching.told(), watching.told()] == ["REMOVE b:1", "ADD b:2"]


def test_broken_edit_costs_the_pod_at_the_next_tick(
    directory: ManifestDirectory,
) -> None:
    """The event changes nothing, the listing drops it; the others stay (R13)."""
    directory.write("b.yaml", manifest("b", image="1"))
    with Watching(directory.path, "--period=1s") as watching:
        first = watching.told()
        directory.place("a.yaml", "{{ not yaml")
        dropped = watching.told()
        directory.place("a.yaml", manifest("a", image="2"))
        mended = watching.told()

    assert [first, dropped, mended] == ["ADD a:1 b:1", "REMOVE a:1", "ADD a:2"]


def test_backup_beside_the_manifest_wins(directory: ManifestDirectory) -> None:
    """Names are sorted and the last one counts (R01)."""
    directory.write("a.yaml.bak", manifest("a", image="0"))

    with Watching(directory.path, "--period=1h") as watching:
        assert watching.told() == "ADD a:0"


def test_path_that_comes_later_is_found_by_a_tick(tmp_path: Path) -> None:
    """A missing path counts as seen and empty (R23, R21)."""
    with Watching(tmp_path / "manifests", "--period=1s") as watching:
        first = watching.told()
        (tmp_path / "other").mkdir()
        other = ManifestDirectory.within(tmp_path / "other")
        other.write("a.yaml", manifest("a", image="1"))
        other.path.rename(tmp_path / "manifests")
        second = watching.told()

    assert [first, second] == ["ADD", "ADD a:1"]


def test_config_gives_path_and_period(
    directory: ManifestDirectory, tmp_path: Path
) -> None:
    """The kubelet's own file is enough; its path is relative to it."""
    config = tmp_path / "kubelet.yaml"
    config.write_text("staticPodPath: manifests\nfileCheckFrequency: 1s\n")
    with Watching("--config", config) as watching:
        first = watching.told()
        directory.place("a.yaml", "rubbish")  # only a tick drops it
        second = watching.told()

    assert [first, second] == ["ADD a:1", "REMOVE a:1"]


def test_once_prints_what_is_there_and_ends(directory: ManifestDirectory) -> None:
    """A table for people, with a header; what is wrong goes to standard error."""
    directory.write("b.yaml", "rubbish")

    result = CliRunner(**APART).invoke(
        commands, ["watch", "--once", str(directory.path)]
    )

    header, line = result.stdout.splitlines()
    assert result.exit_code == 0
    assert header.split() == ["time", "operation", "source", "pod"]
    assert line.split()[1:4] == ["ADD", "file", "default/a-node1"]
    assert line.split()[-1] == "1"
    assert f"error: {directory.path}/b.yaml: " in result.stderr


def test_once_on_an_empty_directory_says_that_there_are_no_pods(
    tmp_path: Path,
) -> None:
    """The empty ADD is shown: the source was seen."""
    result = CliRunner(**APART).invoke(commands, ["watch", "--once", str(tmp_path)])

    assert result.stdout.splitlines()[-1].split()[1:] == ["ADD", "file", "(no", "pods)"]


@pytest.mark.parametrize("kubelet", ["1.1", "1.20", "1.37"])
def test_once_follows_the_kubelet_that_is_named(
    directory: ManifestDirectory, kubelet: str
) -> None:
    """In 1.1 the first of two manifests of one pod counts, later the last."""
    directory.write("a.yaml.bak", manifest("a", image="0"))

    result = CliRunner(**APART).invoke(
        commands,
        ["watch", "--once", "--json", f"--kubelet={kubelet}", str(directory.path)],
    )

    pods = json.loads(result.stdout)["pods"]
    images = [pod["spec"]["containers"][0]["image"] for pod in pods]
    assert images == (["1"] if kubelet == "1.1" else ["0"])
