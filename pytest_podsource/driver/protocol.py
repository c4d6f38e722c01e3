"""
The words of the driver protocol: JSON lines, and values to and from JSON.

Both ends use this module: ``driver/stdio.py`` on the suite's side, ``adapter.py`` on
the implementation's. ``docs/reference/driver-protocol.md`` says what the words mean.
"""

from __future__ import annotations

import base64
import json
import socket
import ssl
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from pytest_podsource.contract import (
    Config,
    PodUpdate,
    Reply,
    ServerStatus,
    SourceUpdate,
    WatchEvent,
)

VERSION = 1

NOT_A_MESSAGE = -32700
UNKNOWN_METHOD = -32601
BAD_PARAMS = -32602
REFUSED = 1
CRASHED = 2
OS_ERROR = 3
SPINS = 4

_KINDS: Mapping[str, type[OSError]] = {
    "refused": ConnectionRefusedError,
    "reset": ConnectionResetError,
    "timeout": TimeoutError,
    "dns": socket.gaierror,
    "tls": ssl.SSLError,
    "cut": ConnectionAbortedError,
}
_ENCODE = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
_DECODE = json.JSONDecoder().raw_decode
_DIFF = ("added", "updated", "removed")

_ID = (int, str)
WORDS: Mapping[str, Mapping[str, type | tuple[type, ...]]] = {
    "env/watch": {"id": _ID, "path": str},
    "env/ask": {"question": str, "args": list},
    "env/fetch": {
        "id": _ID,
        "url": str,
        "headers": list,
        "timeout_ns": int,
        "at_ns": int,
    },
    "env/list_pods": {"id": _ID, "selector": str, "at_ns": int},
    "env/watch_pods": {
        "id": _ID,
        "selector": str,
        "resource_version": str,
        "at_ns": int,
    },
    "env/cancel": {"id": _ID},
    "env/send": {"source": str, "op": str, "pods": list, "at_ns": int},
    "env/handle": {"handler": str, "pods": list, "at_ns": int},
    "env/event": {
        "pod": dict,
        "type": str,
        "reason": str,
        "message": str,
        "at_ns": int,
    },
    "env/log": {"level": str, "message": str, "fields": dict, "at_ns": int},
    "update/taken": {"send_id": int},
}
"""What an adapter may say, with what each word must carry."""


class NotAMessage(ValueError):
    """
    A line that is no message of the protocol.

    Attributes:
        line: Its beginning.
        reason: What is wrong with it.
    """

    def __init__(self, line: str, reason: str) -> None:
        super().__init__(line, reason)
        self.line = line
        self.reason = reason

    def __str__(self) -> str:
        return (
            f"{self.line!r} is not a message: {self.reason}. "
            "A message is one JSON-RPC 2.0 object on one line; "
            "anything else belongs on standard error."
        )


class NotAWord(ValueError):
    """
    A message that is none of an adapter's words, or lacks what the word must carry.
    """


def parse(line: bytes) -> dict[str, Any]:
    """
    Return the message of one line.

    Raises:
        NotAMessage: It isn't one.
    """
    try:
        message = _decoded(line.decode())
    except ValueError as error:
        raise NotAMessage(_shown(line), str(error)) from None
    if not isinstance(message, dict):
        raise NotAMessage(_shown(line), "it is not an object")
    if "method" not in message and "id" not in message:
        raise NotAMessage(_shown(line), "it has neither method nor id")
    if not isinstance(message.get("params", {}), dict):
        raise NotAMessage(_shown(line), "its params are not an object")
    return message


def _decoded(text: str) -> Any:
    """Return the JSON of *text*; without blanks around it, it takes half the time."""
    if text[:1] != "{":
        return json.loads(text)
    value, end = _DECODE(text)
    return value if end == len(text) else json.loads(text)


def _shown(line: bytes) -> str:
    return line[:120].decode(errors="replace").rstrip("\n")


def check(method: str, params: Mapping[str, Any]) -> None:
    """
    Check what an adapter says of its own accord.

    Raises:
        NotAWord: There is no such word, or its params don't fit.
    """
    if method not in WORDS:
        known = ", ".join(sorted(WORDS))
        raise NotAWord(f"{method!r} is no word of an adapter. Known words: {known}")
    for name, kind in WORDS[method].items():
        if name not in params:
            raise NotAWord(f"{method}: its params lack {name!r}")
        if not isinstance(params[name], kind):
            raise NotAWord(f"{method}: {name!r} must not be {params[name]!r}")


def request(id_: int | str, method: str, params: Mapping[str, Any]) -> bytes:
    """
    Return the line of a request.
    """
    told = id_ if isinstance(id_, int) else _ENCODE(id_)
    return (
        f'{{"jsonrpc":"2.0","id":{told},"method":"{method}",'
        f'"params":{_ENCODE(params)}}}\n'
    ).encode()


def notification(method: str, params: Mapping[str, Any]) -> bytes:
    """
    Return the line of a notification.
    """
    return _line({"method": method, "params": params})


def result(id_: Any, value: Any) -> bytes:
    """
    Return the line that answers request *id_*.
    """
    return _line({"id": id_, "result": value})


def error(
    id_: Any, code: int, message: str, data: Mapping[str, Any] | None = None
) -> bytes:
    """
    Return the line that answers request *id_* with an error.
    """
    fault: dict[str, Any] = {"code": code, "message": message}
    return _line({"id": id_, "error": fault | ({"data": data} if data else {})})


def _line(message: dict[str, Any]) -> bytes:
    return (_ENCODE({"jsonrpc": "2.0", **message}) + "\n").encode()


def to_wire(value: Any) -> Any:
    """
    Return *value*, an argument or a result of the contract, as JSON.
    """
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, Config):
        return {
            each.name: to_wire(getattr(value, each.name)) for each in fields(Config)
        }
    if isinstance(value, (PodUpdate, SourceUpdate)):
        return {"op": value.op, "source": value.source, "pods": to_wire(value.pods)}
    if isinstance(value, (frozenset, set)):
        return sorted(value)
    if isinstance(value, Mapping):
        return {str(key): to_wire(each) for key, each in value.items()}
    return (
        [to_wire(each) for each in value] if isinstance(value, (list, tuple)) else value
    )


def arguments_to_wire(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """
    Return the arguments of a call, by the contract's names without a last underscore.
    """
    return {name.rstrip("_"): to_wire(value) for name, value in arguments.items()}


def arguments_from_wire(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """
    Return the arguments of a call as the contract has them.
    """
    return {
        ("id_" if name == "id" else name): _argument(name, value)
        for name, value in arguments.items()
    }


def _argument(name: str, value: Any) -> Any:
    if name == "data":
        return base64.b64decode(value)
    if name == "config":
        return config_from_wire(value)
    if name == "seen":
        return frozenset(value)
    if name == "update" and value is not None:
        return PodUpdate(
            op=value["op"], source=value["source"], pods=tuple(value["pods"])
        )
    return value


def config_from_wire(config: Mapping[str, Any]) -> Config:
    """
    Return the config that ``component/new`` tells.
    """
    values = dict(config)
    if "headers" in values:
        values["headers"] = tuple((name, text) for name, text in values["headers"])
    if "sources" in values:
        values["sources"] = tuple(values["sources"])
    return Config(**values)


def value_to_wire(method: str, value: Any) -> Any:
    """
    Return what *method* gave, as JSON.
    """
    if method == "diff_snapshots" and isinstance(value, tuple):
        return dict(zip(_DIFF, (to_wire(each) for each in value), strict=True))
    return to_wire(value)


def value_from_wire(method: str, value: Any) -> Any:
    """
    Return what *method* gave, as the contract has it.
    """
    if method == "diff_snapshots":
        return tuple(value[name] for name in _DIFF)
    return value


def reply_to_wire(reply: Reply) -> dict[str, Any]:
    """
    Return an HTTP reply as JSON.
    """
    headers = [list(pair) for pair in reply.headers]
    return {"status": reply.status, "headers": headers, "body": to_wire(reply.body)}


def reply_from_wire(reply: Mapping[str, Any]) -> Reply:
    """
    Return the HTTP reply that JSON tells.
    """
    return Reply(
        status=reply["status"],
        headers=tuple((name, value) for name, value in reply["headers"]),
        body=base64.b64decode(reply["body"]),
    )


def failure_to_wire(failure: OSError) -> dict[str, Any]:
    """
    Return how a connection, a list or a watch failed, as JSON.
    """
    status = getattr(failure, "status", 0)
    kinds = (name for name, kind in _KINDS.items() if isinstance(failure, kind))
    kind = "status" if status else next(kinds, "cut")
    return {"kind": kind, "message": str(failure), "status": status}


def failure_from_wire(failure: Mapping[str, Any]) -> OSError:
    """
    Return the error that JSON tells.
    """
    if failure["kind"] == "status":
        return ServerStatus(failure["status"], failure["message"])
    return _KINDS.get(failure["kind"], OSError)(failure["message"])


def event_to_wire(event: WatchEvent) -> dict[str, Any]:
    """
    Return a watch event as JSON.
    """
    return {"path": event.path, "ops": sorted(event.ops)}


def event_from_wire(event: Mapping[str, Any]) -> WatchEvent:
    """
    Return the watch event that JSON tells.
    """
    return WatchEvent(path=event["path"], ops=frozenset(event["ops"]))


def update_from_wire(params: Mapping[str, Any]) -> SourceUpdate | PodUpdate:
    """
    Return what ``env/send`` tells: with ``SET`` a source's, else PodConfig's.
    """
    pods = tuple(params["pods"])
    if params["op"] == "SET":
        return SourceUpdate(source=params["source"], pods=pods)
    return PodUpdate(op=params["op"], source=params["source"], pods=pods)
