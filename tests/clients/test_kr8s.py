"""
kr8s: finds out what there is, lists and watches.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_podsource import FakeApiserver
from tests.clients.following import Following, Told

kr8s = pytest.importorskip(
    "kr8s", reason="the client kr8s is lacking; tox -e clients has it"
)
# What somebody else's client leaves open or calls deprecated isn't ours to judge.
pytestmark = pytest.mark.filterwarnings("ignore")


def test_discovers_lists_and_watches(tmp_path: Path) -> None:
    """A 410 makes it watch again, the end of a watch ends its own."""
    with FakeApiserver(tls=True) as api:
        api.version = "1.35.0"  # it warns of what is newer than it knows
        api.nodes.add("node1")
        for name in "ab":
            api.pods.add(name, node="node1")
        client = kr8s.api(kubeconfig=str(api.write_kubeconfig(tmp_path / "config")))

        def watched() -> Iterator[Told]:
            for told, pod in client.watch("pods", namespace="default"):
                yield told, pod.name

        resources = {each["name"] for each in client.api_resources()}
        nodes = [node.name for node in client.get("nodes")]
        pods = [pod.name for pod in client.get("pods", namespace="default")]
        events = Following(watched)
        first = events.next(2)
        api.pods.remove("a")
        second = events.next(1)
        api.expire_watches()
        api.wait_for("watch", 2)
        api.pods.add("c")
        third = events.until(("ADDED", "c"))
        api.end_watches()
        last = events.next(1)

    assert resources == {"pods", "nodes"}
    assert (nodes, pods) == (["node1"], ["a", "b"])
    assert first == [("ADDED", "a"), ("ADDED", "b")]
    assert second == [("DELETED", "a")]
    assert third == [("ADDED", "c")]
    assert last == [("END", "")]
