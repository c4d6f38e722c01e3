"""
A running program that speaks the driver protocol: ask it, and hear what it says.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from pytest_podsource.contract import Refused
from pytest_podsource.driver import protocol
from pytest_podsource.driver.child import Child, Ended, Flood, Late
from pytest_podsource.driver.trace import Trace
from pytest_podsource.exceptions import Crashed, DriverError, Spins, TimedOut

MESSAGES_A_REQUEST = 100_000

Hear: TypeAlias = Callable[[str, Mapping[str, Any]], Any]


class Peer:
    """
    A running program: ask it, and hear what it says until it answers.

    Args:
        child: The process.
        name: Its name, for messages.
        limit_s: Real time that it may take to answer; can be changed later.
        trace: Where the dialogue is written down.
    """

    def __init__(
        self, child: Child, name: str, limit_s: float, trace: Trace | None = None
    ) -> None:
        self.child = child
        self.alive = True
        self.limit_s = limit_s
        self._name = name
        self._trace = trace
        self._id = 0

    def end(self, patience_s: float = 0.0) -> None:
        """End the process with its group."""
        self.alive = False
        self.child.end(patience_s)

    def broken(self, what: str) -> DriverError:
        """
        End the process, since it has broken the protocol, and return the error.
        """
        stderr = self.child.stderr.strip()
        self.end()
        return DriverError(
            f"{self._name}: {what}. An adapter speaks docs/reference/driver-protocol.md."
            + (f" It wrote to standard error:\n{stderr}" if stderr else "")
        )

    def tell(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification."""
        self._write(protocol.notification(method, params))

    def demand(self, method: str, params: Mapping[str, Any]) -> Any:
        """
        Ask what every program must be able to answer, outside of a case.

        Raises:
            DriverError: It can't.
        """
        try:
            return self.ask(method, params, method, _hear_nothing)
        except (Crashed, Spins, TimedOut, Refused) as error:
            raise self.broken(f"{method} failed: {error}") from None

    def ask(self, method: str, params: Mapping[str, Any], what: str, hear: Hear) -> Any:
        """
        Send a request and hand what the program says meanwhile to *hear*.

        Args:
            method: The method of the protocol.
            params: Its params.
            what: What is done with the implementation, for messages.
            hear: Takes a method and its params, and returns the result of a request.

        Raises:
            Refused: As the contract allows.
            Crashed: The implementation failed, or the process has ended.
            Spins: The implementation spins.
            TimedOut: No answer within the time limit.
            DriverError: The program breaks the protocol.
        """
        if not self.alive:
            raise DriverError(f"{self._name}: {what}: the process has ended before.")
        self._id += 1
        self._write(protocol.request(self._id, method, params))
        try:
            message = self._until_answered(what, hear)
        except BaseException:  # whatever it was, the process is out of step
            self.end()
            raise
        return self._answer(message, what)

    def _until_answered(self, what: str, hear: Hear) -> dict[str, Any]:
        deadline = time.monotonic() + self.limit_s
        for _ in range(MESSAGES_A_REQUEST):
            message = self._read(what, deadline)
            if "method" in message:
                self._hear(message, hear)
            elif message["id"] == self._id:
                return message
            else:
                raise self.broken(f"it answered {message['id']!r}, which nobody asked")
        raise self.broken(f"more than {MESSAGES_A_REQUEST} messages during {what}")

    def _read(self, what: str, deadline: float) -> dict[str, Any]:
        try:
            line = self.child.read(deadline)
            if self._trace:
                self._trace.note("adapter", self.child.pid, line)
            return protocol.parse(line)
        except protocol.NotAMessage as error:
            raise self.broken(str(error).rstrip(".")) from None
        except Flood:
            raise self.broken("a line without end") from None
        except Late:
            raise TimedOut(
                f"{what}: no answer within {self.limit_s:g} s of real time. "
                "The process was ended."
            ) from None
        except Ended as error:
            end = f"the end of its process ({error.how})"
            raise Crashed(what, end, self.child.stderr) from None

    def _hear(self, message: Mapping[str, Any], hear: Hear) -> None:
        method, params = message["method"], message.get("params", {})
        try:
            protocol.check(method, params)
            value = hear(method, params)
        except OSError as error:
            if "id" not in message:
                raise
            fault = {"errno": error.errno, "message": error.strerror or str(error)}
            text = str(error)
            self._write(protocol.error(message["id"], protocol.OS_ERROR, text, fault))
            return
        except protocol.NotAWord as error:
            raise self.broken(str(error)) from None
        if "id" in message:
            self._write(protocol.result(message["id"], value or {}))

    def _write(self, line: bytes) -> None:
        if self._trace:
            self._trace.note("suite", self.child.pid, line)
        self.child.write(line)

    def _answer(self, message: Mapping[str, Any], what: str) -> Any:
        if "error" not in message:
            return message.get("result", {})
        fault = message["error"]
        code, text, data = fault["code"], fault["message"], fault.get("data") or {}
        if code == protocol.REFUSED:
            raise Refused(data.get("reason", text), bool(data.get("parsed")))
        if code == protocol.CRASHED:
            raise Crashed(what, data.get("error", text), data.get("trace", ""))
        if code == protocol.SPINS:
            raise Spins(data.get("wakeups", 0), data.get("at_ns", 0))
        raise self.broken(f"{what}: error {code}: {text}")


def _hear_nothing(method: str, params: Mapping[str, Any]) -> None:
    raise protocol.NotAWord(f"{method!r} was said before any world had begun")
