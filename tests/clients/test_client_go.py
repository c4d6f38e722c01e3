"""
client-go: its informer, in a program of ours.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_podsource import FakeApiserver
from tests.clients.following import LIMIT_S, Following, Told

INFORMER = Path(__file__).parent / "informer/bin/informer"
pytestmark = pytest.mark.skipif(
    not INFORMER.exists(), reason="it isn't built; tests/clients/informer/build does"
)
pytest.importorskip("aiohttp", reason="aiohttp, of the extra apiserver, is lacking")


def lines(program: subprocess.Popen[str]) -> Iterator[Told]:
    """Give what it prints."""
    assert program.stdout is not None
    for line in program.stdout:
        what, _, name = line.strip().partition(" ")
        yield what, name


@pytest.mark.parametrize("streamed", ["true", "false"], ids=["streamed", "listed"])
def test_informer_follows_through_everything(streamed: str, tmp_path: Path) -> None:
    """A first set, changes, an end, half an event, 410, a restart of the apiserver."""
    pytest.importorskip("trustme", reason="trustme, of the extra apiserver, is lacking")
    with FakeApiserver(tls=True) as api:
        for name, node in (("a", "node1"), ("b", "node1"), ("c", "node2")):
            api.pods.add(name, node=node)
        command = (INFORMER, api.write_kubeconfig(tmp_path / "config"), "node1")
        env = {**os.environ, "KUBE_FEATURE_WatchListClient": streamed}
        with subprocess.Popen(
            command,
            env=env,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as program:
            events = Following(lambda: lines(program))
            first = events.next(3)
            api.pods.add("d", node="node1")
            api.pods.mark_for_deletion("a")
            api.pods.remove("a")
            second = events.next(3)
            api.end_watches()
            api.pods.add("e", node="node1")
            third = events.next(1)
            api.cut()
            api.pods.remove("e")
            fourth = events.next(1)
            api.pods.change("c", {"spec": {"nodeName": "node1"}})
            api.forget()
            api.expire_watches()
            fifth = events.until(("ADDED", "c"))
            api.stop()
            api.pods.remove("b")
            api.start()
            events.until(("DELETED", "b"))
            program.communicate("", timeout=LIMIT_S)

    assert sorted(first) == [("ADDED", "a"), ("ADDED", "b"), ("SYNCED", "")]
    assert second == [("ADDED", "d"), ("MODIFIED", "a"), ("DELETED", "a")]
    assert (third, fourth) == ([("ADDED", "e")], [("DELETED", "e")])
    assert {name for _, name in fifth} <= {"b", "c", "d"}
    lists = [seen for seen in api.requests if seen.verb == "list"]
    assert bool(lists) == (streamed == "false")
