"""
A server of this machine that answers as told, plain or with TLS.

Rule 1: a connection is one request; nothing is kept alive, so nothing is left over.
Rule 2: its threads live in real time, also beside a virtual clock. Rule 3: ``close``
ends all of them, whatever a client does.
"""

from __future__ import annotations

import contextlib
import select
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from pytest_podsource import data
from pytest_podsource.contract import SECOND_NS
from pytest_podsource.doubles.answers import Answer, SeenRequest
from pytest_podsource.doubles.thread_waits import RealThread

CA_FILE = Path(data.__file__).parent / "loopback.pem"
"""The certificate of 127.0.0.1 and localhost, which is its own authority."""

_KEY_FILE = CA_FILE.with_name("loopback-key.pem")
_RESET_AT_ONCE = struct.pack("ii", 1, 0)
_LIMIT_S = 10.0


class Server:
    """
    Listens on a free port of the loopback interface.

    Attributes:
        root: Where it is, without a path.
    """

    def __init__(self, *, tls: bool = False) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._wake, self._woken = socket.socketpair()
        self._context = _context() if tls else None
        self._lock = threading.Lock()
        self._open: dict[socket.socket, threading.Thread] = {}
        self._thread = RealThread(
            target=self._accept, name="podsource-server", daemon=True
        )
        self.closing = threading.Event()
        port = self._listener.getsockname()[1]
        self.root = f"{'https' if tls else 'http'}://127.0.0.1:{port}"

    def start(self, answer: Callable[[SeenRequest], Answer]) -> None:
        """Answer each request with what *answer* gives; one is asked at a time."""
        self._answer = answer
        self._thread.start()

    def take(self, request: SeenRequest) -> Answer:
        """Return what *request* gets."""
        with self._lock:
            return self._answer(request)

    def close(self) -> None:
        """End the server, and the requests that are under way."""
        self.closing.set()
        self._wake.send(b"x")
        self._thread.join(_LIMIT_S)
        threads = set(self._open.values())
        for connection in list(self._open):
            with contextlib.suppress(OSError):
                socket.socket.shutdown(connection, socket.SHUT_RDWR)
        for thread in threads:
            thread.join(_LIMIT_S)
        for each in (self._listener, self._wake, self._woken):
            each.close()

    def _accept(self) -> None:
        while True:
            ready, _, _ = select.select([self._listener, self._woken], [], [])
            if self._woken in ready:
                return
            connection, peer = self._listener.accept()
            thread = RealThread(
                target=self._serve,
                args=(connection, peer),
                name="podsource-server",
                daemon=True,
            )
            self._open[connection] = thread
            thread.start()

    def _serve(self, connection: socket.socket, peer: Any) -> None:
        try:
            with self._wrapped(connection) as wrapped:
                _Handler(wrapped, peer, self)  # type: ignore[arg-type]
        except (OSError, ValueError):
            pass  # the client has gone, or doesn't trust us: no fault of the test
        finally:
            connection.close()
            self._open.pop(connection, None)

    @contextlib.contextmanager
    def _wrapped(self, connection: socket.socket) -> Iterator[socket.socket]:
        if self._context is None:
            yield connection
        else:
            with self._context.wrap_socket(
                connection, server_side=True, do_handshake_on_connect=False
            ) as wrapped:
                self._open[wrapped] = self._open[connection]
                try:
                    self._shake_hands(wrapped)
                    yield wrapped
                finally:
                    self._open.pop(wrapped, None)

    def _shake_hands(self, connection: ssl.SSLSocket) -> None:
        if self.closing.is_set():  # it may not have seen this connection
            raise ConnectionAbortedError
        connection.do_handshake()


class _Handler(BaseHTTPRequestHandler):
    server: Server  # type: ignore[assignment]
    connection: socket.socket
    protocol_version = "HTTP/1.1"

    def handle_any(self) -> None:
        self.close_connection = True
        lower = {name.lower(): value for name, value in self.headers.items()}
        answer = self.server.take(
            SeenRequest(method=self.command, path=self.path, headers=lower)
        )
        silent = answer.failure == "silent"
        closing = self.server.closing
        closing.wait(None if silent else answer.delay_ns / SECOND_NS)
        if closing.is_set() or answer.failure:
            self.connection.setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, _RESET_AT_ONCE
            )
        else:
            self._send(answer)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any  # noqa: N815 - the base's

    def _send(self, answer: Answer) -> None:
        self.send_response_only(answer.status)
        for name, value in answer.headers:
            self.send_header(name, value)
        if answer.chunks:
            self.send_header("Transfer-Encoding", "chunked")
        elif answer.status != 304:  # noqa: PLR2004 - it has no body
            self.send_header("Content-Length", str(len(answer.body)))
        self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            for part in _parts(answer):
                self.wfile.write(part)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's
        """Keep quiet; what was asked is in the list of requests."""


def _parts(answer: Answer) -> Iterator[bytes]:
    body = answer.body[: answer.cut_at]
    if not answer.chunks:
        yield body
        return
    size = -(-len(answer.body) // answer.chunks) or 1
    for start in range(0, len(body), size):
        chunk = body[start : start + size]
        yield b"%x\r\n%b\r\n" % (len(chunk), chunk)
    if answer.cut_at is None:
        yield b"0\r\n\r\n"


def _context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CA_FILE, _KEY_FILE)
    return context
