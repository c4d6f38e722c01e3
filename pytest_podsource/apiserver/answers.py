"""
From the text of a request to its answer.

Rule 1: nothing is raised; what can't be answered is answered with a Status.
Rule 2: a watch is given as a ``Watch``: when to look at it is the caller's business.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from pytest_podsource.apiserver.discovery import VERSION, discovered
from pytest_podsource.apiserver.failures import (
    Failure,
    failure,
    no_such_resource,
    not_found,
)
from pytest_podsource.apiserver.kinds import KINDS, Kind
from pytest_podsource.apiserver.listing import list_objects
from pytest_podsource.apiserver.options import Options, is_true
from pytest_podsource.apiserver.store import Store, encoded
from pytest_podsource.apiserver.watching import Watch

JSON = "application/json"
_READS = ("GET", "HEAD")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """
    What a request is about.

    Attributes:
        verb: ``get``, ``list``, ``watch`` of objects; of other paths the method in small
            letters.
        path: Its path.
        resource: ``pods`` or ``nodes``; empty for other paths.
        namespace: Its namespace, if it has one.
        name: The object's name, if it has one.
        query: The parameters.
    """

    verb: str
    path: str
    resource: str = ""
    namespace: str = ""
    name: str = ""
    query: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """
    A whole answer.

    Attributes:
        status: The HTTP status.
        headers: Further headers.
        body: The pieces of the body.
        content_type: What it is.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Iterable[bytes] = ()
    content_type: str = JSON


Answered: TypeAlias = Answer | Watch


def call_of(method: str, path: str, query: Mapping[str, str]) -> Call:
    """Return what a request is about."""
    parts = [part for part in path.split("/") if part]
    if parts[:2] != ["api", "v1"] or not parts[2:]:
        return Call(verb=method.lower(), path=path, query=query)
    rest, namespace = parts[2:], ""
    watched = rest[0] == "watch"
    rest = rest[1:] if watched else rest
    if rest[:1] == ["namespaces"] and len(rest) > 2:  # noqa: PLR2004 - a resource in one
        namespace, rest = rest[1], rest[2:]
    name = rest[1] if len(rest) > 1 else ""
    resource = "/".join([*rest[:1], *rest[2:]])
    watched = watched or (not name and is_true(query.get("watch", "0")))
    return Call(
        verb=_verb(method, name, watched=watched),
        path=path,
        resource=resource,
        namespace=namespace,
        name=name,
        query=query,
    )


def answer(store: Store, call: Call, version: str = VERSION) -> Answered:
    """Answer *call* from what *store* holds, as a Kubernetes of that version."""
    try:
        return _answered(store, call) if call.resource else _other(call, version)
    except Failure as error:
        return failed(error)


def failed(error: Failure) -> Answer:
    """Return the answer that tells *error*."""
    headers = {}
    if error.retry_after_s is not None:
        headers["Retry-After"] = str(error.retry_after_s)
    return Answer(
        status=error.code, headers=headers, body=(encoded(error.status), b"\n")
    )


def _answered(store: Store, call: Call) -> Answered:
    kind = KINDS.get(call.resource)
    if kind is None or (call.namespace and not kind.namespaced):
        raise no_such_resource()
    if call.verb not in ("get", "list", "watch"):
        message = f'{call.verb} is not supported on resources of kind "{kind.resource}"'
        raise failure(405, message, kind=kind.resource)
    if call.verb == "get":
        return _got(store, kind, call)
    options = Options.of(_with_name(call), call.namespace)
    if call.verb == "watch":
        return Watch(store, kind, options)
    return Answer(body=(b"".join(list_objects(store, kind, options).json()),))


def _got(store: Store, kind: Kind, call: Call) -> Answer:
    stored = store.get(kind, kind.key_of(call.namespace, call.name))
    if stored is None:
        raise not_found(kind.resource, call.name)
    return Answer(body=(stored.whole_json(kind), b"\n"))


def _other(call: Call, version: str) -> Answer:
    found = discovered(call.path, version)
    if found is None:
        raise no_such_resource()
    if call.verb not in ("get", "head"):
        raise failure(405, f"{call.verb} is not supported on {call.path}")
    if isinstance(found, str):
        return Answer(body=(found.encode(),), content_type="text/plain; charset=utf-8")
    return Answer(body=(encoded(found), b"\n"))


def _with_name(call: Call) -> Mapping[str, str]:
    if not call.name:
        return call.query
    terms = [call.query.get("fieldSelector", ""), f"metadata.name={call.name}"]
    return {**call.query, "fieldSelector": ",".join(term for term in terms if term)}


def _verb(method: str, name: str, *, watched: bool) -> str:
    if method not in _READS:
        return {"POST": "create", "PUT": "update"}.get(method, method.lower())
    if watched:
        return "watch"
    return "get" if name else "list"
