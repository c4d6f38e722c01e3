"""
One attempt at a manifest URL: redirects and packed bodies as Go's client has them.

Rule 1: one attempt is at most ten requests, and one time limit holds for all of them.
Rule 2: the configured headers go along on a redirect, but credentials stay with their
host and its subdomains. Rule 3: a gzip body is unpacked only if the client asked for it
by itself, which it does unless ``Accept-Encoding`` is configured.
"""

from __future__ import annotations

import urllib.parse
import zlib
from collections.abc import Callable, Iterable

from pytest_podsource.contract import Cancel, Environment, Reply

MAX_REQUESTS = 10
REDIRECTS = frozenset({301, 302, 303, 307, 308})
CREDENTIALS = frozenset(
    {
        "authorization",
        "cookie",
        "cookie2",
        "proxy-authenticate",
        "proxy-authorization",
        "www-authenticate",
    }
)
USER_AGENT = "Go-http-client/1.1"

Headers = tuple[tuple[str, str], ...]
Outcome = Reply | OSError


class HttpExchange:
    """
    Gets one URL, following redirects.

    Args:
        env: Its clock and its fetch.
        url: Where to begin.
        headers: The configured headers, several values a name in order.
        timeout_ns: For the whole attempt, 0 for no limit.
        max_bytes: A body of this size or more is an error, ``None`` for no limit.
        on_done: Is given the last reply, unpacked, or why there is none.

    Kubelet: ``http.Client.Do`` as ``pkg/kubelet/config/http.go`` uses it.
    """

    def __init__(
        self,
        env: Environment,
        url: str,
        headers: Headers,
        *,
        timeout_ns: int,
        max_bytes: int | None,
        on_done: Callable[[Outcome], None],
    ) -> None:
        self._env = env
        self._first_url = url
        self._headers = headers
        self._timeout_ns = timeout_ns
        self._max_bytes = max_bytes
        self._on_done = on_done
        self._packs = not _has(headers, "accept-encoding")
        self._requests = 0
        self._began_ns = env.clock.monotonic_ns()
        self._cancel: Cancel = lambda: None

    def start(self) -> None:
        """
        Send the first request.
        """
        self._get(self._first_url, self._headers)

    def cancel(self) -> None:
        """
        Give up; nothing is told any more.
        """
        self._cancel()

    def _get(self, url: str, headers: Headers) -> None:
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            self._on_done(OSError(f"{url!r} is not an http or https URL"))
            return
        self._requests += 1
        self._cancel = self._env.fetch(
            url,
            self._sent(headers),
            self._left_ns(),
            lambda outcome: self._answered(url, headers, outcome),
        )

    def _sent(self, headers: Headers) -> Headers:
        own: Headers = (
            () if _has(headers, "user-agent") else (("User-Agent", USER_AGENT),)
        )
        if self._packs:
            own += (("Accept-Encoding", "gzip"),)
        # An entry ``Host`` doesn't change the request's host.
        return own + tuple(pair for pair in headers if pair[0].lower() != "host")

    def _left_ns(self) -> int:
        if not self._timeout_ns:
            return 0
        passed_ns = self._env.clock.monotonic_ns() - self._began_ns
        return max(1, self._timeout_ns - passed_ns)

    def _answered(self, url: str, headers: Headers, outcome: Outcome) -> None:
        if isinstance(outcome, OSError):
            self._on_done(outcome)
            return
        location = _first(outcome.headers, "location")
        if outcome.status in REDIRECTS and location:
            self._redirect(url, urllib.parse.urljoin(url, location), headers)
        else:
            self._on_done(self._unpacked(outcome))

    def _redirect(self, url: str, target: str, headers: Headers) -> None:
        if self._requests >= MAX_REQUESTS:
            self._on_done(OSError(f"{url}: stopped after {MAX_REQUESTS} redirects"))
            return
        self._get(target, tuple(_allowed(headers, self._first_url, target)))

    def _unpacked(self, reply: Reply) -> Outcome:
        body = reply.body
        if self._packs and (_first(reply.headers, "content-encoding") == "gzip"):
            try:
                body = _gunzip(body, self._max_bytes)
            except zlib.error as error:
                return OSError(f"the body is not gzip: {error}")
        if self._max_bytes is not None and len(body) >= self._max_bytes:
            return OSError(f"the body reaches the limit of {self._max_bytes} bytes")
        return Reply(status=reply.status, headers=reply.headers, body=body)


def _gunzip(body: bytes, max_bytes: int | None) -> bytes:
    return zlib.decompressobj(wbits=31).decompress(body, max_bytes or 0)


def _allowed(
    headers: Headers, first_url: str, target: str
) -> Iterable[tuple[str, str]]:
    """
    Give the headers that may go to *target*; once dropped, they stay dropped.
    """
    if _same_site(_host(first_url), _host(target)):
        return headers
    return [pair for pair in headers if pair[0].lower() not in CREDENTIALS]


def _same_site(first: str, target: str) -> bool:
    return target == first or target.endswith(f".{first}")


def _host(url: str) -> str:
    return urllib.parse.urlsplit(url).hostname or ""


def _has(headers: Headers, name: str) -> bool:
    return any(each.lower() == name for each, _ in headers)


def _first(headers: Headers, name: str) -> str:
    return next((value for each, value in headers if each.lower() == name), "")
