"""
curl: no library at all, only what goes over the wire.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator

import pytest

from pytest_podsource import FakeApiserver
from tests.clients.following import LIMIT_S

CURL = shutil.which("curl")
pytestmark = pytest.mark.skipif(CURL is None, reason="curl is not installed")
pytest.importorskip("aiohttp", reason="aiohttp, of the extra apiserver, is lacking")

CONNECTION_BROKEN = 56


@pytest.fixture
def api() -> Iterator[FakeApiserver]:
    """Serve one pod by TLS."""
    pytest.importorskip("trustme", reason="trustme, of the extra apiserver, is lacking")
    with FakeApiserver(tls=True) as apiserver:
        apiserver.pods.add("a")
        yield apiserver


def start(api: FakeApiserver, path: str, *more: str) -> subprocess.Popen[bytes]:
    """Ask with the token, or with what is given instead."""
    assert CURL is not None
    token = more or ("-H", f"Authorization: Bearer {api.token}")
    asked = (CURL, "-sSN", "--cacert", str(api.ca_file), *token, f"{api.url}{path}")
    return subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def ended(curl: subprocess.Popen[bytes]) -> tuple[int, bytes]:
    """Return how it ended, and what it wrote."""
    written, _ = curl.communicate(timeout=LIMIT_S)
    return curl.returncode, written


def test_lists_watches_and_sees_a_connection_break(api: FakeApiserver) -> None:
    """The exit status says which end was one."""
    certificate, key = api.client_certificate("me")
    listing = ended(
        start(api, "/api/v1/pods", "--cert", str(certificate), "--key", str(key))
    )
    watch = start(api, "/api/v1/pods?watch=1&resourceVersion=1")
    api.wait_for("watch")
    api.pods.remove("a")
    api.end_watches()
    whole = ended(watch)
    watch = start(api, "/api/v1/pods?watch=1&resourceVersion=3")
    api.wait_for("watch", 2)
    api.cut()
    api.pods.add("b")
    half = ended(watch)

    assert listing[0] == 0
    assert json.loads(listing[1])["items"][0]["metadata"]["name"] == "a"
    assert whole[0] == 0
    types = [json.loads(line)["type"] for line in whole[1].splitlines()]
    assert types == ["ADDED", "DELETED"]
    assert half[0] == CONNECTION_BROKEN
    assert half[1].startswith(b'{"type":"ADDED"')
