"""
A server on loopback that answers what a test says, byte by byte.
"""

from __future__ import annotations

import json
import ssl
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SO_LINGER, SOL_SOCKET
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, urlsplit

RESET = struct.pack("ii", 1, 0)
LIMIT_S = 10.0

Answer: TypeAlias = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """One request; what it is answered with is scripted."""

    protocol_version = "HTTP/1.1"
    timeout = LIMIT_S
    server: ScriptedApiserver

    def do_GET(self) -> None:
        """Answer with the next of the script, the last one again and again."""
        self.close_connection = True
        parts = urlsplit(self.path)
        query = dict(parse_qsl(parts.query))
        self.server.asked.append((parts.path, query))
        self.server.headers.append(dict(self.headers.items()))
        answers = self.server.answers
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        with suppress(OSError):  # the client may go at any time
            answer(self)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - inherited
        """Say nothing."""

    def chunk(self, data: bytes) -> None:
        """Send one piece of a body, at once."""
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def reset(self) -> None:
        """Break the connection off."""
        self.wfile.flush()
        self.connection.setsockopt(SOL_SOCKET, SO_LINGER, RESET)
        self.connection.close()


class ScriptedApiserver(ThreadingHTTPServer):
    """
    Answers with a script.

    Attributes:
        answers: What comes next; the last one stays.
        asked: Path and parameters of each request.
        headers: The headers of each.
        closing: Set at the end; whoever keeps a watch open waits for it.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[Answer] = []
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.headers: list[dict[str, str]] = []
        self.closing = threading.Event()
        scheme = "http"
        if context is not None:
            scheme = "https"
            self.socket = context.wrap_socket(
                self.socket, server_side=True, do_handshake_on_connect=False
            )
        self.root = f"{scheme}://127.0.0.1:{self.server_address[1]}"
        self._thread = threading.Thread(
            target=self.serve_forever, args=(0.01,), daemon=True
        )
        self._thread.start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a client that doesn't trust us."""

    def close(self) -> None:
        """End it."""
        self.closing.set()
        self.shutdown()
        self._thread.join(LIMIT_S)
        self.server_close()


def whole(body: Any, status: int = 200, **headers: str) -> Answer:
    """Answer with *body*, as JSON if it isn't bytes."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()

    def answer(handler: Handler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    return answer


def watch(*pieces: bytes | dict[str, Any], then: str = "end") -> Answer:
    """Answer with a watch of *pieces*; *then* it ends, stays, or is reset."""

    def answer(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for piece in pieces:
            line = piece if isinstance(piece, bytes) else line_of(piece)
            handler.chunk(line)
        if then == "stay":
            handler.server.closing.wait(LIMIT_S)
        if then == "reset":
            handler.reset()
        else:
            handler.chunk(b"")

    return answer


def line_of(event: dict[str, Any]) -> bytes:
    """Return *event* as a line of a watch."""
    return json.dumps(event).encode() + b"\n"


def pod(name: str, version: int = 1) -> dict[str, Any]:
    """Return a pod as an apiserver holds it."""
    return {
        "metadata": {
            "name": name,
            "namespace": "default",
            "uid": f"{name}-uid",
            "resourceVersion": str(version),
        },
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    }


def pod_list(*names: str, version: int = 1, more: str = "") -> dict[str, Any]:
    """Return a PodList of pods with those names, with *more* to continue by."""
    token = {"continue": more} if more else {}
    return {
        "kind": "PodList",
        "apiVersion": "v1",
        "metadata": {"resourceVersion": str(version), **token},
        "items": [pod(name) for name in names],
    }


def event(type_: str, name: str, version: int = 2) -> dict[str, Any]:
    """Return an event about a pod."""
    return {"type": type_, "object": {"kind": "Pod", **pod(name, version)}}
