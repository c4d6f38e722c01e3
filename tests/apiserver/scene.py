"""
Requests that a real apiserver was asked as well, and how answers are compared.

The scene is made in the same order on both. What differs by chance, such as resource
versions and UIDs, is replaced by the name of the write that it stems from.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

Get: TypeAlias = Callable[[str], tuple[int, Mapping[str, str], bytes]]
Write: TypeAlias = Callable[[str, str, str, dict[str, Any] | None], str]

#: What is done, the resource, the name, and what is given; write n gives version "rn".
WRITES: tuple[tuple[str, str, str, dict[str, Any] | None], ...] = (
    ("add", "pods", "b", {"labels": {"app": "web", "size": "2"}}),
    ("add", "pods", "a", {"labels": {"app": "db", "size": "10"}}),
    ("add", "nodes", "n1", {"labels": {"zone": "x"}}),
    ("add", "pods", "c", {}),
    ("change", "pods", "b", {"labels": {"app": "web", "size": "3"}}),
    ("change", "pods", "a", {"labels": {"app": "web"}}),
    ("change", "pods", "b", {"labels": {"app": "old"}}),
    ("remove", "pods", "c", None),
    ("add", "pods", "d", {"labels": {"app": "web"}}),
)
_FUTURE = "999999999"
_PODS = "/api/v1/namespaces/default/pods"
_LISTS = (
    "",
    "resourceVersion=0",
    "resourceVersion=0&limit=1",
    "resourceVersion={r2}",
    "resourceVersion={r2}&limit=1",
    "resourceVersion={r2}&resourceVersionMatch=Exact",
    "resourceVersion={r4}&resourceVersionMatch=Exact",
    "resourceVersion={r4}&resourceVersionMatch=Exact&limit=2",
    "resourceVersion={r4}&resourceVersionMatch=NotOlderThan",
    "resourceVersion={r4}&resourceVersionMatch=NotOlderThan&limit=1",
    "resourceVersion=0&resourceVersionMatch=NotOlderThan",
    "limit=1",
    "limit=2",
    "limit=3",
    "limit=0",
    "limit=1&labelSelector=app%3Dweb",
    "labelSelector=app%3Dweb",
    "labelSelector=app!%3Dweb",
    "labelSelector=app in (web,old)",
    "labelSelector=app notin (web)",
    "labelSelector=!size",
    "labelSelector=size",
    "labelSelector=size>2",
    "labelSelector=size<2",
    "labelSelector=app%3Dweb,size",
    "labelSelector=a%3Db%3Dc",
    "labelSelector=,",
    "fieldSelector=metadata.name%3Da",
    "fieldSelector=metadata.name!%3Da",
    "fieldSelector=metadata.name%3D%3Da,status.phase%3DPending",
    "fieldSelector=spec.nodeName%3D",
    "fieldSelector=spec.nodeName%3Dn1",
    "fieldSelector=spec.restartPolicy%3DAlways",
    "fieldSelector=spec.schedulerName%3Ddefault-scheduler",
    "fieldSelector=spec.hostNetwork%3Dfalse",
    "fieldSelector=status.podIP%3D",
    "fieldSelector=spec.containers%3Dx",
    "fieldSelector=metadata.name",
    "resourceVersionMatch=Exact",
    "resourceVersion=0&resourceVersionMatch=Exact",
    "resourceVersion={r2}&resourceVersionMatch=Some",
    "resourceVersion=x",
    "resourceVersion=-1",
    "limit=x",
    "continue=x",
    "continue=e30",
    "continue={token}",
    "continue={token}&limit=1",
    "continue={token}&resourceVersion={r2}",
    "continue={token}&resourceVersion=0",
    "continue={token}&resourceVersion={r2}&resourceVersionMatch=Exact",
    "sendInitialEvents=true",
    "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion={r2}",
    "allowWatchBookmarks=true",
    "timeoutSeconds=5",
    "resourceVersion=999999999",
    "resourceVersion=999999999&resourceVersionMatch=Exact",
)
_STREAMED = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
_WATCHES = (
    "",
    "resourceVersion=0",
    "resourceVersion={r1}",
    "resourceVersion={r4}",
    "resourceVersion={r9}",
    "resourceVersion={r4}&labelSelector=app%3Dweb",
    "resourceVersion={r2}&labelSelector=size",
    "resourceVersion={r1}&fieldSelector=metadata.name%3Dc",
    "allowWatchBookmarks=true",
    "resourceVersion=0&allowWatchBookmarks=true",
    "resourceVersion={r9}&allowWatchBookmarks=true",
    "sendInitialEvents=true",
    "sendInitialEvents=false",
    "sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
    "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1",
    f"{_STREAMED}&allowWatchBookmarks=1&resourceVersion={{r2}}",
    f"{_STREAMED}&allowWatchBookmarks=1&labelSelector=app%3Dweb",
    "sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1",
    "sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion={r4}",
    "sendInitialEvents=true&resourceVersionMatch=Exact",
    "resourceVersionMatch=NotOlderThan",
    "resourceVersionMatch=Exact&resourceVersion={r1}",
    "resourceVersion=x",
    "resourceVersion=1",
    "limit=1&resourceVersion={r4}",
    "continue={token}",
    "fieldSelector=spec.containers%3Dx",
    "labelSelector=a%3Db%3Dc",
)
PATHS = (
    *(f"{_PODS}?{query}" for query in _LISTS),
    *(f"{_PODS}?watch=1&timeoutSeconds=3&{query}" for query in _WATCHES),
    "/api/v1/watch/namespaces/default/pods?timeoutSeconds=3&resourceVersion={r4}",
    "/api/v1/watch/namespaces/default/pods/b?timeoutSeconds=3&resourceVersion={r1}",
    f"{_PODS}/b?watch=1&timeoutSeconds=3&resourceVersion={{r1}}",
    f"{_PODS}?watch=false",
    f"{_PODS}/a",
    f"{_PODS}/missing",
    "/api/v1/pods?limit=2",
    "/api/v1/namespaces/none/pods",
    "/api/v1/nodes?labelSelector=zone%3Dx",
    "/api/v1/nodes?fieldSelector=spec.unschedulable%3Dfalse",
    "/api/v1/nodes?fieldSelector=spec.podCIDR%3Dx",
    "/api/v1/nodes/n1",
    "/api/v1/nodes/missing",
    "/api/v1/nothing",
    "/readyz",
    "/api",
)


class Names:
    """
    The names of resource versions: of the write that each is of, or comes after.

    A real apiserver writes other things in between, so that versions are no neighbours.
    """

    def __init__(self, versions: Mapping[str, str]) -> None:
        self._numbers = {name: int(number) for name, number in versions.items()}

    def of(self, version: str) -> str:
        """Return its name; what is no version of the scene stays as it is."""
        if version in ("", "1", _FUTURE) or not version.isdigit():
            return version
        before = [name for name, at in self._numbers.items() if at <= int(version)]
        return before[-1] if before else "before"

    def within(self, text: str) -> str:
        """Return *text* with the names of its versions."""
        return re.sub(r"\b\d+\b", lambda found: self.of(found[0]), text)


def answers(get: Get, versions: Mapping[str, str]) -> dict[str, Any]:
    """
    Return what each path is answered with, comparable.

    Args:
        get: Asks a path; gives status, headers and body.
        versions: The resource version of each write, by its name.
    """
    _, _, first = get(f"{_PODS}?limit=1")
    token = json.loads(first)["metadata"]["continue"]
    names = Names(versions)
    return {
        path: _answer(*get(path.format(token=token, **versions)), names)
        for path in PATHS
    }


def _answer(status: int, headers: Mapping[str, str], body: bytes, names: Names) -> Any:
    kind = headers["content-type"].partition(";")[0]
    if kind != "application/json":
        return {"status": status, "type": kind, "text": body.decode()}
    lines = [json.loads(line) for line in body.splitlines() if line.strip()]
    told = [_thing(line, names) for line in lines if not _is_by_the_clock(line)]
    return {"status": status, "type": kind, "told": told}


def _is_by_the_clock(line: dict[str, Any]) -> bool:
    """Whether it is a bookmark that comes from time to time."""
    metadata = line["object"]["metadata"] if line.get("type") == "BOOKMARK" else None
    return metadata is not None and "annotations" not in metadata


def _thing(thing: dict[str, Any], names: Names) -> Any:
    if set(thing) == {"type", "object"}:
        return {thing["type"]: _thing(thing["object"], names)}
    if thing.get("kind") == "Status":
        return _status(thing, names)
    if "items" in thing:
        items = [_thing(item, names) for item in thing["items"]]
        return {**_head(thing, names), "items": items}
    if thing.get("kind") == "APIVersions":
        return {"kind": thing["kind"], "versions": thing["versions"]}
    return _head(thing, names)


def _head(thing: dict[str, Any], names: Names) -> dict[str, Any]:
    metadata = thing.get("metadata", {})
    head: dict[str, Any] = {}
    head |= {key: thing[key] for key in ("kind", "apiVersion") if key in thing}
    kept = ("name", "namespace", "labels", "remainingItemCount")
    head |= {key: metadata[key] for key in kept if key in metadata}
    end = metadata.get("annotations", {}).get("k8s.io/initial-events-end")
    head |= {"initial-events-end": end} if end else {}
    if "continue" in metadata:
        head["continue"] = _token(metadata["continue"], names)
    return {**head, "version": names.of(metadata.get("resourceVersion", ""))}


def _status(status: dict[str, Any], names: Names) -> Any:
    return {
        "code": status["code"],
        "reason": status.get("reason"),
        "details": status.get("details"),
        "metadata": status["metadata"],
        "message": names.within(status["message"]),
    }


def _token(token: str, names: Names) -> Any:
    read = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    return {**read, "rv": names.of(str(read["rv"]))}


def make(write: Write, writes: Iterable[Any] = WRITES) -> dict[str, str]:
    """Write everything; return the resource version of each, by its name."""
    return {f"r{number}": write(*each) for number, each in enumerate(writes, start=1)}
