"""
The fake apiserver that tests hold in their hands.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from pytest_podsource.apiserver.answers import Answer, Call, failed
from pytest_podsource.apiserver.failures import failure, forbidden
from pytest_podsource.apiserver.watching import error_event
from pytest_podsource.doubles.apiserver import identity
from pytest_podsource.doubles.apiserver.backend import Backend, SeenCall
from pytest_podsource.doubles.apiserver.orders import Deed, On, Order
from pytest_podsource.doubles.apiserver.things import Nodes, Pods
from pytest_podsource.exceptions import UsageError

if TYPE_CHECKING:
    from typing_extensions import Self

    from pytest_podsource.doubles.apiserver.http import HttpServer

_NO_AIOHTTP = (
    "FakeApiserver: the package aiohttp, whose HTTP server it is, is not installed. "
    "Install pytest-podsource[apiserver]."
)
_FORBIDDEN = 403
_GONE = 410


class FakeApiserver:
    """
    An apiserver for pods and nodes on this machine's loopback.

    It lists and watches as a real one does. Use it in a ``with``, or call ``start`` and
    ``stop``; its objects outlive that, as those of a real one do.

    Args:
        tls: Whether it speaks HTTPS, with certificates made for the occasion.
        token: What clients have to know; with TLS there always is one.

    Attributes:
        url: Where it is.
        token: What clients have to know; None: everybody may ask.
        ca_file: The certificate of its authority, with TLS.
        pods: Its pods.
        nodes: Its nodes.
        requests: What has been asked, in order.
        version: Which Kubernetes it says that it is; set it for a client that is choosy.
    """

    def __init__(self, *, tls: bool = False, token: str | None = None) -> None:
        self.token = token or ("podsource" if tls else None)
        self.ca_file: Path | None = None
        self._certificates: identity.Certificates | None = None
        if tls:
            folder = tempfile.mkdtemp(prefix="podsource-apiserver-")
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            self._certificates = identity.Certificates(Path(folder))
            self.ca_file = self._certificates.ca_file
        self._backend = Backend(self.token)
        self._server: HttpServer | None = None
        self._port = 0
        self.pods = Pods(self._backend.store, self._backend.changing)
        self.nodes = Nodes(self._backend.store, self._backend.changing)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """Where it is, without a path."""
        if not self._port:
            raise UsageError(
                "FakeApiserver.url: it was never started. Use it in a `with`, or "
                "call start()."
            )
        scheme = "https" if self._certificates else "http"
        return f"{scheme}://127.0.0.1:{self._port}"

    @property
    def version(self) -> str:
        """Which Kubernetes it says that it is; set it for a client that is choosy."""
        return self._backend.version

    @version.setter
    def version(self, version: str) -> None:
        self._backend.version = version

    @property
    def requests(self) -> list[SeenCall]:
        """What has been asked, in order."""
        return [*self._backend.seen]

    def start(self) -> None:
        """
        Listen: after a stop where it was.

        Raises:
            UsageError: aiohttp is lacking.
        """
        if self._server is not None:
            return
        try:
            from pytest_podsource.doubles.apiserver import http  # noqa: PLC0415
        except ImportError:
            raise UsageError(_NO_AIOHTTP) from None
        context = self._certificates.context() if self._certificates else None
        self._server = http.HttpServer(self._backend, self._port, context)
        self._port = self._server.port
        self._backend.wake = self._server.wake

    def stop(self) -> None:
        """Break all connections and listen no more; the objects stay."""
        if self._server is not None:
            with self._backend.changing():
                self._backend.wake = lambda streams: None
            self._server.stop()
            self._server = None

    def fail(
        self,
        status: int,
        *,
        on: On = "any",
        resource: str = "",
        times: int | None = 1,
        message: str = "",
        retry_after_s: int | None = None,
    ) -> None:
        """
        Answer the next requests with a Status.

        Args:
            status: The HTTP status, such as 401, 403, 410, 429, 500.
            on: Which requests.
            resource: About which resource; empty: any.
            times: How many; None: all from now on.
            message: What it says; else what a real one says.
            retry_after_s: When to come back, in details and in ``Retry-After``.
        """
        details = {} if retry_after_s is None else {"retryAfterSeconds": retry_after_s}

        def told(call: Call, user: str) -> Answer:
            if status == _FORBIDDEN and not message:
                return failed(forbidden(user, call.verb, call.resource, call.namespace))
            return failed(failure(status, message, **details))

        order = Order(deed="answer", on=on, resource=resource, answer=told)
        self._order(order, times)

    def reply(
        self,
        body: Mapping[str, Any] | str | bytes | Iterable[bytes],
        *,
        on: On = "any",
        resource: str = "",
        times: int | None = 1,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """
        Answer the next requests with *body*, whatever it is.

        Args:
            body: A mapping, sent as JSON; a text; bytes; or pieces of bytes, which are
                made while they are sent, and so may be more than memory holds.
            on: Which requests.
            resource: About which resource; empty: any.
            times: How many; None: all from now on.
            status: The HTTP status.
            headers: Further headers; a ``Content-Length`` that is too large cuts the
                body off.
        """
        answer = Answer(status=status, headers=headers or {}, body=_pieces(body))
        order = Order(
            deed="answer", on=on, resource=resource, answer=lambda call, user: answer
        )
        self._order(order, times)

    def reset(
        self, *, on: On = "any", resource: str = "", times: int | None = 1
    ) -> None:
        """Break the connections of the next requests, without an answer."""
        self._do("reset", on, resource, times)

    def hang(
        self, *, on: On = "any", resource: str = "", times: int | None = 1
    ) -> None:
        """Never answer the next requests."""
        self._do("hang", on, resource, times)

    def cut(
        self, *, on: On = "watch", resource: str = "", times: int | None = 1
    ) -> None:
        """Break a connection in the middle: of a list, or of a watch's next event."""
        self._do("cut", on, resource, times)

    def slow(
        self,
        piece: int,
        pause_s: float,
        *,
        on: On = "any",
        resource: str = "",
        times: int | None = 1,
    ) -> None:
        """
        Send the bodies of the next requests in drops.

        Args:
            piece: How many bytes at once.
            pause_s: How long to wait after each.
            on: Which requests.
            resource: About which resource; empty: any.
            times: How many; None: all from now on.

        Raises:
            UsageError: *piece* is no positive number.
        """
        if piece < 1:
            raise UsageError(
                f"slow: piece={piece!r} bytes can't be sent. Give 1 or more."
            )
        order = Order(
            deed="slow", on=on, resource=resource, piece=piece, pause_s=pause_s
        )
        self._order(order, times)

    def heal(self) -> None:
        """Forget what was to go wrong."""
        with self._backend.changing():
            self._backend.orders.clear()

    def forget(self) -> None:
        """
        Forget the history, as a real one does after some minutes.

        Older resource versions and pages are then gone: 410.
        """
        with self._backend.changing():
            self._backend.store.compact()

    def bookmark(self) -> None:
        """Send a bookmark to the open watches that asked for them."""
        with self._backend.watches() as streams:
            for stream in streams:
                stream.bookmark()

    def end_watches(self) -> None:
        """End the open watches, as a real one does after some minutes."""
        with self._backend.watches() as streams:
            for stream in streams:
                stream.end()

    def expire_watches(self, status: int = _GONE) -> None:
        """End the open watches with an ERROR event."""
        message = "too old resource version" if status == _GONE else ""
        line = error_event(failure(status, message)).json()
        with self._backend.watches() as streams:
            for stream in streams:
                stream.tell(line)
                stream.end()

    def tell(self, line: Mapping[str, Any] | str | bytes) -> None:
        """
        Send the open watches a line as it is, whatever it is.

        Args:
            line: A mapping, sent as JSON; a text or bytes; without its line break.
        """
        (data,) = _pieces(line)
        with self._backend.watches() as streams:
            for stream in streams:
                stream.tell(data + b"\n")

    def wait_for(
        self, verb: str, count: int = 1, *, resource: str = "", timeout_s: float = 10.0
    ) -> list[SeenCall]:
        """
        Wait until so many requests of that kind have come; return them.

        Args:
            verb: ``get``, ``list`` or ``watch``.
            count: How many since the server was made.
            resource: About which resource; empty: any.
            timeout_s: How long to wait.

        Raises:
            TimeoutError: They didn't come; says what did.
        """

        def found() -> list[SeenCall]:
            return [
                seen
                for seen in self._backend.seen
                if seen.verb == verb and resource in ("", seen.resource)
            ]

        if not self._backend.wait(lambda: len(found()) >= count, timeout_s):
            came = ", ".join(f"{seen.verb} {seen.path}" for seen in self.requests)
            wanted = f"{count} x {verb} {resource}".strip()
            raise TimeoutError(
                f"wait_for: {wanted} didn't come in {timeout_s:g} s. "
                f"What came: {came or 'nothing'}."
            )
        return found()

    def client_certificate(
        self, user: str, group: str | None = None
    ) -> tuple[Path, Path]:
        """
        Return the files of a client certificate and its key, made anew.

        Args:
            user: Whose, such as ``system:node:node1``.
            group: Its group, such as ``system:nodes``.

        Raises:
            UsageError: It speaks no TLS.
        """
        if self._certificates is None:
            raise UsageError(
                "client_certificate: there are none without TLS. "
                "Make FakeApiserver(tls=True)."
            )
        return self._certificates.client(user, group)

    def kubeconfig(self) -> dict[str, Any]:
        """Return a kubeconfig with address, authority and token."""
        return identity.kubeconfig(self.url, self.token, self.ca_file)

    def write_kubeconfig(self, path: Path | str) -> Path:
        """Write ``kubeconfig`` to *path*, as JSON, which is YAML too; return that."""
        path = Path(path)
        path.write_text(json.dumps(self.kubeconfig(), indent=2))
        return path

    def _do(self, deed: Deed, on: On, resource: str, times: int | None) -> None:
        self._order(Order(deed=deed, on=on, resource=resource), times)

    def _order(self, order: Order, times: int | None) -> None:
        with self._backend.changing():
            self._backend.orders.give(order, times)


def _pieces(
    body: Mapping[str, Any] | str | bytes | Iterable[bytes],
) -> Iterable[bytes]:
    if isinstance(body, Mapping):
        return (json.dumps(body).encode(),)
    if isinstance(body, str):
        return (body.encode(),)
    return (body,) if isinstance(body, bytes) else body
