"""
``podsource run``: a directory, a URL and an apiserver, all real, all changing.

What is expected is a case that the real kubelets have answered: carried out here with
real files and sockets, it has to give the same operations in the same order.
"""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from pytest_podsource.cli import commands
from pytest_podsource.contract import Pod
from pytest_podsource.doubles.apiserver.fake import FakeApiserver
from pytest_podsource.doubles.manifests import ManifestDirectory, manifest
from pytest_podsource.record import load_records
from pytest_podsource.suite.bundled import bundled_root
from pytest_podsource.suite.case import Case, load_cases
from pytest_podsource.suite.content import render
from pytest_podsource.suite.pods import for_object, name_of
from pytest_podsource.suite.scene import scene_of
from pytest_podsource.suite.steps import Step, for_world, steps_of
from tests.cli.watching import COMMAND, Watching

LIMIT_S = 10.0
CASE = "three-sources-that-all-change"


class UrlServer:
    """
    A manifest URL that can be killed, and started again where it was.
    """

    def __init__(self) -> None:
        self.body = b""
        self._server: ThreadingHTTPServer | None = None
        self._port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/pods"

    def start(self) -> None:
        answers = self

        class Handler(BaseHTTPRequestHandler):
            timeout = LIMIT_S

            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Length", str(len(answers.body)))
                self.end_headers()
                with suppress(OSError):
                    self.wfile.write(answers.body)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                """Say nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", self._port), Handler)
        server.daemon_threads = True
        server.block_on_close = False
        self._server, self._port = server, server.server_address[1]
        self._thread = threading.Thread(
            target=server.serve_forever, args=(0.01,), daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._thread.join(LIMIT_S)
            self._server.server_close()
            self._server = None


class Surroundings:
    """
    What a kubelet has around it: a directory, a URL, an apiserver.
    """

    def __init__(self, folder: Path, apiserver: FakeApiserver) -> None:
        self.directory = ManifestDirectory.within(folder)
        self.url = UrlServer()
        self.url.start()
        self.apiserver = apiserver
        apiserver.nodes.add("node1")
        self._folder = folder

    def config(self, period: str = "100ms") -> Path:
        path = self._folder / "kubelet.yaml"
        settings = {
            "kind": "KubeletConfiguration",
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "staticPodPath": self.directory.path.name,
            "fileCheckFrequency": period,
            "staticPodURL": self.url.url,
            "httpCheckFrequency": period,
        }
        path.write_text(yaml.safe_dump(settings))
        return path

    def run(self, *arguments: str) -> Watching:
        kubeconfig = self.apiserver.write_kubeconfig(self._folder / "kubeconfig")
        return Watching(
            f"--config={self.config()}",
            f"--kubeconfig={kubeconfig}",
            *arguments,
            command="run",
        )

    def do(self, step: Step) -> None:
        """Carry out a step of a case."""
        argument = for_world(step)
        if step.verb == "place":
            for name, data in argument.items():
                self.directory.place(name, data)
        elif step.verb == "remove":
            self.directory.remove(argument)
        elif step.verb == "replies":
            self.url.body = argument[0].body
        elif step.verb == "api":
            ((word, pod),) = argument.items()
            self.change(word, pod)

    def change(self, word: str, pod: Pod) -> None:
        """Let the apiserver tell an event."""
        metadata = pod["metadata"]
        if word == "ADDED":
            self.apiserver.pods.add(pod, node="node1")
        elif word == "MODIFIED":
            self.apiserver.pods.change(metadata["name"], pod)
        else:
            self.apiserver.pods.remove(metadata["name"])


@pytest.fixture
def around(tmp_path: Path) -> Iterator[Surroundings]:
    """A directory, a URL and an apiserver, with nothing in them."""
    pytest.importorskip("aiohttp", reason="the extra apiserver is not installed")
    with FakeApiserver() as apiserver:
        surroundings = Surroundings(tmp_path, apiserver)
        yield surroundings
        surroundings.url.stop()


def told(running: Watching) -> str:
    """Return the next operation in short."""
    line = running.next()
    names = sorted(pod["metadata"]["name"] for pod in line["pods"])
    return " ".join([line["op"], line["source"], *names])


def expected(entry: Mapping[str, Any]) -> str:
    """Return an entry of a case in the same form."""
    ((op, pods),) = [(key, value) for key, value in entry.items() if key != "source"]
    return " ".join([op, entry["source"], *sorted(map(name_of, pods))])


def case_of(name: str) -> Case:
    (case,) = (each for each in load_cases(bundled_root() / "cases") if each.id == name)
    return case


def test_the_same_input_gives_the_operations_of_the_kubelet(
    around: Surroundings,
) -> None:
    """Each step of a case that a real kubelet has answered, with real input."""
    case = case_of(f"sources/{CASE}")
    assert load_records(bundled_root() / "recorded")["1.37"].confirms(case)
    scene = scene_of(case, kubelet="1.37")
    around.url.body = scene.replies[0].body
    for name, data in scene.files.items():
        around.directory.write(name, data)
    for pod in scene.pods:
        around.change("ADDED", pod)
    first, *rest = steps_of(case)

    with around.run() as running:
        begun = first.expectations["expect"]["any_order"]
        assert sorted(told(running) for _ in begun) == sorted(map(expected, begun))
        running.await_watch(around.directory)
        for step in rest:
            around.do(step)
            for entry in step.expectations.get("expect", ()):
                assert told(running) == expected(entry), step


@pytest.mark.parametrize("kubelet", ["1.20", "1.37"])
def test_a_restart_of_the_servers_loses_and_repeats_nothing(
    around: Surroundings, kubelet: str
) -> None:
    """What changed meanwhile is told once, what didn't is not told again."""
    around.url.body = render({"list": ["u"]}, "")
    around.change("ADDED", for_object("p"))
    with around.run(f"--kubelet={kubelet}") as running:
        assert sorted(told(running) for _ in range(3)) == [
            "ADD api p",
            "ADD file",
            "ADD http u-node1",
        ]

        around.url.stop()
        around.apiserver.stop()
        around.directory.place("a.yaml", manifest("a"))
        assert told(running) == "ADD file a-node1"
        around.url.body = render({"list": ["u", "v"]}, "")
        around.change("ADDED", for_object("q"))
        around.url.start()
        assert told(running) == "ADD http v-node1"
        around.apiserver.start()
        assert told(running) == "ADD api q"

        around.change("DELETED", for_object("p"))
        assert told(running) == "REMOVE api p"
        with pytest.raises(Empty):
            running.next(limit_s=0.5)


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(
        commands, ["run", *map(str, arguments)], catch_exceptions=False
    )


def test_without_any_source_it_says_what_could_be_said() -> None:
    """There is nothing to run."""
    result = invoke()

    assert result.exit_code == 2
    assert "There is no source." in result.output
    assert "--kubeconfig" in result.output


def test_a_configuration_that_is_refused_is_named(tmp_path: Path) -> None:
    """File, field and what would have been right."""
    path = tmp_path / "kubelet.yaml"
    path.write_text("syncFrequency: -1s")

    result = invoke("--config", path)

    assert result.exit_code == 2
    assert f"{path}: syncFrequency: -1000000000 ns" in result.output


def test_configuration_and_flags_do_not_go_together(tmp_path: Path) -> None:
    """The kubelet lets flags win; here one is asked to choose."""
    path = tmp_path / "kubelet.yaml"
    path.write_text("")

    result = invoke("--config", path, "--", "--manifest-url=http://h/")

    assert "not both" in result.output


def test_an_unknown_flag_is_named() -> None:
    """With the ones that are known."""
    result = invoke("--", "--pods-path=/m")

    assert "'--pods-path=/m' is not a flag of the pod sources" in result.output


def test_a_period_at_which_a_kubelet_panics_is_refused(tmp_path: Path) -> None:
    """One line, no traceback."""
    flags = (f"--pod-manifest-path={tmp_path}", "--file-check-frequency=0s")
    done = subprocess.run(
        [COMMAND, "run", "--", *flags],
        capture_output=True,
        text=True,
        timeout=LIMIT_S * 3,
        check=False,
    )

    assert done.returncode == 2
    assert "A kubelet ends at once, for a source: period 0 ns" in done.stderr
    assert "Traceback" not in done.stderr


def test_1_1_is_run_by_its_flags(tmp_path: Path) -> None:
    """It has no configuration file; its --config is the manifest path."""
    directory = ManifestDirectory.within(tmp_path)
    directory.write("a.yaml", manifest("a"))

    with Watching(
        "--kubelet=1.1", "--", f"--config={directory.path}", command="run"
    ) as running:
        assert told(running) == "ADD file a-node1"


def test_the_node_name_of_the_flags_counts(tmp_path: Path) -> None:
    """As ``--hostname-override`` does."""
    directory = ManifestDirectory.within(tmp_path)
    directory.write("a.yaml", manifest("a"))

    with Watching(
        "--",
        f"--pod-manifest-path={directory.path}",
        "--hostname-override=Other",
        command="run",
    ) as running:
        assert told(running) == "ADD file a-other"
