"""
``podsource check``: what it reads, how it tells, and its exit code.
"""

from __future__ import annotations

import json
import os
import pty
import socket
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from click.testing import CliRunner, Result

from pytest_podsource.cli import commands

MANIFESTS = Path(__file__).parent.parent / "manifests"
POD = (
    "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n"
    "spec: {containers: [{name: c, image: 'nginx:1'}]}\n"
)


def check(*arguments: object) -> Result:
    return CliRunner().invoke(commands, ["check", *map(str, arguments)])


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    folder = tmp_path / "manifests"
    folder.mkdir()
    (folder / "web.yaml").write_text(POD)
    return folder


def states(result: Result) -> dict[str, str]:
    lines = map(json.loads, result.stdout.splitlines())
    return {Path(line["path"]).name: line["state"] for line in lines}


def codes(result: Result) -> list[str]:
    lines = map(json.loads, result.stdout.splitlines())
    return [finding["code"] for line in lines for finding in line["findings"]]


@pytest.mark.parametrize(
    ("text", "code"), [(POD, 0), (POD + "hi: 1\n", 1), ("rubbish", 2)]
)
def test_the_exit_code_says_how_bad_it_is(
    directory: Path, text: str, code: int
) -> None:
    """Nothing, findings, refused."""
    (directory / "web.yaml").write_text(text)

    assert check(directory).exit_code == code


def test_a_directory_is_read_as_the_kubelet_reads_it(directory: Path) -> None:
    """Each name that lies there is told, read or not."""
    (directory / ".draft.yaml").write_text(POD)
    (directory / "sub").mkdir()
    os.mkfifo(directory / "fifo")
    (directory / "gone").symlink_to("nowhere")
    (directory / "link").symlink_to("../real")
    (directory.parent / "real").write_text(POD.replace("web", "real"))

    result = check(directory, "--json")

    assert result.exit_code == 2
    assert states(result) == {
        ".draft.yaml": "not-read",
        "fifo": "not-read",
        "gone": "not-read",
        "link": "taken",
        "sub": "not-read",
        "web.yaml": "taken",
    }
    assert codes(result) == [
        "dot-file",
        "special-file",
        "dangling-link",
        "symlink",
        "subdirectory",
    ]


def test_a_directory_whose_name_is_a_pattern_hides_its_files(tmp_path: Path) -> None:
    """The kubelet's listing finds those of another directory."""
    folder = tmp_path / "g[1]"
    folder.mkdir()
    (folder / "web.yaml").write_text(POD)

    result = check(folder, "--json")

    assert states(result) == {"g[1]": "directory", "web.yaml": "not-read"}
    assert codes(result) == ["glob-directory", "not-listed"]


def test_files_named_singly_are_seen_together(directory: Path) -> None:
    """As pre-commit names them: two of one directory may have one pod."""
    (directory / "web2.yaml").write_text(POD)

    result = check(directory / "web.yaml", directory / "web2.yaml", "--json")

    assert codes(result) == ["same-pod", "same-pod"]


def test_nothing_is_written(directory: Path) -> None:
    """Neither beside the manifests nor in them."""
    before = {path: path.stat().st_mtime_ns for path in directory.rglob("*")}

    check(directory)
    check(directory, "--from=1.34", "--to=1.37")

    assert {path: path.stat().st_mtime_ns for path in directory.rglob("*")} == before


def test_lines_and_annotations_name_file_and_line(directory: Path) -> None:
    """One line a finding, for editors, pre-commit and CI."""
    path = directory / "web.yaml"
    path.write_text(POD + "hi: 1\n")

    lines = check(path, "--format=lines").stdout
    github = check(path, "--format=github").stdout

    said = "hi: no such field is known, so it vanishes"
    assert lines == f"{path}:5: finding: unknown-field: {said}\n"
    assert github == f"::warning file={path},line=5,title=unknown-field::{said}\n"


def test_text_fits_on_80_columns() -> None:
    """A path may be longer than that, a text isn't."""
    result = check(MANIFESTS)

    assert "13 manifests: 11 taken, 2 refused; 9 findings (kubelet 1.37)" in (
        result.stdout
    )
    long = [line for line in result.stdout.splitlines() if len(line) > 80]
    assert all(str(MANIFESTS) in line for line in long)


def test_an_upgrade_between_two_kubelets_is_told(directory: Path) -> None:
    """With what changes whatever the manifests hold."""
    result = check(directory, "--from=1.33", "--to=v1.37.2")

    assert result.exit_code == 1
    assert "1.33 counts as 1.30" in result.stderr
    assert "[upgrade-uid]" in result.stdout
    assert "Whatever the manifests hold, from 1.30 to 1.37:" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Missing argument"),
        (["x", "--from=1.34"], "Give --kubelet, or --from and --to."),
        (["x", "--kubelet=one"], "'one' is not a version"),
        (["x", "--kubelet=2.0"], "'2.0' is not known"),
    ],
)
def test_a_wrong_use_is_told(arguments: list[str], words: str) -> None:
    """With what would have been right."""
    result = check(*arguments)

    assert result.exit_code == 2
    assert words in result.stderr


def test_a_path_that_is_not_there_is_told() -> None:
    """And what a kubelet would do."""
    result = check("/nope")

    assert "go on as with an empty directory" in str(result.exception)


@pytest.fixture
def url() -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = POD.encode() if self.path == "/pod" else b""
            self.send_response(404 if self.path == "/none" else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join(5)


def test_a_url_is_fetched_as_the_kubelet_does(url: str) -> None:
    """Its pods, or why there are none."""
    result = check(f"{url}/pod", "--json")

    assert result.exit_code == 0
    assert json.loads(result.stdout)["pods"][0]["name"] == "web-node1"
    assert "status 404. Only 200 counts" in str(check(f"{url}/none").exception)
    assert "the body is empty" in str(check(f"{url}/empty").exception)


def test_a_url_that_refuses_is_told() -> None:
    """In one line."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

    result = check(f"http://127.0.0.1:{port}/")

    assert "The kubelet keeps the pods that it had." in str(result.exception)


def test_a_terminal_shows_what_is_under_way(directory: Path) -> None:
    """On standard error only, so that what is printed can still be read by a program."""
    terminal, side = pty.openpty()
    command = [sys.executable, "-m", "pytest_podsource.cli", "check", "--json"]
    try:
        run = subprocess.run(
            [*command, directory],
            stdout=subprocess.PIPE,
            stderr=side,
            check=True,
            timeout=60,
        )
    finally:
        os.close(side)
    shown = os.read(terminal, 4096)
    os.close(terminal)

    assert b"Reading manifests" in shown
    assert json.loads(run.stdout)["state"] == "taken"


def test_what_comes_before_a_path_that_is_not_there_is_told(directory: Path) -> None:
    """The manifests that could be judged are not lost."""
    result = check(directory, directory / "nowhere")

    assert "web.yaml: taken as" in " ".join(result.stdout.split())
    assert "does not exist" in str(result.exception)
