"""
What a URL answers, and what was asked of it.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

Packing: TypeAlias = Literal["", "gzip", "deflate"]
Failure: TypeAlias = Literal["reset", "silent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenRequest:
    """
    A request that came.

    Attributes:
        method: Such as ``GET``.
        path: Its path and query.
        headers: Its headers; names in small letters.
    """

    path: str
    headers: Mapping[str, str]
    method: str = "GET"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """
    One answer, or how it fails.

    Attributes:
        status: HTTP status.
        headers: Headers in order.
        body: The body, packed already.
        delay_ns: Time from the request to the answer.
        chunks: Into how many chunks the body is parted; 0 for a length told before.
        cut_at: The connection ends after so many bytes of the body.
        failure: ``reset`` or ``silent`` instead of an answer.
        etag: The validator of the body, with its quotes; empty for none.
    """

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    delay_ns: int = 0
    chunks: int = 0
    cut_at: int | None = None
    failure: Failure | None = None
    etag: str = ""

    def to(self, request: SeenRequest) -> Answer:
        """Return what *request* gets: 304 without a body if it has this one."""
        known = request.headers.get("if-none-match", "")
        if not self.etag or self.etag not in [
            each.strip() for each in known.split(",")
        ]:
            return self
        return replace(self, status=304, body=b"", chunks=0, cut_at=None)

    def __str__(self) -> str:
        if self.failure:
            return self.failure
        start = self.body[:20].decode("ascii", "replace").replace("\n", " ")
        return f"{self.status} {start!r}"


@dataclass(slots=True)
class Place:
    """
    The answers of one path, and what its requests must have.

    Attributes:
        path: Without a query.
        answers: Those that are still to come; the last one stays.
        required: Headers, names in small letters; ``None`` for any value.
        answered: Whether the last answer was given.
    """

    path: str
    answers: list[Answer] = field(default_factory=list)
    required: dict[str, str | None] = field(default_factory=dict)
    answered: bool = False

    def next_answer(self) -> Answer:
        """Return what the next request gets; there is one."""
        if len(self.answers) > 1:
            return self.answers.pop(0)
        self.answered = True
        return self.answers[0]

    def unused(self) -> list[Answer]:
        """Return the answers that nobody has asked for."""
        return self.answers[:-1] if self.answered else self.answers

    def misses(self, request: SeenRequest) -> list[str]:
        """Return what *request* lacks, a sentence each."""
        return [
            _miss(name, value, request.headers.get(name))
            for name, value in self.required.items()
            if name not in request.headers or value not in (None, request.headers[name])
        ]


def packed(body: bytes, packing: Packing) -> bytes:
    """
    Return *body* as ``Content-Encoding`` names it; the same each time.
    """
    if packing == "gzip":
        return gzip.compress(body, mtime=0)
    return zlib.compress(body) if packing == "deflate" else body


def _miss(name: str, wanted: str | None, came: str | None) -> str:
    if came is None:
        return f"it lacks {name}" + (f": {wanted}" if wanted else "")
    return f"its {name} is {came!r}, not {wanted!r}"
