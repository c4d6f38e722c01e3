"""
A fake apiserver's pods listed, and changes of them watched, through real HTTP.

Server and client are processes of their own. A client lists PODS pods and watches CHANGES
changes: as a bare reader of bytes, which shows what the server costs, as the apiserver
source of this project's reference, and as the informer of the official Python client. Each row of the table has the seconds of the list
(from the first request until all pods are known), those of the changes (from the first
one until the last is known), and the largest memory of both processes; below it stand the
growth from half of the pods to all of them, and the ratios to the official client.

It needs the groups test and clients. Usage:

    python benchmarks/apiserver_list_watch.py [PODS [CHANGES]]
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any, TypeAlias
from urllib.parse import urlencode, urlsplit

LIMIT_S = 300
NODE = "node1"
PATH = "/api/v1/pods"
SELECTED = {"fieldSelector": f"spec.nodeName={NODE}"}

Told: TypeAlias = Callable[[str, int], None]
Start: TypeAlias = Callable[[], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """
    What one client took.
    """

    client: str
    pods: int
    list_s: float
    watch_s: float
    client_mib: float
    server_mib: float


def main(pods: int, changes: int) -> None:
    """
    Measure all clients at half of the pods and at all of them, and print a table.
    """
    rows = [
        measured(client, count, changes)
        for client in CLIENTS
        for count in (pods // 2, pods)
    ]
    print("client     pods   list s  changes s  client MiB  server MiB")
    for row in rows:
        print(
            f"{row.client:9}{row.pods:6}{row.list_s:9.2f}{row.watch_s:11.2f}"
            f"{row.client_mib:12.0f}{row.server_mib:12.0f}"
        )
    whole = {row.client: row for row in rows if row.pods == pods}
    half = {row.client: row for row in rows if row.pods != pods}
    official = whole["official"]
    for name, row in whole.items():
        print(
            f"{name}: twice the pods, list x {row.list_s / half[name].list_s:.2f}, "
            f"changes x {row.watch_s / half[name].watch_s:.2f}; to the official client: "
            f"list {row.list_s / official.list_s:.2f}, "
            f"changes {row.watch_s / official.watch_s:.2f}, "
            f"memory {row.client_mib / official.client_mib:.2f}"
        )


def measured(client: str, pods: int, changes: int) -> Row:
    """
    Return what *client* takes, in new processes.
    """
    sizes = (str(pods), str(changes))
    with closing(Process("serve", *sizes)) as server:
        url = server.line()["url"]
        with closing(Process("follow", client, url, *sizes)) as follower:
            listed = follower.line()
            server.say("change")
            begun_s = server.line()["begun_s"]
            watched = follower.line()
        server.say("end")
        return Row(
            client=client,
            pods=pods,
            list_s=listed["list_s"],
            watch_s=watched["ended_s"] - begun_s,
            client_mib=watched["mib"],
            server_mib=server.line()["mib"],
        )


class Process:
    """
    This program in a process of its own, that prints lines of JSON.
    """

    def __init__(self, *arguments: str) -> None:
        command = (sys.executable, __file__, *arguments)
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._timer = threading.Timer(LIMIT_S, self._process.kill)
        self._timer.start()

    def close(self) -> None:
        """
        End it.
        """
        self._timer.cancel()
        self._process.kill()
        self._process.communicate()

    def line(self) -> dict[str, Any]:
        """
        Return the next line.
        """
        assert self._process.stdout is not None
        text = self._process.stdout.readline()
        assert text, f"{self._process.args} ended, or took more than {LIMIT_S} s"
        read: dict[str, Any] = json.loads(text)
        return read

    def say(self, word: str) -> None:
        """
        Let it go on.
        """
        assert self._process.stdin is not None
        print(word, file=self._process.stdin, flush=True)


def serve(pods: int, changes: int) -> None:
    """
    Serve *pods* pods; change some when told, as fast as it goes.
    """
    from pytest_podsource import FakeApiserver  # noqa: PLC0415 - not in other processes

    with FakeApiserver() as api:
        for number in range(pods):
            api.pods.add(_pod(number))
        tell(url=api.url)
        input()
        api.wait_for("watch")
        tell(begun_s=time.monotonic())
        for number in range(changes):
            name = f"web-{number % pods:05}"
            api.pods.change(name, {"status": {"message": f"change {number}"}})
        input()
        tell(mib=memory_mib())


def _pod(number: int) -> dict[str, Any]:
    """Return a pod of some 2 KiB, as small real ones are."""
    container = {
        "name": "web",
        "image": "registry.example/team/web:1.2.3",
        "args": [f"--option-{each}=value-{each}" for each in range(8)],
        "env": [{"name": f"NAME_{each}", "value": "x" * 16} for each in range(10)],
        "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}},
        "volumeMounts": [{"name": "data", "mountPath": "/data"}],
    }
    conditions = ("PodScheduled", "Initialized", "ContainersReady", "Ready")
    return {
        "metadata": {
            "name": f"web-{number:05}",
            "labels": {"app": "web", "tier": "front", "number": str(number)},
            "annotations": {"example.com/checksum": "0123456789abcdef" * 4},
        },
        "spec": {
            "nodeName": NODE,
            "containers": [container],
            "volumes": [{"name": "data", "emptyDir": {}}],
        },
        "status": {
            "phase": "Running",
            "conditions": [{"type": each, "status": "True"} for each in conditions],
        },
    }


def follow(client: str, url: str, pods: int, changes: int) -> None:
    """
    List and watch as *client* does; tell when all pods and all changes are known.
    """
    known, changed, lock = 0, 0, threading.Lock()
    listed, watched = threading.Event(), threading.Event()

    def told(kind: str, count: int) -> None:
        nonlocal known, changed
        with lock:
            known += count if kind == "ADDED" else 0
            changed += count if kind == "MODIFIED" else 0
            if known >= pods:
                listed.set()
            if changed >= changes:
                watched.set()

    start = CLIENTS[client](url, told)
    begun_s = time.monotonic()
    threading.Thread(target=start, daemon=True).start()
    assert listed.wait(LIMIT_S)
    tell(list_s=time.monotonic() - begun_s)
    assert watched.wait(LIMIT_S)
    tell(ended_s=time.monotonic(), mib=memory_mib())
    input()


def bare(url: str, told: Told) -> Start:
    """
    Return what reads the bytes of a list and of a watch, and counts lines.
    """
    place = urlsplit(url)
    assert place.hostname is not None
    connection = HTTPConnection(place.hostname, place.port, timeout=LIMIT_S)
    return lambda: _read(connection, told)


def _read(connection: HTTPConnection, told: Told) -> None:
    connection.request("GET", f"{PATH}?{urlencode(SELECTED)}")
    body = connection.getresponse().read()
    version = body[:200].partition(b'"resourceVersion":"')[2].partition(b'"')[0]
    told("ADDED", body.count(b'"nodeName"'))
    query = {**SELECTED, "watch": "true", "resourceVersion": version.decode()}
    connection.request("GET", f"{PATH}?{urlencode(query)}")
    response = connection.getresponse()
    while response.readline():
        told("MODIFIED", 1)


def source(url: str, told: Told) -> Start:
    """
    Return what runs the apiserver source of the reference, of the newest kubelet.
    """
    from pytest_podsource import Config, SourceUpdate, reference  # noqa: PLC0415
    from pytest_podsource.shells.env import RealEnvironment  # noqa: PLC0415
    from pytest_podsource.shells.kubeconfig import Access  # noqa: PLC0415

    sets = 0

    def on_update(update: object) -> None:
        nonlocal sets
        assert isinstance(update, SourceUpdate)
        sets += 1
        told(*(("ADDED", len(update.pods)) if sets == 1 else ("MODIFIED", 1)))

    def start() -> None:
        env = RealEnvironment(on_update, answers={"node_has_synced": True})
        env.connect(Access(server=url), NODE)
        reference.new_apiserver_source(Config(node_name=NODE), env).start()
        env.run()

    return start


def official(url: str, told: Told) -> Start:
    """
    Return what runs the informer of the official client.
    """
    from kubernetes import client, informer  # noqa: PLC0415 - not in other processes

    core = client.CoreV1Api(client.ApiClient(client.Configuration(host=url)))
    shared = informer.SharedInformer(
        core.list_pod_for_all_namespaces, field_selector=SELECTED["fieldSelector"]
    )
    for kind in (informer.ADDED, informer.MODIFIED):
        shared.add_event_handler(kind, lambda pod, kind=kind: told(kind, 1))
    start: Start = shared.start
    return start


def tell(**fields: object) -> None:
    """
    Print a line.
    """
    print(json.dumps(fields), flush=True)


def memory_mib() -> float:
    """
    Return the largest memory that this process has had.
    """
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


CLIENTS = {"bare": bare, "source": source, "official": official}

if __name__ == "__main__":
    match sys.argv[1:]:
        case ["serve", pods, changes]:
            serve(int(pods), int(changes))
        case ["follow", client, url, pods, changes]:
            follow(client, url, int(pods), int(changes))
        case [*sizes]:
            pods, changes = [*sizes, *("10000", "1000")[len(sizes) :]]
            main(int(pods), int(changes))
