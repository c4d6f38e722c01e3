"""
A manifest URL that answers as told: without a socket, or on a loopback server.

Rule 1: replies come in the order in which they were told; the last one repeats.
Rule 2: the mock is seen by ``requests`` only, the server by every client.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from pytest_podsource.contract import SECOND_NS
from pytest_podsource.world.base import ScriptedReply
from pytest_podsource.world.loopback import LoopbackServer

if TYPE_CHECKING:
    from requests import PreparedRequest

MOCK_URL = "http://manifests.example/pods"

NEVER_NS = 3600 * SECOND_NS


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenRequest:
    """
    A request that came.

    Attributes:
        path: Its path and query.
        headers: Its headers; names in small letters.
    """

    path: str
    headers: Mapping[str, str]


class ManifestUrl:
    """
    What the URL answers, and what was asked.

    Attributes:
        url: Where it is.
        requests: What has been asked, in order.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.requests: list[SeenRequest] = []
        self._replies: list[ScriptedReply] = []

    def reply(
        self,
        content: Mapping[str, Any] | str | bytes,
        *,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """
        Answer with *content* after what was told before; a mapping is sent as JSON.
        """
        text = json.dumps(content) if isinstance(content, Mapping) else content
        body = text.encode() if isinstance(text, str) else text
        pairs = tuple((headers or {}).items())
        self._replies.append(ScriptedReply(body=body, status=status, headers=pairs))

    def fail(self, how: Literal["reset", "silent"]) -> None:
        """
        Fail after what was told before.

        Args:
            how: ``reset``: the connection breaks. ``silent``: no answer ever comes; the
                mock raises the timeout at once, the server lets the client wait.
        """
        self._replies.append(
            ScriptedReply(error="reset")
            if how == "reset"
            else ScriptedReply(delay_ns=NEVER_NS)
        )

    def next_reply(self) -> ScriptedReply:
        """Return what the next request is answered with: 404 if nothing was told."""
        if not self._replies:
            return ScriptedReply(status=404)
        return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]

    def note(self, url: str, headers: Iterable[tuple[str, str]]) -> None:
        """Keep a request."""
        parts = urlsplit(url)
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        lower = {name.lower(): value for name, value in headers}
        self.requests.append(SeenRequest(path=path, headers=lower))


@contextmanager
def mock_url() -> Iterator[ManifestUrl]:
    """
    Give a URL that ``requests`` reaches without a socket; all others fail meanwhile.
    """
    import responses  # noqa: PLC0415 - slow

    manifests = ManifestUrl(MOCK_URL)

    def answer(request: PreparedRequest) -> tuple[int, Mapping[str, str], bytes]:
        manifests.note(str(request.url), request.headers.items())
        return _mocked(manifests.next_reply())

    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        mock.add_callback(responses.GET, MOCK_URL, callback=answer, content_type=None)
        yield manifests


def _mocked(reply: ScriptedReply) -> tuple[int, Mapping[str, str], bytes]:
    import requests  # noqa: PLC0415 - slow

    if reply.error:
        raise requests.exceptions.ConnectionError("connection reset by peer")
    if reply.delay_ns:
        raise requests.exceptions.ReadTimeout("read timed out")
    return reply.status, dict(reply.headers), reply.body


@contextmanager
def served_url() -> Iterator[ManifestUrl]:
    """
    Give a URL on a server of this machine, which every client reaches.
    """
    server = LoopbackServer()
    manifests = ManifestUrl(f"{server.root}/pods")
    server.start(manifests, lambda url, headers, _: manifests.note(url, headers))
    try:
        yield manifests
    finally:
        server.close()
