"""
The manifest URL of a real world: scripted replies on a server of this machine.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SO_LINGER, SOL_SOCKET, socket
from typing import Any, Protocol, TypeAlias

from pytest_podsource.contract import SECOND_NS
from pytest_podsource.exceptions import CannotRunHere
from pytest_podsource.world.base import ScriptedReply

Headers: TypeAlias = tuple[tuple[str, str], ...]
OnRequest: TypeAlias = Callable[[str, Headers, ScriptedReply], None]

_SERVED = ("refused", "reset")
_RESET_AT_ONCE = struct.pack("ii", 1, 0)


class Script(Protocol):
    """
    What the server answers.
    """

    def next_reply(self) -> ScriptedReply:
        """Return what the next request is answered with."""
        ...


class LoopbackServer:
    """
    Answers real requests with scripted replies, delays included.

    A refused connection is accepted and reset, since a port that nobody listens at
    could not tell that somebody came.

    Attributes:
        root: Where it is, without a path.
    """

    def __init__(self) -> None:
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.loopback = self
        self.root = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread: threading.Thread | None = None

    def start(self, script: Script, on_request: OnRequest) -> None:
        """Answer with *script*; *on_request* is told each request."""
        self._script = script
        self._on_request = on_request
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.01,), name="podsource-server"
        )
        self._thread.start()

    def take(self, path: str, headers: Headers) -> ScriptedReply:
        """Note a request and return what it is answered with."""
        with self._lock:
            reply = self._script.next_reply()
            self._on_request(f"{self.root}{path}", headers, reply)
            return reply

    def close(self) -> None:
        """End the server, and the requests that are under way."""
        self.closing.set()
        if self._thread is not None:
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()


def check_served(reply: ScriptedReply) -> None:
    """
    See that a server of this machine can give *reply*.

    Raises:
        CannotRunHere: It can't fail in that way.
    """
    if reply.error is not None and reply.error not in _SERVED:
        raise CannotRunHere(
            f"a server of this machine can't fail with {reply.error!r}. "
            f"It can with {', '.join(_SERVED)}; the simulated world can with all."
        )


class _Server(ThreadingHTTPServer):
    loopback: LoopbackServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep quiet: a client that has gone is no fault of the case."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    connection: socket

    def do_GET(self) -> None:
        loopback = self.server.loopback
        reply = loopback.take(self.path, tuple(self.headers.items()))
        self.close_connection = True
        loopback.closing.wait(reply.delay_ns / SECOND_NS)
        if loopback.closing.is_set() or reply.error is not None:
            self.connection.setsockopt(SOL_SOCKET, SO_LINGER, _RESET_AT_ONCE)
        else:
            self._send(reply)

    def _send(self, reply: ScriptedReply) -> None:
        self.send_response_only(reply.status)
        for name, value in reply.headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(reply.body[: reply.cut_at])

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's
        """Keep quiet; what was asked is in a stream."""
