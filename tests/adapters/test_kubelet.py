"""
The adapters over the real kubelets, spoken to line by line.

They are built by ``adapters/kubelet/build``; one that isn't there is skipped, by name.
"""

from __future__ import annotations

import base64
import errno
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_podsource.contract import Config, SourceUpdate
from pytest_podsource.driver.protocol import to_wire
from pytest_podsource.driver.stdio import launch
from pytest_podsource.exceptions import Crashed
from pytest_podsource.world.base import Scene
from pytest_podsource.world.simulated import SimulatedWorld

BIN = Path(__file__).parents[2] / "adapters" / "kubelet" / "bin"
SECOND_NS = 1_000_000_000
POD = b"apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: c, image: 'nginx:1'}]}"

ALL = ("1.1", "1.20", "1.30", "1.34", "1.36", "1.37")
WATCHING = ALL[1:]


class Kubelet:
    """
    A running adapter: ask it, and read what it said meanwhile in ``said``.
    """

    def __init__(self, binary: Path) -> None:
        self._process = subprocess.Popen(
            [binary],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._asked = 0
        self.said: list[tuple[str, dict[str, Any]]] = []
        self.refuses_watches = False

    def ask(self, word: str, /, **params: Any) -> dict[str, Any]:
        self._asked += 1
        self.write({"id": self._asked, "method": word, "params": params})
        while "method" in (message := self.read()):
            self.said.append((message["method"], message["params"]))
            if "id" in message:
                self._answer(message)
        assert message["id"] == self._asked
        return message

    def tell(self, word: str, /, **params: Any) -> None:
        self.write({"method": word, "params": params})
        self.ask("settle")

    def begin(self, component: str, **config: Any) -> None:
        self.ask("world/begin", wall_ns=0, seed=0)
        wire = to_wire(Config(**config))
        assert "result" in self.ask("component/new", component=component, config=wire)

    def call(self, component: str, method: str, /, **arguments: Any) -> dict[str, Any]:
        return self.ask(
            "component/call", component=component, method=method, arguments=arguments
        )

    def advance(self, to_s: int) -> int:
        """Move on to an instant, however often the adapter stops before."""
        reached = -1
        while reached < to_s * SECOND_NS:
            answer = self.ask("clock/advance", to_ns=to_s * SECOND_NS)
            reached = answer["result"]["now_ns"]
        return reached

    def instants(self, word: str) -> list[float]:
        return [said["at_ns"] / SECOND_NS for name, said in self.said if name == word]

    def write(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        text = json.dumps({"jsonrpc": "2.0", **message})
        self._process.stdin.write(f"{text}\n".encode())
        self._process.stdin.flush()

    def write_text(self, text: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(text)

    def read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        message = json.loads(self._process.stdout.readline())
        assert isinstance(message, dict)
        return message

    def end(self) -> int:
        """Close the line; the adapter ends by itself."""
        self._process.communicate(timeout=10)
        return self._process.returncode

    def _answer(self, request: dict[str, Any]) -> None:
        answer: dict[str, Any] = {"id": request["id"], "result": {"value": True}}
        if request["method"] == "env/watch" and self.refuses_watches:
            data = {"errno": errno.EMFILE, "message": "too many open files"}
            error = {"code": 3, "message": "too many open files", "data": data}
            answer = {"id": request["id"], "error": error}
        self.write(answer)


def built(minor: str) -> Path:
    binary = BIN / f"kubelet-{minor}"
    if not binary.exists():
        pytest.skip(f"kubelet {minor} isn't built. Run adapters/kubelet/build {minor}.")
    return binary


@pytest.fixture(params=ALL)
def kubelet(request: pytest.FixtureRequest) -> Iterator[Kubelet]:
    """An adapter, which must end well after whatever a test has done with it."""
    running = Kubelet(built(request.param))
    yield running
    assert running.end() == 0


on_watching = pytest.mark.parametrize("kubelet", WATCHING, indirect=True)


def test_initialize_offers_what_this_kubelet_has(kubelet: Kubelet) -> None:
    """Every adapter names its kubelet, and keeps virtual time."""
    offer = kubelet.ask("initialize", protocol=1, kubelet="1.37")["result"]

    assert offer["protocol"] == 1
    assert offer["version"].startswith(offer["kubelet"])
    assert offer["abilities"].items() >= {"time": "virtual", "watch": "told"}.items()
    assert {"file", "http", "api", "podconfig", "sources"} <= set(offer["components"])
    assert "diff" not in offer["components"]


@on_watching
def test_a_refused_watch_backs_off_in_virtual_time(
    kubelet: Kubelet, tmp_path: Path
) -> None:
    """Eighty seconds of the kubelet's own backoff pass at once."""
    kubelet.refuses_watches = True
    kubelet.begin("file", path=str(tmp_path), period_ns=3600 * SECOND_NS)
    kubelet.call("file", "start")
    kubelet.advance(80)

    assert kubelet.instants("env/watch") == [0, 1, 3, 7, 15, 31, 51, 71]


@on_watching
def test_a_told_event_reads_the_file(kubelet: Kubelet, tmp_path: Path) -> None:
    """What happens to a file is told; what is in it is read from the disk."""
    kubelet.begin("file", path=str(tmp_path))
    kubelet.call("file", "start")
    watch = next(said for word, said in kubelet.said if word == "env/watch")
    kubelet.said.clear()
    manifest = tmp_path / "web.yaml"
    manifest.write_bytes(POD)
    event = {"path": str(manifest), "ops": ["create"]}
    kubelet.tell("files/event", id=watch["id"], event=event)

    (_, sent) = next(said for said in kubelet.said if said[0] == "env/send")
    assert (sent["source"], sent["op"]) == ("file", "SET")
    assert [pod["metadata"]["name"] for pod in sent["pods"]] == ["web-node1"]


def test_the_clock_stops_where_a_url_is_fetched(kubelet: Kubelet) -> None:
    """A reply may come at the very instant of the request."""
    kubelet.begin("http", url="http://manifests.example/pods")
    kubelet.call("http", "start")
    fetch = next(said for word, said in kubelet.said if word == "env/fetch")
    body = base64.b64encode(POD).decode()
    reply = {"status": 200, "headers": [], "body": body}
    kubelet.tell("http/reply", id=fetch["id"], reply=reply)
    stopped = kubelet.ask("clock/advance", to_ns=90 * SECOND_NS)

    assert stopped["result"] == {"now_ns": 20 * SECOND_NS}
    assert kubelet.instants("env/fetch") == [0, 20]


def test_a_held_reader_takes_nothing(kubelet: Kubelet, tmp_path: Path) -> None:
    """What a source sends while nobody reads waits in the source."""
    kubelet.begin("file", path=str(tmp_path))
    kubelet.tell("reader/hold")
    kubelet.call("file", "start")
    kubelet.advance(20)
    held = kubelet.instants("env/send")
    kubelet.tell("reader/release")

    assert held == []
    assert kubelet.instants("env/send")[0] == 20


@pytest.mark.parametrize("kubelet", WATCHING, indirect=True)
def test_two_sources_may_wait_for_a_held_reader(kubelet: Kubelet) -> None:
    """A merge that waits holds a lock, and what waits for the lock is at rest."""
    kubelet.begin("podconfig", sources=["file", "http"])
    kubelet.tell("reader/hold")
    for number in range(54):
        pod = {"metadata": {"name": "a", "namespace": "d", "uid": str(number)}}
        source = "http" if number > 51 else "file"
        kubelet.ask(
            "component/send", send_id=number, source=source, op="SET", pods=[pod]
        )
    taken = len([word for word, _ in kubelet.said if word == "update/taken"])
    kubelet.tell("reader/release")

    assert taken < 54
    assert [word for word, _ in kubelet.said].count("update/taken") == 54


def test_a_stopped_source_is_a_kubelet_that_has_ended(
    kubelet: Kubelet, tmp_path: Path
) -> None:
    """A new one begins at the same instant, and the old one is heard no more."""
    kubelet.begin("file", path=str(tmp_path))
    kubelet.call("file", "start")
    kubelet.advance(30)
    kubelet.call("file", "stop")
    kubelet.said.clear()
    wire = to_wire(Config(path=str(tmp_path)))
    kubelet.ask("component/new", component="file", config=wire)
    kubelet.call("file", "start")
    kubelet.advance(60)

    assert kubelet.instants("env/send") == [30, 50]


def test_bad_input_is_answered_and_the_next_world_begins(kubelet: Kubelet) -> None:
    """Neither rubbish nor a panic of the kubelet's ends the process."""
    kubelet.write_text(b"rubbish\n")
    kubelet.write({"id": 0, "method": "initialize", "params": {}})
    first, second = kubelet.read(), kubelet.read()
    unknown = kubelet.ask("world/frob")
    too_early = kubelet.ask("settle")
    kubelet.begin("podconfig")
    misfit = kubelet.call("podconfig", "channel", source=7)
    panic = kubelet.call("podconfig", "channel", source="")
    kubelet.begin("backoff", initial_ns=1, max_ns=4)

    assert (first["id"], first["error"]["code"]) == (None, -32700)
    assert second["id"] == 0
    assert unknown["error"]["code"] == -32601
    assert too_early["error"]["code"] == -32602
    assert misfit["error"]["code"] == -32602
    assert panic["error"]["code"] == 2
    assert kubelet.call("backoff", "get", id="a")["result"] == {"value": 0}


@pytest.mark.parametrize("minor", ["1.20", "1.30", "1.34"])
def test_a_kubelet_that_dies_is_followed_by_another(minor: str) -> None:
    """The merge panics over an unknown mode, in a goroutine that nothing catches."""
    driver = launch(str(built(minor)), minor)
    world = SimulatedWorld(Scene(config=Config(kubelet=minor, mode="odd")))
    connection = driver.connect(world)
    connection.new("podconfig", world.config)

    with pytest.raises(Crashed, match="exit code 2"):
        connection.send(SourceUpdate(source="file", pods=()))
    connection = driver.connect(world)
    connection.new("podconfig", world.config)
    connection.close()
    driver.close()
    world.close()
