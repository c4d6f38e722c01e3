"""
One attempt at a manifest URL: redirects and packed bodies as Go's client has them.

Rule 1: one attempt is at most ten requests, and one time limit holds for all of them.
Rule 2: the configured headers go along on a redirect, but credentials stay with their
host and its subdomains; a redirected request says where it came from. Rule 3: a gzip
body is unpacked only if the client asked for it by itself, which it does unless
``Accept-Encoding`` or ``Range`` is configured; one that is cut off is a failure. Rule 4:
a URL of no known form is a failure like any other, also where a redirect names it.
"""

from __future__ import annotations

import base64
import re
import urllib.parse
import zlib
from collections.abc import Callable

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
#: What a redirect that may change the method leaves behind, as it has no body then.
BODY_HEADERS = frozenset(
    {"content-encoding", "content-language", "content-location", "content-type"}
)
DROPS_BODY = frozenset({301, 302, 303})
#: What Go's transport writes by itself, whatever the headers say.
NEVER_SENT = frozenset({"host", "content-length", "transfer-encoding", "trailer"})
USER_AGENT = "Go-http-client/1.1"

Headers = tuple[tuple[str, str], ...]
Outcome = Reply | OSError

_NO_URL = re.compile(r"^ |[\x00-\x1f\x7f]")
_BAD_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})")


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
        self._packs = not _first(headers, "accept-encoding") and not _first(
            headers, "range"
        )
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

    def _get(self, url: str, headers: Headers, referer: str = "") -> None:
        fault = _fault_of(url)
        if fault:
            self._on_done(OSError(f"{url!r} {fault}"))
            return
        self._requests += 1
        self._cancel = self._env.fetch(
            url,
            self._sent(url, headers, referer),
            self._left_ns(),
            lambda outcome: self._answered(url, headers, outcome),
        )

    def _sent(self, url: str, headers: Headers, referer: str) -> Headers:
        own = {"User-Agent": USER_AGENT, "Authorization": _basic(url)}
        own["Accept-Encoding"] = "gzip" if self._packs else ""
        own["Referer"] = referer
        return tuple(
            (name, value)
            for name, value in own.items()
            if value and not _first(headers, name.lower())
        ) + tuple(pair for pair in headers if pair[0].lower() not in NEVER_SENT)

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
            if outcome.status in DROPS_BODY:
                headers = _without(headers, BODY_HEADERS)
            self._redirect(url, location, headers)
        else:
            self._on_done(self._unpacked(outcome))

    def _redirect(self, url: str, location: str, headers: Headers) -> None:
        if self._requests >= MAX_REQUESTS:
            self._on_done(OSError(f"{url}: stopped after {MAX_REQUESTS} redirects"))
            return
        try:
            target = _resolved(url, location)
        except ValueError as error:
            self._on_done(OSError(f"{url}: it redirects to {location!r}: {error}"))
            return
        if not _same_site(self._first_url, target):  # once dropped, they stay dropped
            headers = _without(headers, CREDENTIALS)
        self._get(target, headers, _referer(url, target))

    def _unpacked(self, reply: Reply) -> Outcome:
        body = reply.body
        if self._packs and _first(reply.headers, "content-encoding").lower() == "gzip":
            try:
                body = _gunzip(body, self._max_bytes)
            except zlib.error as error:
                return OSError(f"the body is not gzip: {error}")
        if self._max_bytes is not None and len(body) >= self._max_bytes:
            return OSError(f"the body reaches the limit of {self._max_bytes} bytes")
        return Reply(status=reply.status, headers=reply.headers, body=body)


def _gunzip(body: bytes, max_bytes: int | None) -> bytes:
    """
    Return what all members of *body* hold, up to *max_bytes*.

    Raises:
        zlib.error: It isn't gzip, or not to its end.
    """
    data = bytearray()
    while body and (max_bytes is None or len(data) < max_bytes):
        member = zlib.decompressobj(wbits=31)
        data += member.decompress(body, max_bytes - len(data) if max_bytes else 0)
        if not member.eof and not (max_bytes and len(data) >= max_bytes):
            raise zlib.error("it is cut off")
        body = member.unused_data
    return bytes(data)


def _fault_of(url: str) -> str:
    """
    Return why *url* can't be asked, empty if it can.

    Kubelet: what ``http.NewRequest``, ``url.Parse`` and the transport refuse.
    """
    try:
        parts = urllib.parse.urlsplit(url)
        host, _ = parts.hostname, parts.port  # a port that is no number raises
    except ValueError as error:
        return f"is malformed: {error}"
    if parts.scheme not in ("http", "https"):
        return "is not an http or https URL"
    if not host:
        return "names no host"
    if _NO_URL.search(url) or _BAD_ESCAPE.search(parts.path):
        return "is malformed"
    return ""


def _resolved(url: str, location: str) -> str:
    # ``urljoin`` takes ``http:///x`` for relative; it is whole, and names no host.
    is_whole = bool(urllib.parse.urlsplit(location).scheme)
    return location if is_whole else urllib.parse.urljoin(url, location)


def _basic(url: str) -> str:
    """
    Return the credentials that *url* carries, as a header.
    """
    parts = urllib.parse.urlsplit(url)
    if parts.username is None:
        return ""
    user = f"{parts.username}:{parts.password or ''}"
    token = base64.b64encode(urllib.parse.unquote_to_bytes(user)).decode()
    return f"Basic {token}"


def _referer(url: str, target: str) -> str:
    """
    Return what the request for *target* says of *url*, which led there.

    Kubelet: ``refererForURL`` in Go's ``net/http``.
    """
    parts = urllib.parse.urlsplit(url)
    if parts.scheme == "https" and urllib.parse.urlsplit(target).scheme == "http":
        return ""
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _without(headers: Headers, names: frozenset[str]) -> Headers:
    return tuple(pair for pair in headers if pair[0].lower() not in names)


def _same_site(first_url: str, target: str) -> bool:
    first, other = _host(first_url), _host(target)
    return other == first or (other.endswith(f".{first}") and ":" not in other)


def _host(url: str) -> str:
    return urllib.parse.urlsplit(url).hostname or ""


def _first(headers: Headers, name: str) -> str:
    return next((value for each, value in headers if each.lower() == name), "")
