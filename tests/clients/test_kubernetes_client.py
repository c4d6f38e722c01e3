"""
The official Python client: lists, watches and its informer.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_podsource import FakeApiserver
from tests.clients.following import Following, Told, lose_history

kubernetes = pytest.importorskip(
    "kubernetes", reason="the client kubernetes is lacking; tox -e clients has it"
)
# What somebody else's client leaves open or calls deprecated isn't ours to judge.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def api() -> Iterator[FakeApiserver]:
    """Serve by TLS two pods on node1, and one elsewhere."""
    with FakeApiserver(tls=True) as apiserver:
        for name, node in (("a", "node1"), ("b", "node1"), ("c", "node2")):
            apiserver.pods.add(name, node=node)
        yield apiserver


@pytest.fixture
def core(api: FakeApiserver, tmp_path: Path) -> Any:
    """Give its CoreV1Api, by kubeconfig."""
    from kubernetes import client, config

    path = api.write_kubeconfig(tmp_path / "config")
    return client.CoreV1Api(config.new_client_from_config(str(path)))


def test_lists_in_pages_and_reads_failures(api: FakeApiserver, core: Any) -> None:
    """Typed objects, tokens of pages, Status as ApiException."""
    first = core.list_namespaced_pod("default", limit=2)
    rest = core.list_namespaced_pod("default", _continue=first.metadata._continue)
    mine = core.list_pod_for_all_namespaces(field_selector="spec.nodeName=node1")

    assert [pod.metadata.name for pod in first.items + rest.items] == ["a", "b", "c"]
    assert first.metadata.remaining_item_count == 1
    assert [pod.spec.node_name for pod in mine.items] == ["node1", "node1"]
    with pytest.raises(kubernetes.client.ApiException) as caught:
        core.read_namespaced_pod("x", "default")
    assert (caught.value.status, caught.value.reason) == (404, "Not Found")


def test_watch_goes_on_after_an_end_and_tells_410(
    api: FakeApiserver, core: Any
) -> None:
    """From its last resource version; bookmarks are taken in."""

    def watched() -> Iterator[Told]:
        stream = kubernetes.watch.Watch().stream(
            core.list_namespaced_pod, "default", allow_watch_bookmarks=True
        )
        for event in stream:
            yield event["type"], event["raw_object"]["metadata"].get("name", "")

    events = Following(watched)
    first = events.next(4)
    api.wait_for("watch")
    api.bookmark()
    api.end_watches()
    api.wait_for("watch", 2)
    api.pods.remove("a")
    second = events.until(("DELETED", "a"))
    lose_history(api)

    assert first == [*(("ADDED", name) for name in "abc"), ("BOOKMARK", "")]
    assert ("ADDED", "b") not in second
    ((how, about),) = events.next(1)
    assert how == "RAISED"
    assert about.startswith("ApiException: (410)")


def test_informer_keeps_its_cache_through_everything(
    api: FakeApiserver, core: Any
) -> None:
    """An end, half an event, 410: at last it has what the apiserver has."""
    informer = pytest.importorskip("kubernetes.informer")
    shared = informer.SharedInformer(
        core.list_pod_for_all_namespaces, field_selector="spec.nodeName=node1"
    )
    events = Following()
    for kind in (informer.ADDED, informer.MODIFIED, informer.DELETED):
        shared.add_event_handler(
            kind, lambda pod, kind=kind: events.events.put((kind, pod.metadata.name))
        )
    shared.start()

    first = events.next(2)
    api.wait_for("watch")
    api.pods.add("d", node="node1")
    second = events.until(("ADDED", "d"))
    api.cut()
    api.pods.change("b", {"status": {"phase": "Running"}})
    third = events.until(("MODIFIED", "b"))
    lose_history(api)
    api.wait_for("list", 2)
    api.pods.remove("a")
    events.until(("DELETED", "a"))
    api.end_watches()
    shared.stop()

    assert sorted(first) == [("ADDED", "a"), ("ADDED", "b")]
    assert second[-1:] + third == [("ADDED", "d"), ("MODIFIED", "b")]
    assert sorted(shared.cache.list_keys()) == ["default/b", "default/d"]
    assert shared.cache.get_by_key("default/b").status.phase == "Running"
