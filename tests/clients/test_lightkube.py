"""
lightkube: lists in pages, watches, what its error handler is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_podsource import FakeApiserver
from tests.clients.following import Following, Told, lose_history

lightkube = pytest.importorskip(
    "lightkube", reason="the client lightkube is lacking; tox -e clients has it"
)
# What somebody else's client leaves open or calls deprecated isn't ours to judge.
pytestmark = pytest.mark.filterwarnings("ignore")


def test_lists_watches_and_goes_on_after_a_fault(tmp_path: Path) -> None:
    """An end, a reset, a 410: no pod is lost."""
    from lightkube.config.kubeconfig import KubeConfig
    from lightkube.core.exceptions import ApiError
    from lightkube.resources.core_v1 import Pod
    from lightkube.types import on_error_retry

    with FakeApiserver(tls=True) as api:
        for name in "abc":
            api.pods.add(name, node="node1")
        config = KubeConfig.from_file(api.write_kubeconfig(tmp_path / "config"))
        client = lightkube.Client(config=config)

        def watched() -> Iterator[Told]:
            told: Any
            for told, pod in client.watch(Pod, on_error=on_error_retry):
                yield told, pod.metadata.name

        listed = list(client.list(Pod, fields={"spec.nodeName": "node1"}, chunk_size=2))
        with pytest.raises(ApiError) as caught:
            client.get(Pod, "x", namespace="default")
        events = Following(watched)
        first = events.next(3)
        api.end_watches()
        api.wait_for("watch", 2)
        api.cut()
        api.pods.add("d")
        second = events.next(1)
        lose_history(api)
        again = events.next(4)

    assert [pod.metadata.name for pod in listed] == ["a", "b", "c"]
    assert len([seen for seen in api.requests if seen.query.get("limit") == "2"]) == 2
    assert caught.value.status.code == 404
    assert first == [("ADDED", name) for name in "abc"]
    assert second == [("ADDED", "d")]
    assert again == [("ADDED", name) for name in "abcd"]
