"""
Lists: at which revision, which page of it, which objects.

Rule 1: without a resource version, or with one that may be older, the newest is told.
Rule 2: ``Exact``, a page with a resource version, and a page after another, are told as it
was then; if that is forgotten, 410.
Rule 3: a resource version that isn't there yet is a timeout, 504.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_podsource.apiserver.failures import Failure, failure, too_large
from pytest_podsource.apiserver.kinds import Kind, Object
from pytest_podsource.apiserver.options import Options
from pytest_podsource.apiserver.selectors import Predicate, by_fields, by_labels
from pytest_podsource.apiserver.store import Store, Stored, encoded, in_order

_TOKEN_VERSION = "meta.k8s.io/v1"  # noqa: S105 - a version, no secret
_NEWEST = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """
    A list, or a page of one.

    Attributes:
        kind: Of what.
        revision: At which.
        items: The objects.
        continue_: The token of the next page; empty on the last.
        remaining: How many come after, where that is told.
    """

    kind: Kind
    revision: int
    items: Sequence[Stored]
    continue_: str = ""
    remaining: int | None = None

    def whole(self) -> Object:
        """Return it as an object of the API."""
        return {**self._head(), "items": [item.object for item in self.items]}

    def json(self) -> Iterator[bytes]:
        """Give it as JSON, in pieces."""
        yield encoded(self._head())[:-1] + b',"items":['
        for number, item in enumerate(self.items):
            yield b"," + item.json if number else item.json
        yield b"]}\n"

    def _head(self) -> Object:
        metadata: Object = {"resourceVersion": str(self.revision)}
        if self.continue_:
            metadata["continue"] = self.continue_
        if self.remaining is not None:
            metadata["remainingItemCount"] = self.remaining
        return {
            "kind": f"{self.kind.kind}List",
            "apiVersion": "v1",
            "metadata": metadata,
        }


def list_objects(store: Store, kind: Kind, options: Options) -> Page:
    """
    Answer a list.

    Raises:
        Failure: The options are wrong, or their resource version can't be told.
    """
    options.check_list()
    scope = f"{options.namespace}/" if options.namespace else ""
    start, revision = _place(store, options, scope)
    selects = selection(kind, options)
    found = [
        (key, stored)
        for key, stored in in_order(store.at(kind, revision))
        if key >= start and selects(stored.object)
    ]
    page = found[: options.page_size or None]
    rest = len(found) - len(page)
    plain = not (options.labels or options.fields)
    return Page(
        kind=kind,
        revision=revision,
        items=[stored for _, stored in page],
        continue_=_token(revision, page[-1][0][len(scope) :] + "\0") if rest else "",
        remaining=rest if rest and plain else None,
    )


def selection(kind: Kind, options: Options) -> Predicate:
    """
    Return which objects namespace and selectors choose.

    Raises:
        Failure: 400: a selector can't be read.
    """
    labels, fields = by_labels(options.labels), by_fields(kind, options.fields)
    wanted = options.namespace

    def selects(thing: Object) -> bool:
        here = not wanted or thing["metadata"].get("namespace") == wanted
        return here and fields(thing) and labels(thing)

    return selects


def _place(store: Store, options: Options, scope: str) -> tuple[str, int]:
    if options.continue_:
        start, revision = _continued(store, options.continue_)
        return scope + start, revision
    if options.version > store.revision:
        raise too_large(options.version, store.revision)
    if not options.exact:
        return "", store.revision
    if options.version < store.compacted:
        raise failure(410)
    return "", options.version


def _continued(store: Store, token: str) -> tuple[str, int]:
    try:
        read: Any = json.loads(
            base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
        )
        version, revision = read["v"], int(read["rv"])
        start = str(read["start"]).removeprefix("/")
    except (ValueError, TypeError, KeyError, binascii.Error):
        raise failure(
            400, "invalid continue token: continue key is not valid"
        ) from None
    if version != _TOKEN_VERSION or not revision or not start:
        raise failure(400, "invalid continue token: continue key is not valid")
    if revision == _NEWEST:
        return start, store.revision
    if not store.compacted <= revision <= store.revision:
        raise _page_expired(start)
    return start, revision


def _page_expired(start: str) -> Failure:
    expired = failure(
        410,
        "The provided continue parameter is too old to display a consistent list "
        "result. Start a new list, or go on with the token given here, which leads to "
        "what is there now.",
    )
    expired.status["metadata"] = {"continue": _token(_NEWEST, start)}
    return expired


def _token(revision: int, start: str) -> str:
    text = encoded({"v": _TOKEN_VERSION, "rv": revision, "start": f"/{start}"})
    return base64.urlsafe_b64encode(text).rstrip(b"=").decode()
