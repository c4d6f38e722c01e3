"""
A manifest URL that answers as told: without a socket, or on a loopback server.

Rule 1: replies come in the order in which they were told; the last one repeats.
Rule 2: the mock is seen by ``requests`` only, the server by every client.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SO_LINGER, SOL_SOCKET
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from requests import PreparedRequest

MOCK_URL = "http://manifests.example/pods"

Failure = Literal["reset", "silent"]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    failure: Failure | None = None


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
        self._answers: list[_Answer] = []

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
        self._answers.append(_Answer(body=body, status=status, headers=headers or {}))

    def fail(self, how: Failure) -> None:
        """
        Fail after what was told before.

        Args:
            how: ``reset``: the connection breaks. ``silent``: no answer ever comes; the
                mock raises the timeout at once, the server lets the client wait.
        """
        self._answers.append(_Answer(failure=how))

    def take(self, request: SeenRequest) -> _Answer:
        """Note *request* and return its answer: 404 if nothing was told."""
        self.requests.append(request)
        if not self._answers:
            return _Answer(status=404)
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


@contextmanager
def mock_url() -> Iterator[ManifestUrl]:
    """
    Give a URL that ``requests`` reaches without a socket; all others fail meanwhile.
    """
    import responses  # noqa: PLC0415 - slow

    manifests = ManifestUrl(MOCK_URL)

    def answer(request: PreparedRequest) -> tuple[int, Mapping[str, str], bytes]:
        return _mocked(manifests, request)

    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        mock.add_callback(responses.GET, MOCK_URL, callback=answer, content_type=None)
        yield manifests


def _mocked(
    manifests: ManifestUrl, request: PreparedRequest
) -> tuple[int, Mapping[str, str], bytes]:
    import requests  # noqa: PLC0415 - slow

    headers = {name.lower(): value for name, value in request.headers.items()}
    found = manifests.take(SeenRequest(path=request.path_url, headers=headers))
    if found.failure == "reset":
        raise requests.exceptions.ConnectionError("connection reset by peer")
    if found.failure == "silent":
        raise requests.exceptions.ReadTimeout("read timed out")
    return found.status, found.headers, found.body


@contextmanager
def served_url() -> Iterator[ManifestUrl]:
    """
    Give a URL on a server of this machine, which every client reaches.
    """
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    manifests = ManifestUrl(f"http://127.0.0.1:{server.server_address[1]}/pods")
    server.daemon_threads = True
    server.manifests = manifests  # type: ignore[attr-defined]
    server.closing = Event()  # type: ignore[attr-defined]
    thread = Thread(target=server.serve_forever, args=(0.01,), name="podsource_url")
    thread.start()
    try:
        yield manifests
    finally:
        server.closing.set()  # type: ignore[attr-defined]
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = SeenRequest(path=self.path, headers=headers)
        found = self.server.manifests.take(request)  # type: ignore[attr-defined]
        if found.failure == "silent":
            self.server.closing.wait()  # type: ignore[attr-defined]
        elif found.failure == "reset":
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(SOL_SOCKET, SO_LINGER, linger)
            self.connection.close()
        else:
            self._send(found)

    def _send(self, answer: _Answer) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's
        """Keep quiet; what was asked is in ``requests``."""
