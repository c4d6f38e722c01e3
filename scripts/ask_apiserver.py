"""
Ask a real apiserver what `tests/apiserver/scene.py` has, and keep its answers.

It needs an empty apiserver of the version that the record is named after, on which the
token may do everything, and on which nothing else runs: etcd and kube-apiserver alone,
with --authorization-mode=AlwaysAllow and --disable-admission-plugins=ServiceAccount.

Usage: python scripts/ask_apiserver.py URL TOKEN CA-FILE > tests/apiserver/answers-of-V.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import requests

sys.path.append(str(Path(__file__).resolve().parents[1]))

from tests.apiserver import scene

LIMIT_S = 30
SPECS = {"pods": {"containers": [{"name": "c", "image": "nginx:1"}]}, "nodes": {}}
PLACES = {"pods": "/api/v1/namespaces/default/pods", "nodes": "/api/v1/nodes"}


class Real:
    """
    The scene on a real apiserver.
    """

    def __init__(self, url: str, token: str, ca_file: str) -> None:
        self._url = url
        self._session = requests.Session()
        self._session.headers["Authorization"] = f"Bearer {token}"
        self._session.verify = ca_file
        self._session.trust_env = False
        self._last = "0"

    def write(
        self, what: str, resource: str, name: str, given: dict[str, Any] | None
    ) -> str:
        """
        Write, and return the resource version of the write.
        """
        thing = {"metadata": {**(given or {}), "name": name}, "spec": SPECS[resource]}
        if what == "add":
            done = self._ask("POST", PLACES[resource], json=thing)
        elif what == "change":
            headers = {"Content-Type": "application/merge-patch+json"}
            data = json.dumps({"metadata": given})
            place = f"{PLACES[resource]}/{name}"
            done = self._ask("PATCH", place, data=data, headers=headers)
        else:
            place = f"{PLACES[resource]}/{name}"
            self._ask("DELETE", place, json={"gracePeriodSeconds": 0})
            return self._deleted(resource)
        self._last = done.json()["metadata"]["resourceVersion"]
        return str(self._last)

    def get(self, path: str) -> tuple[int, Any, bytes]:
        """
        Ask a path.
        """
        got = self._session.get(self._url + path, timeout=LIMIT_S)
        headers = {name.lower(): value for name, value in got.headers.items()}
        return got.status_code, headers, got.content

    def _deleted(self, resource: str) -> str:
        """Return the version of the last removal, which only a watch tells."""
        query = f"watch=1&timeoutSeconds=2&resourceVersion={self._last}"
        _, _, body = self.get(f"{PLACES[resource]}?{query}")
        told = [json.loads(line) for line in body.splitlines()]
        (gone,) = [event for event in told if event["type"] == "DELETED"]
        self._last = gone["object"]["metadata"]["resourceVersion"]
        return str(self._last)

    def _ask(self, method: str, path: str, **given: Any) -> requests.Response:
        done = self._session.request(method, self._url + path, timeout=LIMIT_S, **given)
        done.raise_for_status()
        return done


if __name__ == "__main__":
    real = Real(*sys.argv[1:4])
    told = scene.answers(real.get, scene.make(real.write))
    print(json.dumps(told, indent=1, sort_keys=True))
