"""
A manifest URL that answers as told: without a socket, or on a loopback server.

Rule 1: answers come in the order in which they were told; the last one repeats.
Rule 2: the mock is seen by ``requests`` only, the server by every client. Rule 3: what
was told and never asked for, and what was asked and never told, fails the test.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import get_args
from urllib.parse import urlsplit

from pytest_podsource.doubles.answers import (
    Answer,
    Failure,
    Packing,
    Place,
    SeenRequest,
    packed,
)
from pytest_podsource.doubles.manifests import Content, as_bytes

PATH = "/pods"

_PATH = re.compile(r"/[^\x00-\x20?#\x7f-\U0010ffff]*")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\t\x20-\x7e\xa0-\xff]*")
_FIRST_STATUS, _LAST_STATUS = 200, 999


class ManifestUrl:
    """
    What a URL answers, and what was asked.

    Attributes:
        url: Where it is.
        requests: What has been asked, in order, at every path.
        strict: Answers that nobody asked for, and requests that nobody told, fail the
            test at its end.
        ca_file: What a client must trust, if the URL begins with ``https``.
    """

    def __init__(self, root: str, ca_file: Path | None = None) -> None:
        self.url = f"{root}{PATH}"
        self.requests: list[SeenRequest] = []
        self.strict = True
        self.ca_file = ca_file
        self._root = root
        self._place = Place(PATH)
        self._places = {PATH: self._place}
        self._strange: list[str] = []

    @classmethod
    @contextmanager
    def mock(cls, sleep: Callable[[int], None] | None = None) -> Iterator[ManifestUrl]:
        """
        Give a URL that ``requests`` reaches without a socket; all others fail meanwhile.

        Args:
            sleep: Takes the time of delays, such as ``VirtualClock().sleep``; without
                it they take none.
        """
        from pytest_podsource.doubles.mock import ROOT, mocked  # noqa: PLC0415 - slow

        manifests = cls(ROOT)
        with mocked(manifests.answer, manifests.refuse, sleep):
            yield manifests
            manifests.check()

    @classmethod
    @contextmanager
    def served(cls, *, tls: bool = False) -> Iterator[ManifestUrl]:
        """
        Give a URL on a server of this machine, which every client reaches.

        Args:
            tls: Serve ``https``; clients must trust :attr:`ca_file`.
        """
        from pytest_podsource.doubles.server import CA_FILE, Server  # noqa: PLC0415 - slow

        server = Server(tls=tls)
        manifests = cls(server.root, CA_FILE if tls else None)
        server.start(manifests.answer)
        with contextlib.closing(server):
            yield manifests
        manifests.check()

    def reply(
        self,
        content: Content = b"",
        *,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        delay_ns: int = 0,
        packing: Packing = "",
        chunks: int = 0,
        cut_at: int | None = None,
        etag: str = "",
    ) -> None:
        """
        Answer so, after what was told before.

        Args:
            content: A pod, several, a text or bytes; pods are sent as JSON.
            status: HTTP status.
            headers: Further headers.
            delay_ns: Time until the answer; virtual with the mock and a clock.
            packing: ``gzip`` or ``deflate``, with the header that says so.
            chunks: Into how many chunks the server parts the body; 0 for one whole.
            cut_at: End the connection after so many bytes of the (packed) body.
            etag: Validator of the body; a request that has it already gets 304.

        Raises:
            ValueError: No server could answer so.
        """
        given = list((headers or {}).items())
        _check_reply(status, given, packing, etag)
        _check_numbers(delay_ns=delay_ns, chunks=chunks, cut_at=cut_at or 0)
        if packing:
            given.append(("Content-Encoding", packing))
        quoted = f'"{etag}"' if etag else ""
        if etag:
            given.append(("ETag", quoted))
        self._place.answers.append(
            Answer(
                status=status,
                headers=tuple(given),
                body=packed(as_bytes(content), packing),
                delay_ns=delay_ns,
                chunks=chunks,
                cut_at=cut_at,
                etag=quoted,
            )
        )

    def redirect(self, to: str, *, status: int = 302) -> None:
        """Answer with a redirect to a path such as ``/moved``, or to another URL."""
        _check_reply(status, [("Location", to)])
        self._place.answers.append(Answer(status=status, headers=(("Location", to),)))

    def fail(self, how: Failure) -> None:
        """
        Fail after what was told before.

        Args:
            how: ``reset``: the connection breaks. ``silent``: no answer ever comes; the
                mock raises the timeout, the server lets the client wait.

        Raises:
            ValueError: It isn't known.
        """
        if how not in get_args(Failure):
            raise ValueError(_unknown("fail", how, get_args(Failure)))
        self._place.answers.append(Answer(failure=how))

    def require(self, header: str, value: str | None = None) -> None:
        """Take only requests that have *header*, with *value* if that is given."""
        self._place.required[header.lower()] = value

    def at(self, path: str) -> ManifestUrl:
        """
        Return the same URL at another *path*, with answers of its own.

        Its requests are kept in the same list.

        Raises:
            ValueError: *path* is none, as a request has it.
        """
        if not _PATH.fullmatch(path):
            raise ValueError(
                f"podsource_url.at: {path!r} is no path. Right would be /moved: a slash, "
                "then what a request has, without a query, blanks as %20."
            )
        other = ManifestUrl(self._root, self.ca_file)
        other.url = f"{self._root}{path}"
        other.requests = self.requests
        other._places = self._places
        other._strange = self._strange
        other._place = self._places.setdefault(path, Place(path))
        return other

    def answer(self, request: SeenRequest) -> Answer:
        """Keep *request*, and return what it gets."""
        self.requests.append(request)
        path = urlsplit(request.path).path
        place = self._places.get(path)
        if place is None or not place.answers:
            return self._unknown(request, path)
        if misses := place.misses(request):
            return self._strangely(401, f"{_line(request)}: {', '.join(misses)}")
        if request.method not in ("GET", "HEAD"):
            return self._strangely(405, f"{_line(request)}: only GET and HEAD are told")
        return place.next_answer().to(request)

    def refuse(self, request: str, why: str) -> None:
        """Keep a request that couldn't be answered."""
        self._strange.append(f"{request}: {why}")

    def check(self) -> None:
        """
        See that all that was told was asked for, and nothing else.

        Raises:
            AssertionError: It wasn't, and :attr:`strict` is on.
        """
        lines = [f"  not told   {each}" for each in self._strange]
        for place in self._places.values():
            lines += [f"  not asked  {place.path}: {each}" for each in place.unused()]
        if lines and self.strict:
            hint = "  Set podsource_url.strict = False where that is meant."
            raise AssertionError("\n".join(["podsource_url:", *lines, hint]))

    def _unknown(self, request: SeenRequest, path: str) -> Answer:
        told = [each for each, place in self._places.items() if place.answers]
        near = get_close_matches(path, told, 1, 0.3)
        if near:
            why = f"told is {near[0]}"
        else:
            why = f"told are {', '.join(told)}" if told else "no answer was told"
        return self._strangely(404, f"{_line(request)}: {why}")

    def _strangely(self, status: int, why: str) -> Answer:
        self._strange.append(why)
        headers = (("Content-Type", "text/plain"),)
        return Answer(status=status, headers=headers, body=f"{why}\n".encode())


def _check_reply(
    status: int,
    headers: Iterable[tuple[str, str]],
    packing: str = "",
    etag: str = "",
) -> None:
    given: object = status
    if not isinstance(given, int) or not _FIRST_STATUS <= given <= _LAST_STATUS:
        raise ValueError(
            f"podsource_url.reply: {status!r} ends no request. Right would be a number "
            f"from {_FIRST_STATUS} to {_LAST_STATUS}."
        )
    for name, value in (*headers, ("ETag", etag)):
        if not (_TOKEN.fullmatch(name) and _VALUE.fullmatch(value)):
            raise ValueError(
                f"podsource_url.reply: {name!r}: {value!r} is no header. Right would be "
                "a name without blanks, and a value of one line in Latin-1."
            )
    if packing not in get_args(Packing):
        raise ValueError(_unknown("reply", packing, get_args(Packing)[1:]))


def _check_numbers(**numbers: int) -> None:
    for name, number in numbers.items():
        if number < 0:
            raise ValueError(
                f"podsource_url.reply: {name}={number} is negative. "
                "Right would be 0 or more."
            )


def _unknown(what: str, word: object, known: Iterable[str]) -> str:
    return f"podsource_url.{what}: {word!r} is not known. Known: {', '.join(known)}."


def _line(request: SeenRequest) -> str:
    return f"{request.method} {request.path}"
