"""
The HTTP shell of the fake apiserver: aiohttp's server, in a thread of its own.

Rule 1: what is answered is decided by the backend, at once; here it is only sent.
Rule 2: everything that waits ends when the server is stopped.
"""

from __future__ import annotations

import asyncio
import math
import socket
import ssl
import struct
import threading
from collections.abc import Coroutine, Iterable
from typing import Any, NoReturn, TypeVar

from aiohttp import HttpVersion11, web

from pytest_podsource.apiserver.answers import JSON, Answer, call_of
from pytest_podsource.doubles.apiserver.backend import Backend
from pytest_podsource.doubles.apiserver.orders import Order
from pytest_podsource.doubles.apiserver.streams import Stream

T = TypeVar("T")

HOST = "127.0.0.1"
_LIMIT_S = 10.0
_BOOKMARKS_S = 60.0
_PACKED_FROM = 128 * 1024  # as a real apiserver packs long bodies only
_RESET_AT_ONCE = struct.pack("ii", 1, 0)
_HEADERS = {"Cache-Control": "no-cache, private"}


class HttpServer:
    """
    Serves a backend on a port of this machine until it is stopped.

    Attributes:
        port: Where.
    """

    def __init__(
        self, backend: Backend, port: int, context: ssl.SSLContext | None
    ) -> None:
        self._backend = backend
        self._socket = socket.create_server((HOST, port))
        self.port: int = self._socket.getsockname()[1]
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="podsource-apiserver", daemon=True
        )
        # Up to 3.10 asyncio warns of one that the client closed and nobody did here.
        self._transports: set[asyncio.Transport] = set()
        self._thread.start()
        self._server, self._runner = self._run(self._open(context))

    def wake(self, streams: Iterable[Stream]) -> None:
        """Let *streams* look for what is new; from any thread."""
        for stream in streams:
            self._loop.call_soon_threadsafe(stream.wake.set)

    def stop(self) -> None:
        """End all connections and the thread."""
        self._run(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_LIMIT_S)
        self._loop.close()

    def _run(self, what: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(what, self._loop).result(_LIMIT_S)

    async def _open(
        self, context: ssl.SSLContext | None
    ) -> tuple[web.Server, web.ServerRunner]:
        server = web.Server(self._handle, access_log=None)
        runner = web.ServerRunner(
            server,
            handle_signals=False,
            handler_cancellation=True,
            shutdown_timeout=0.01,
        )
        await runner.setup()
        await web.SockSite(runner, self._socket, ssl_context=context).start()
        return server, runner

    async def _close(self) -> None:
        for connection in self._server.connections:
            if connection.transport is not None:
                connection.transport.abort()
        for transport in self._transports:
            transport.abort()
        await self._runner.cleanup()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=_LIMIT_S / 2)
        await self._loop.shutdown_default_executor()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.transport is not None:
            self._transports.add(request.transport)
        call = call_of(request.method, request.path, dict(request.query))
        headers = {name.lower(): value for name, value in request.headers.items()}
        certificate = request.get_extra_info("peercert")
        answer, order = self._backend.answered(call, headers, certificate)
        exchange = _Exchange(request, order)
        try:
            return await self._sent(exchange, answer)
        except _Broken:
            return web.Response()  # to nobody: the connection is gone
        finally:
            if isinstance(answer, Stream):
                self._backend.closed(answer)

    async def _sent(
        self, exchange: _Exchange, answer: Answer | Stream
    ) -> web.StreamResponse:
        if exchange.deed == "hang":
            await asyncio.Event().wait()
        if exchange.deed == "reset":
            exchange.reset()
        if isinstance(answer, Answer):
            return await exchange.send(answer)
        return await self._stream(exchange, answer)

    async def _stream(self, exchange: _Exchange, stream: Stream) -> web.StreamResponse:
        response = await exchange.begin(200, {**_HEADERS, "Content-Type": JSON})
        until = self._loop.time() + (stream.timeout_s or math.inf)
        while True:
            stream.wake.clear()
            lines, are_last = stream.take()
            for line in lines:
                if self._backend.is_cut(stream):
                    await exchange.break_off(response, line)
                await exchange.write(response, line)
            if are_last:
                return response
            await self._wait(stream, until)

    async def _wait(self, stream: Stream, until: float) -> None:
        """Wait for news; a bookmark is sent from time to time and before the end."""
        left = until - self._loop.time()
        try:
            await asyncio.wait_for(stream.wake.wait(), min(left, _BOOKMARKS_S))
        except asyncio.TimeoutError:
            stream.bookmark()
            if left <= _BOOKMARKS_S:
                stream.end()


class _Broken(Exception):
    """The connection was broken as ordered."""


class _Exchange:
    """
    A request, and how it is to be answered.

    Attributes:
        request: It.
        deed: What is to go wrong; empty: nothing.
    """

    def __init__(self, request: web.BaseRequest, order: Order | None) -> None:
        self.request = request
        self.deed = order.deed if order else ""
        self._piece = order.piece if order else 0
        self._pause_s = order.pause_s if order else 0.0

    async def send(self, answer: Answer) -> web.StreamResponse:
        headers = {**_HEADERS, "Content-Type": answer.content_type, **answer.headers}
        if self._is_in_pieces(answer):
            return await self._send_in_pieces(answer, headers)
        body = b"".join(answer.body)
        response = web.Response(status=answer.status, headers=headers, body=body)
        accepted = self.request.headers.get("Accept-Encoding", "")
        if len(body) >= _PACKED_FROM and "gzip" in accepted:
            response.enable_compression(web.ContentCoding.gzip)
        return response

    async def begin(self, status: int, headers: dict[str, str]) -> web.StreamResponse:
        response = web.StreamResponse(status=status, headers=headers)
        if "Content-Length" in headers or self.request.version < HttpVersion11:
            response.force_close()  # the body may be shorter, or tells no length
        else:
            response.enable_chunked_encoding()
        await response.prepare(self.request)
        return response

    async def write(self, response: web.StreamResponse, data: bytes) -> None:
        step = self._piece or len(data) or 1
        for start in range(0, len(data), step):
            await response.write(data[start : start + step])
            if self._pause_s:
                await asyncio.sleep(self._pause_s)

    async def break_off(self, response: web.StreamResponse, data: bytes) -> NoReturn:
        await response.write(data[: len(data) // 2])
        self.reset()

    def reset(self) -> NoReturn:
        transport = self.request.transport
        if transport is not None:
            transport.get_extra_info("socket").setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, _RESET_AT_ONCE
            )
            transport.abort()
        raise _Broken

    def _is_in_pieces(self, answer: Answer) -> bool:
        told = "Content-Length" in answer.headers or not isinstance(answer.body, tuple)
        return told or self.deed in ("cut", "slow")

    async def _send_in_pieces(
        self, answer: Answer, headers: dict[str, str]
    ) -> web.StreamResponse:
        response = await self.begin(answer.status, headers)
        if self.deed == "cut":
            await self.break_off(response, b"".join(answer.body))
        for piece in answer.body:
            await self.write(response, piece)
        return response
