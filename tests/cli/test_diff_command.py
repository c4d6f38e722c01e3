"""
``podsource diff``: two files, two directories, a revision of git.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pytest_podsource.cli import commands

POD = (
    "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n"
    "spec: {containers: [{name: c, image: 'nginx:1'}]}\n"
)
NEW = POD.replace("nginx:1", "nginx:2")


def diff(*arguments: object) -> Result:
    return CliRunner().invoke(commands, ["diff", *map(str, arguments)])


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def test_two_files_are_one_manifest_before_and_after(tmp_path: Path) -> None:
    """Whatever they are called."""
    old, new = written(tmp_path / "old", POD), written(tmp_path / "new", NEW)

    same, other = diff(old, old), diff(old, new)

    assert (same.exit_code, other.exit_code) == (0, 1)
    assert "The kubelet emits nothing." in same.stdout
    assert other.stdout.splitlines() == [
        "default/web-node1: restarts (REMOVE, ADD)",
        "  its UID is made anew: spec.containers[0].image",
    ]


def test_two_directories_are_compared_by_the_names_of_their_files(
    tmp_path: Path,
) -> None:
    """A hidden file is none; a new one starts a pod, one that is gone stops it."""
    written(tmp_path / "old/web", POD)
    written(tmp_path / "old/db", POD.replace("web", "db"))
    written(tmp_path / "new/web", POD)
    written(tmp_path / "new/.db", POD.replace("web", "db"))
    written(tmp_path / "new/lb", POD.replace("web", "lb"))

    result = diff(tmp_path / "old", tmp_path / "new", "--json")

    told = json.loads(result.stdout)
    assert [each["op"] for each in told["operations"]] == ["REMOVE", "ADD"]
    assert {each["pod"]: each["fate"] for each in told["pods"]} == {
        "default/db-node1": "stops",
        "default/lb-node1": "starts",
        "default/web-node1": "stays",
    }


def test_a_refused_manifest_is_told_and_is_the_exit_code(tmp_path: Path) -> None:
    """With its line."""
    old = written(tmp_path / "old", POD)
    new = written(tmp_path / "new", POD.replace("'nginx:1'", "1"))

    result = diff(old, new)

    assert result.exit_code == 2
    assert result.stdout.startswith(
        "manifest:4: refused: spec.containers[0].image: 1 is not a text."
    )


def test_a_url_keeps_its_pods_and_has_another_uid(tmp_path: Path) -> None:
    """The answer of the URL before and after."""
    old, new = written(tmp_path / "old", POD), written(tmp_path / "new", NEW)

    result = diff(old, new, "--url=http://manifests.example/")

    assert result.exit_code == 1
    assert "restarts (REMOVE, ADD)" in result.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one commit: web.yaml, and a link to it."""
    folder = tmp_path / "repository"
    folder.mkdir()
    written(folder / "manifests/web.yaml", POD)
    (folder / "manifests/link.yaml").symlink_to("web.yaml")
    for command in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=n", "-c", "user.email=e@example", "commit", "-qm", "m"],
    ):
        done = subprocess.run(["git", "-C", folder, *command], timeout=30, check=False)
        if done.returncode:
            pytest.skip("git doesn't work here")
    return folder


def test_a_revision_is_compared_with_the_working_tree(repository: Path) -> None:
    """For a directory and for one file; a link is followed there as well."""
    same = diff("HEAD", repository / "manifests")
    written(repository / "manifests/web.yaml", NEW)
    directory = diff("HEAD", repository / "manifests", "--json")
    one = diff("HEAD", repository / "manifests/web.yaml")

    assert same.exit_code == 0, same.output
    assert json.loads(directory.stdout)["pods"][0]["fate"] == "restarts"
    assert "restarts" in one.stdout


def test_what_is_neither_path_nor_revision_is_told(repository: Path) -> None:
    """With what would have been right."""
    result = diff("nope", repository / "manifests")

    assert "'nope' is neither a path nor a revision" in str(result.exception)


def test_a_file_and_a_directory_are_not_compared(tmp_path: Path) -> None:
    """Nor a URL with a directory."""
    file = written(tmp_path / "a/web", POD)

    assert "Give two alike" in diff(file, file.parent).stderr
    assert "Give two alike" in diff(file.parent, file).stderr
    assert "A URL answers with one file" in (
        diff(file.parent, file.parent, "--url=http://h/").stderr
    )
