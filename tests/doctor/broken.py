"""
An adapter that is right but for the one mistake that its argument names.

It offers a backoff, a file source, PodConfig and the decoding of manifests, each as
little as the doctor looks at.
"""

import json
import os
import subprocess
import sys
from typing import Any

ODDITY = sys.argv[1] if len(sys.argv) > 1 else ""
OFFER = {
    "protocol": 1,
    "name": "broken",
    "version": "1",
    "language": "python",
    "kubelet": None,
    "components": ["backoff", "manifest", "file", "podconfig"],
    "features": [],
    "abilities": {"time": "virtual", "watch": "told", "http": "told"},
}
POD = {
    "metadata": {"name": "web-node1", "namespace": "default", "uid": "1"},
    "spec": {"containers": [{"name": "c", "image": "i"}]},
}
PODS: dict[str, Any] = {
    "pod-as-text": json.dumps(POD),
    "pod-with-go-names": {"Metadata": POD["metadata"], "Spec": POD["spec"]},
    "pod-in-snake-case": {**POD, "spec": {"restart_policy": "Always"}},
    "pod-in-a-list": [POD],
}
KEPT: list[str] = []
now_ns = 0
last = None


def line(**message: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", **message}) + "\n"


def say(**message: Any) -> None:
    if ODDITY == "buffers":
        KEPT.append(line(**message))
        return
    sys.stdout.write(line(**message))
    sys.stdout.flush()


def tell(method: str, **params: Any) -> None:
    say(method=method, params={**params, "at_ns": now_ns})


def send(op: str = "SET") -> None:
    if ODDITY == "forgets-the-first-set":
        return
    op = "ADD" if ODDITY == "sends-operations" else op
    pods = [] if ODDITY == "sends-no-pod" else [PODS.get(ODDITY, POD)]
    if ODDITY == "forgets-the-time":
        say(method="env/send", params={"source": "file", "op": op, "pods": pods})
    elif ODDITY == "invents-a-word":
        tell("env/sent", source="file", op=op, pods=pods)
    else:
        tell("env/send", source="file", op=op, pods=pods)
    if ODDITY == "goes-back-in-time":
        say(
            method="env/log",
            params={"level": "info", "message": "", "fields": {}, "at_ns": -1},
        )


def call(method: str) -> Any:
    if ODDITY == "exits-in-a-call":
        sys.stderr.write("no such luck\n")
        os._exit(3)
    if ODDITY == "is-killed":
        os.abort()
    if method == "get":
        value = 10**9
        return {"seconds": 1, "milliseconds": 1000, "a-float": 1e9}.get(ODDITY, value)
    if method == "decode_manifest":
        return PODS.get(ODDITY, POD)
    if method == "start":
        send()
    return None


def result(method: str, params: dict[str, Any]) -> Any:  # noqa: C901
    global now_ns  # noqa: PLW0603 - a small program
    if method == "initialize":
        return initialize()
    if method == "world/begin":
        now_ns = 7 if ODDITY == "keeps-the-clock" else 0
    if method == "clock/advance":
        to_ns = params["to_ns"]
        now_ns = to_ns // 10**6 if ODDITY == "clock-in-milliseconds" else to_ns
    if method == "settle" and ODDITY == "never-settles":
        sys.stdin.read()
        os._exit(0)
    if method == "settle" and ODDITY == "spins":
        while True:
            tell("env/log", level="info", message="again", fields={})
    if method == "component/call":
        return {"value": call(params["method"])}
    if method == "component/send":
        send("ADD")
        if ODDITY != "takes-nothing":
            say(method="update/taken", params={"send_id": params["send_id"]})
    if method in ("settle", "clock/advance"):
        return {} if ODDITY == "tells-no-time" else {"now_ns": now_ns}
    return None if ODDITY == "result-is-null" else {}


def initialize() -> Any:
    if ODDITY == "prints":
        sys.stdout.write("Starting up...\n")
        sys.stdout.flush()
    if ODDITY == "garbage":
        sys.stdout.buffer.write(b"\xff\xfe\x00\n")
        sys.stdout.buffer.flush()
    if ODDITY == "hangs":
        sys.stdin.read()
        os._exit(0)
    if ODDITY == "ends-at-once":
        os._exit(1)
    if ODDITY == "closes-early":
        os.close(1)
        sys.stdin.read()
    while ODDITY == "writes-without-end":
        sys.stdout.write("x" * 1_000_000)
    if ODDITY in ("leaves-children", "leaves-a-daemon"):
        subprocess.Popen(
            ["sleep", os.environ.get("BROKEN_SLEEP", "1000")],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=ODDITY == "leaves-a-daemon",
        )
    odd: dict[str, dict[str, Any]] = {
        "other-protocol": {"protocol": 2},
        "unknown-component": {"components": ["files"]},
    }
    offer = {**OFFER, **odd.get(ODDITY, {})}
    if ODDITY == "lacks-components":
        del offer["components"]
    return offer


while text := sys.stdin.readline():
    message = json.loads(text)
    answer: dict[str, Any] = {"id": message["id"]}
    if ODDITY == "id-as-text":
        answer["id"] = str(answer["id"])
    if ODDITY == "answers-another" and message["method"] == "component/call":
        answer["id"] -= 1
    answer["result"] = result(message["method"], message.get("params", {}))
    if ODDITY == "out-of-order" and message["method"] == "world/begin":
        last = answer
        continue
    if ODDITY == "error-as-text" and message["method"] == "component/new":
        answer = {"id": message["id"], "error": "no"}
    if ODDITY == "out-of-order" and last:
        answer, last = last, answer
    say(**answer)
    if ODDITY == "answers-twice":
        say(**answer)
    if message["method"] == "shutdown" and ODDITY != "stays":
        break
sys.stdout.write("".join(KEPT))
