"""
A program that speaks the driver protocol, and goes wrong where its argument says.

It offers a backoff that doesn't back off and a file source that sends one set.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

ODDITY = sys.argv[1] if len(sys.argv) > 1 else ""
GREETING = {
    "protocol": 1,
    "name": "odd",
    "version": "1",
    "language": "python",
    "kubelet": None,
    "components": ["backoff", "file", "http", "podconfig"],
    "features": ["logs"],
    "abilities": {"time": "virtual", "watch": "told", "http": "told"},
}


def say(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def tell(method: str, **params: Any) -> None:
    say(method=method, params=params)


def demand(method: str, **params: Any) -> Any:
    say(id="mine", method=method, params=params)
    return json.loads(sys.stdin.readline())


def hang() -> None:
    lifeline = os.open(os.environ["ODD_LIFELINE"], os.O_WRONLY)
    subprocess.run(["sleep", "1000"], check=True, pass_fds=[lifeline])


def flood() -> None:
    while True:
        tell("env/log", level="info", message="again", fields={}, at_ns=0)


def write_for_ever() -> None:
    while True:
        sys.stdout.write("x" * 1_000_000)


IN_A_CALL: dict[str, Callable[[], Any]] = {
    "exit-in-call": lambda: os._exit(3),
    "hang-in-call": hang,
    "abort": os.abort,
    "rubbish": lambda: sys.stdout.write("Starting up...\n"),
    "flood": flood,
    "endless-line": write_for_ever,
    "answers-nothing": lambda: say(id=99, result={}),
    "unknown-word": lambda: tell("env/frob", id=1),
    "wrong-selector": lambda: tell("env/list_pods", id=1, selector="x", at_ns=0),
    "bad-word": lambda: tell("env/send", source="file", at_ns=0),
}


def call(params: dict[str, Any]) -> Any:
    method = params["method"]
    if ODDITY in IN_A_CALL:
        sys.stderr.write("last words\n")
        sys.stderr.flush()
        IN_A_CALL[ODDITY]()
    if method == "next":
        raise ValueError("no such luck")
    if method == "get":
        return params["arguments"]["id"] + sys.stdin.encoding
    if method == "start":
        answer = demand("env/watch", id=1, path="/nowhere")
        tell(
            "env/log",
            level="error",
            message=str(answer.get("error")),
            fields={},
            at_ns=0,
        )
        return demand("env/ask", question="node_has_synced", args=[])["result"]["value"]
    return None


def greet(params: dict[str, Any]) -> Any:
    if ODDITY == "exit":
        sys.exit(3)
    if ODDITY == "hang":
        hang()
    return GREETING | ({"protocol": 2} if ODDITY == "version-2" else {})


def make(params: dict[str, Any]) -> Any:
    if params["config"]["path"] == "/refused":
        raise PermissionError("not there")
    return {}


def advance(params: dict[str, Any]) -> Any:
    to_ns = params["to_ns"]
    if ODDITY == "backwards":
        return {"now_ns": -5}
    tell("env/send", source="file", op="SET", pods=[], at_ns=to_ns - 1)
    tell("env/fetch", id="f", url="u", headers=[], timeout_ns=0, at_ns=to_ns)
    return {"now_ns": to_ns}


def jump(params: dict[str, Any]) -> Any:
    tell("env/log", level="info", message=f"jump {params}", fields={}, at_ns=0)
    return {}


def take(params: dict[str, Any]) -> Any:
    tell("update/taken", send_id=params["send_id"])
    return {}


def end(params: dict[str, Any]) -> Any:
    if ODDITY == "exit-at-the-end":
        sys.exit(3)
    return {}


METHODS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "initialize": greet,
    "world/begin": lambda _: {},
    "world/end": end,
    "component/new": make,
    "component/call": lambda params: {"value": call(params)},
    "component/send": take,
    "settle": lambda _: {"now_ns": 0},
    "clock/advance": advance,
    "clock/jump": jump,
    "shutdown": lambda _: {},
}

for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        tell("env/log", level="info", message=line, fields={}, at_ns=0)
        continue
    try:
        say(id=message["id"], result=METHODS[message["method"]](message["params"]))
    except ValueError as error:
        say(id=message["id"], error={"code": 2, "message": str(error)})
    except PermissionError as error:
        data = {"reason": str(error), "parsed": True}
        say(id=message["id"], error={"code": 1, "message": "refused", "data": data})
    if message["method"] == "shutdown":
        break
