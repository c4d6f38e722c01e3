"""
What clients ask before they ask for pods: versions, groups, resources, health.
"""

from __future__ import annotations

from typing import Any

from pytest_podsource.apiserver.kinds import KINDS, VERBS, Object

VERSION = "1.37.2"
_HEALTH = ("/healthz", "/livez", "/readyz")


def discovered(path: str, version: str) -> Object | str | None:
    """
    Return what is at *path*: an object, a text, or None if nothing is.

    Args:
        path: Where.
        version: Which Kubernetes it says that it is, such as ``1.37.2``.
    """
    path = "/" + path.strip("/")
    if path in _HEALTH:
        return "ok"
    return _version(version) if path == "/version" else _DOCUMENTS.get(path)


def _version(version: str) -> Object:
    major, minor, *_ = [*version.split("."), "", ""]
    return {
        "major": major,
        "minor": minor,
        "gitVersion": f"v{version}",
        "gitCommit": "",
        "gitTreeState": "clean",
        "buildDate": "2026-01-01T00:00:00Z",
        "goVersion": "go1.26.0",
        "compiler": "gc",
        "platform": "linux/amd64",
    }


def _resources() -> Object:
    return {
        "kind": "APIResourceList",
        "groupVersion": "v1",
        "resources": [
            {
                "name": kind.resource,
                "singularName": kind.kind.lower(),
                "namespaced": kind.namespaced,
                "kind": kind.kind,
                "verbs": list(VERBS),
                "shortNames": [kind.short],
            }
            for kind in KINDS.values()
        ],
    }


_DOCUMENTS: dict[str, dict[str, Any]] = {
    "/": {"paths": ["/api", "/api/v1", "/apis", *_HEALTH, "/version"]},
    "/api": {
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [],
    },
    "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
    "/api/v1": _resources(),
}
