import json
import threading

import pytest
import requests


class NodePods:
    """The code under test: knows the pods of a node, by list and watch."""

    def __init__(self, url: str, node: str) -> None:
        self.url = f"{url}/api/v1/pods"
        self.query = {"fieldSelector": f"spec.nodeName={node}"}
        self.names: set[str] = set()
        self.version = ""

    def run_once(self) -> None:
        """List if there is no version to go on from, and watch until the watch ends."""
        try:
            if not self.version:
                self.list()
            self.watch()
        except requests.RequestException:
            pass  # what is known is kept; the next round goes on from there

    def list(self) -> None:
        reply = requests.get(self.url, self.query, timeout=10)
        reply.raise_for_status()
        self.names = {pod["metadata"]["name"] for pod in reply.json()["items"]}
        self.version = reply.json()["metadata"]["resourceVersion"]

    def watch(self) -> None:
        query = {"watch": "true", "resourceVersion": self.version, **self.query}
        with requests.get(self.url, query, timeout=10, stream=True) as reply:
            for line in reply.iter_lines(chunk_size=None):
                self.take(json.loads(line))

    def take(self, event: dict) -> None:
        if event["type"] == "ERROR":
            self.version = ""
            return
        metadata = event["object"]["metadata"]
        self.version = metadata["resourceVersion"]
        if event["type"] == "DELETED":
            self.names.discard(metadata["name"])
        else:
            self.names.add(metadata["name"])


@pytest.fixture
def pods(podsource_apiserver):
    podsource_apiserver.pods.add("web", node="node1")
    podsource_apiserver.pods.add("other", node="node2")
    return NodePods(podsource_apiserver.url, "node1")


def test_follows_what_changes(podsource_apiserver, pods):
    running = threading.Thread(target=pods.run_once, daemon=True)
    running.start()
    podsource_apiserver.wait_for("watch")

    podsource_apiserver.pods.add("db", node="node1")
    podsource_apiserver.pods.change("db", {"status": {"phase": "Running"}})
    podsource_apiserver.pods.mark_for_deletion("web")
    podsource_apiserver.pods.remove("web")
    podsource_apiserver.end_watches()
    running.join(timeout=10)

    assert pods.names == {"db"}


def test_goes_on_after_half_an_event(podsource_apiserver, pods):
    pods.list()
    podsource_apiserver.pods.add("db", node="node1")
    podsource_apiserver.cut()  # the next event breaks off in the middle

    pods.run_once()

    assert pods.names == {"web"}
    assert pods.version == podsource_apiserver.requests[-1].query["resourceVersion"]


def test_lists_again_when_the_history_is_gone(podsource_apiserver, pods):
    pods.list()
    podsource_apiserver.pods.remove("web")
    podsource_apiserver.pods.add("db", node="node1")
    podsource_apiserver.forget()  # 410 for older resource versions

    pods.run_once()
    pods.list()

    assert pods.names == {"db"}


def test_keeps_what_it_knows_while_the_server_fails(podsource_apiserver, pods):
    pods.list()
    pods.version = ""
    podsource_apiserver.fail(500, on="list")
    podsource_apiserver.fail(429, on="list", retry_after_s=1)
    podsource_apiserver.reset(on="list")

    for _ in range(3):
        pods.run_once()

    assert pods.names == {"web"}
    assert [seen.status for seen in podsource_apiserver.requests] == [200, 500, 429, 0]
