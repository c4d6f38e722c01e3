"""
The commands that answer and end: ``decode``, ``backoff``, ``cases``, and all errors.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from pytest_podsource.cli import commands
from pytest_podsource.contract import Config
from pytest_podsource.doubles.manifests import manifest
from pytest_podsource.reference import decode_manifest

MANIFESTS = Path(__file__).parent.parent / "manifests"


def podsource(*arguments: object, stdin: bytes = b"") -> Result:
    return CliRunner().invoke(commands, [str(each) for each in arguments], input=stdin)


def test_decode_prints_the_pod_of_the_reference() -> None:
    """As YAML and as JSON, the pod that decode_manifest gives."""
    path = MANIFESTS / "etcd.yaml"
    config = Config(path=str(path), node_name="cp", kubelet="1.34")
    pod = decode_manifest(path.read_bytes(), config)

    as_yaml = podsource("decode", path, "--kubelet=1.34", "--node-name=cp")
    as_json = podsource("decode", path, "--kubelet=1.34", "--node-name=cp", "--json")

    assert yaml.safe_load(as_yaml.stdout) == pod
    assert json.loads(as_json.stdout) == pod
    assert pod["metadata"]["name"] == "etcd-cp"


def test_decode_reads_standard_input() -> None:
    """With - the manifest is piped in."""
    text = json.dumps(manifest("web")).encode()

    result = podsource("decode", "-", "--json", stdin=text)

    assert json.loads(result.stdout)["metadata"]["name"] == "web-node1"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("odd-calico-node-template.yaml", "line 9"),
        ("odd-etcd-cut-off.yaml", "spec.containers[0].name"),
    ],
)
def test_decode_of_a_refused_manifest_says_why(name: str, message: str) -> None:
    """The line or the field is named; nothing is printed as if it were a pod."""
    result = podsource("decode", MANIFESTS / name)

    assert result.exit_code == 1
    assert result.stdout == ""
    assert "refused by 1.37" in result.stderr
    assert message in result.stderr


def test_every_other_manifest_of_the_collection_decodes() -> None:
    """What people really have is read, odd as it is."""
    broken = {"odd-calico-node-template.yaml", "odd-etcd-cut-off.yaml"}
    paths = [path for path in MANIFESTS.iterdir() if path.name not in broken]

    codes = {path.name: podsource("decode", path).exit_code for path in paths}

    assert len(codes) >= 11
    assert set(codes.values()) == {0}


def test_backoff_shows_when_each_try_comes() -> None:
    """The defaults are those of the file source's watch."""
    result = podsource("backoff", "--steps=8", "--json")

    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["at_ns"] // 10**9 for line in lines] == [0, 1, 3, 7, 15, 31, 51, 71]
    assert [line["delay_ns"] // 10**9 for line in lines] == [1, 2, 4, 8, 16, 20, 20, 20]


def test_backoff_for_people_is_aligned() -> None:
    """A number a line, in seconds, without a digit lost."""
    result = podsource("backoff", "--initial=500ms", "--max=3s", "--steps=3")

    assert result.stdout.splitlines() == [
        "   1  fails at       0s  waits     0.5s",
        "   2  fails at     0.5s  waits       1s",
        "   3  fails at     1.5s  waits       2s",
    ]


def test_cases_lists_what_is_bundled() -> None:
    """One component or all; with --json a line for each row."""
    text = podsource("cases", "diff").stdout
    rows = [
        json.loads(line) for line in podsource("cases", "--json").stdout.splitlines()
    ]

    assert "diff/keys-differ-by-case  keys that differ in case alone" in text
    assert "backoff/" not in text
    assert {row["component"] for row in rows} >= {"diff", "backoff"}
    assert all(row["facts"] for row in rows)


ERRORS = {
    "command": (["wotch"], "No such command 'wotch'"),
    "decode-missing": (["decode", "/nope"], "'/nope' does not exist"),
    "decode-folder": (["decode", "/"], "'/' is a directory"),
    "decode-kubelet": (["decode", "-", "--kubelet=9"], "'1.1', '1.20'"),
    "watch-nothing": (["watch"], "Give PATH, or --config with a staticPodPath."),
    "watch-missing": (["watch", "/nope", "--once"], "/nope does not exist."),
    "watch-config": (["watch", "--config=/nope"], "'/nope' does not exist"),
    "watch-records": (["watch", "--records", "/nope"], "/nope does not exist."),
    "watch-period": (["watch", "/", "--period=0s"], "'0s' is not longer than nothing."),
    "backoff-unit": (["backoff", "--initial=5"], "'5' is not a duration."),
    "backoff-steps": (["backoff", "--steps=0"], "0 is not in the range x>=1"),
    "cases-component": (["cases", "kafka"], "'backoff', 'diff'"),
    "record-module": (["record", "nope"], "there is no module 'nope'"),
}


@pytest.mark.parametrize(("arguments", "message"), ERRORS.values(), ids=ERRORS)
def test_error_is_told_without_a_traceback(
    pytester: pytest.Pytester, arguments: list[str], message: str
) -> None:
    """What is wrong and what would have been right; the exit code is 2."""
    command = Path(sys.executable).with_name("podsource")

    result = pytester.run(command, *arguments)

    text = " ".join(result.stderr.str().replace("\u2502", " ").split())
    assert result.ret == 2
    assert message in text
    assert "Traceback" not in text


@pytest.mark.parametrize("period", ["often", "-5s"])
def test_config_that_is_refused_names_the_field(period: str, tmp_path: Path) -> None:
    """A wrong value of the kubelet's file is told with its key."""
    path = tmp_path / "kubelet.yaml"
    path.write_text(f"staticPodPath: {tmp_path}\nfileCheckFrequency: {period}\n")

    result = podsource("watch", "--config", path)

    assert result.exit_code == 2
    assert "fileCheckFrequency" in result.stderr


@pytest.mark.parametrize("kind", ["folder", "file"])
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become somebody else")
def test_path_without_permission_is_told(kind: str) -> None:
    """An ordinary user is told which path can't be read."""
    # What click imports for an error: nobody may not be able to read it later.
    podsource("watch", "--once")
    with tempfile.TemporaryDirectory() as folder, _nobody_in(Path(folder)):
        path = Path(folder) / "manifests"
        path.mkdir() if kind == "folder" else path.touch()
        path.chmod(0)
        result = podsource("watch", path, "--once")
        path.chmod(0o700)

    assert result.exit_code == 2
    assert f"{path} can't be read by you. Change its mode." in result.stderr


@contextmanager
def _nobody_in(folder: Path) -> Iterator[None]:
    folder.chmod(0o777)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
