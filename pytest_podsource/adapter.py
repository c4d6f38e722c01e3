"""
Serves a Python implementation over the driver protocol.

``python -m pytest_podsource.adapter mymodule`` is the other side of
``driver/stdio.py``: a process of its own, with a virtual clock of its own. It is what
isolation uses, and shows what an adapter in another language has to do.

Rule 1: whatever the implementation raises becomes the answer to the request that was
being worked on. Rule 2: standard output belongs to the protocol; what the
implementation prints goes to standard error.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pytest_podsource.contract import Refused, SourceUpdate
from pytest_podsource.driver import protocol
from pytest_podsource.driver.base import Connection, Driver
from pytest_podsource.driver.load import load_driver
from pytest_podsource.driver.wire import Line, WireHost
from pytest_podsource.exceptions import (
    CannotLoad,
    Crashed,
    DriverError,
    PodSourceError,
    Spins,
)

_INTERNAL = -32603
_USAGE = 2
_NEEDED: Mapping[str, Sequence[str]] = {
    "world/begin": ("wall_ns", "seed"),
    "component/new": ("component", "config"),
    "component/call": ("component", "method", "arguments"),
    "component/send": ("send_id", "source", "op", "pods"),
    "clock/advance": ("to_ns",),
    "clock/jump": ("by_ns",),
    "files/event": ("id",),
    "http/reply": ("id",),
    "api/list": ("id",),
    "api/event": ("id",),
}


class Adapter:
    """
    Answers the requests of the suite, one after the other.

    Args:
        driver: The implementation, loaded into this process.
        line: The line to the suite.
    """

    def __init__(self, driver: Driver, line: Line) -> None:
        self._driver = driver
        self._line = line
        self._host: WireHost | None = None
        self._connection: Connection | None = None
        self._untaken: dict[int, Callable[[], bool]] = {}
        self._methods: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
            "initialize": self._initialize,
            "world/begin": self._begin,
            "world/end": self._end,
            "component/new": self._new,
            "component/call": self._call,
            "component/send": self._send,
            "settle": self._settle,
            "clock/advance": self._advance,
            "clock/jump": self._jump,
            "files/event": self._files_event,
            "http/reply": self._http_reply,
            "api/list": self._api_list,
            "api/event": self._api_event,
            "reader/hold": lambda _: self._world.hold(),
            "reader/release": lambda _: self._world.release(),
            "shutdown": lambda _: {},
        }

    def serve(self) -> None:
        """Answer until ``shutdown`` or the end of the input."""
        method = ""
        while method != "shutdown" and (line := self._line.read()):
            try:
                message = protocol.parse(line)
            except protocol.NotAMessage as error:
                code = protocol.NOT_A_MESSAGE
                self._line.write(protocol.error(None, code, str(error)))
                continue
            method = message.get("method", "")
            answer = self._answer(message)
            if "id" in message:
                self._line.write(answer)

    def _answer(self, message: Mapping[str, Any]) -> bytes:
        id_, method = message.get("id"), message.get("method", "")
        if method not in self._methods:
            text = f"unknown method {method!r}"
            return protocol.error(id_, protocol.UNKNOWN_METHOD, text)
        params = message.get("params", {})
        lacking = [name for name in _NEEDED.get(method, ()) if name not in params]
        if lacking:
            text = f"{method}: its params lack {lacking[0]!r}"
            return protocol.error(id_, protocol.BAD_PARAMS, text)
        try:
            value = self._methods[method](params)
        except Exception as error:  # noqa: BLE001 - rule 1
            return _fault(id_, error)
        return protocol.result(id_, {} if value is None else value)

    @property
    def _world(self) -> WireHost:
        if self._host is None:
            raise DriverError("No world has begun. Send world/begin first.")
        return self._host

    @property
    def _case(self) -> Connection:
        if self._connection is None:
            raise DriverError("No world has begun. Send world/begin first.")
        return self._connection

    def _initialize(self, params: Mapping[str, Any]) -> dict[str, Any]:
        offer = self._driver.offer
        return {
            "protocol": protocol.VERSION,
            "name": offer.name,
            "version": offer.version,
            "language": offer.language,
            "kubelet": offer.kubelet,
            "components": sorted(offer.components),
            "features": None if offer.features is None else sorted(offer.features),
            "abilities": {
                "time": "virtual",
                "watch": "told",
                "http": "told",
                "users": os.geteuid() == 0,
            },
        }

    def _begin(self, params: Mapping[str, Any]) -> None:
        user = params.get("user", "")
        self._host = WireHost(self._line, params["wall_ns"], params["seed"], user)
        self._connection = self._driver.connect(self._host)
        self._untaken = {}

    def _end(self, params: Mapping[str, Any]) -> None:
        connection, self._connection, self._host = self._case, None, None
        connection.close()

    def _new(self, params: Mapping[str, Any]) -> None:
        config = protocol.config_from_wire(params["config"])
        self._world.selector = f"spec.nodeName={config.node_name}"
        self._case.new(params["component"], config)

    def _call(self, params: Mapping[str, Any]) -> dict[str, Any]:
        method = params["method"]
        arguments = protocol.arguments_from_wire(params["arguments"])
        value = self._case.call(params["component"], method, arguments)
        return {"value": protocol.value_to_wire(method, value)}

    def _send(self, params: Mapping[str, Any]) -> None:
        update = SourceUpdate(
            source=params["source"], pods=tuple(params["pods"]), op=params["op"]
        )
        self._untaken[params["send_id"]] = self._case.send(update)

    def _settle(self, params: Mapping[str, Any]) -> dict[str, Any]:
        clock = self._world.clock
        clock.run_due()
        clock.rest()
        return self._settled()

    def _advance(self, params: Mapping[str, Any]) -> dict[str, Any]:
        world, clock = self._world, self._world.clock
        world.asked = False
        due_ns = clock.next_due_ns()
        while not world.asked and due_ns is not None and due_ns <= params["to_ns"]:
            clock.move_to(due_ns)
            clock.run_due()
            due_ns = clock.next_due_ns()
        if not world.asked:
            clock.move_to(params["to_ns"])
        clock.rest()
        return self._settled()

    def _settled(self) -> dict[str, Any]:
        for send_id in [each for each, taken in self._untaken.items() if taken()]:
            del self._untaken[send_id]
            self._line.tell("update/taken", send_id=send_id)
        return {"now_ns": self._world.clock.monotonic_ns()}

    def _jump(self, params: Mapping[str, Any]) -> None:
        self._world.clock.jump(params["by_ns"])

    def _files_event(self, params: Mapping[str, Any]) -> None:
        if "error" in params:
            error = params["error"]
            ended = OSError(error["errno"], error["message"])
            self._world.occur(params["id"], ended, last=True)
        else:
            event = protocol.event_from_wire(params["event"])
            self._world.occur(params["id"], event, last=False)

    def _http_reply(self, params: Mapping[str, Any]) -> None:
        if "error" in params:
            failure = protocol.failure_from_wire(params["error"])
            self._world.occur(params["id"], failure, last=True)
        else:
            reply = protocol.reply_from_wire(params["reply"])
            self._world.occur(params["id"], reply, last=True)

    def _api_list(self, params: Mapping[str, Any]) -> None:
        if "error" in params:
            failure = protocol.failure_from_wire(params["error"])
            self._world.occur(params["id"], failure, last=True)
        else:
            self._world.occur(params["id"], params["list"], last=True)

    def _api_event(self, params: Mapping[str, Any]) -> None:
        if "error" in params:
            failure = protocol.failure_from_wire(params["error"])
            self._world.occur(params["id"], failure, last=True)
        else:
            event = params["event"]
            self._world.occur(params["id"], event, last=event is None)


def main(arguments: Sequence[str]) -> int:
    """
    Serve the implementation that *arguments* name, until the suite says goodbye.
    """
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m pytest_podsource.adapter IMPLEMENTATION\n")
        return _USAGE
    writer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        driver = load_driver(arguments[0])
    except CannotLoad as error:
        sys.stderr.write(f"{error}\n")
        return _USAGE
    Adapter(driver, Line(sys.stdin.buffer, writer)).serve()
    return 0


def _fault(id_: Any, error: Exception) -> bytes:
    code, data = _code_and_data(error)
    return protocol.error(id_, code, str(error), data)


def _code_and_data(error: Exception) -> tuple[int, dict[str, Any]]:
    if isinstance(error, Refused):
        return protocol.REFUSED, {"reason": error.reason, "parsed": error.parsed}
    if isinstance(error, Spins):
        return protocol.SPINS, {"wakeups": error.wakeups, "at_ns": error.at_ns}
    if isinstance(error, Crashed):
        return protocol.CRASHED, {"error": error.error, "trace": error.trace}
    if isinstance(error, PodSourceError):
        return _INTERNAL, {}
    trace = "".join(traceback.format_exception(error))
    return protocol.CRASHED, {"error": repr(error), "trace": trace}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
