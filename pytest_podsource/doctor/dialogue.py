"""
A conversation with an adapter that is listened to closely.

Unlike the driver, which says that something is wrong, it says what; and it knows no
world but a few fixed answers.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from pytest_podsource.doctor.findings import Mistake
from pytest_podsource.driver import protocol
from pytest_podsource.driver.child import Child, Ended, Flood, Late

MOST_MESSAGES = 10_000
_BUFFERED_S = 2.0
_ANSWERS: Mapping[str, Any] = {
    "node_has_synced": True,
    "seen_all_sources": True,
    "all_ready": True,
    "runtime_errors": [],
}


class Dialogue:
    """
    Asks one thing after the other, and keeps what the adapter says of its own accord.

    Args:
        child: The adapter's process.
        limit_s: Real time for an answer.
    """

    def __init__(self, child: Child, limit_s: float) -> None:
        self.limit_s = limit_s
        self.virtual = True
        self.heard: list[tuple[str, Mapping[str, Any]]] = []
        self._child = child
        self._id = 0
        self._at_ns = 0

    def ask(self, method: str, /, **params: Any) -> dict[str, Any]:
        """
        Return the result of a request.

        Raises:
            Mistake: It is answered wrongly, not at all, or by an error.
        """
        answer = self.answer(method, params)
        if "error" in answer:
            raise _of_error(method, params, answer["error"])
        result = answer.get("result")
        if not isinstance(result, dict):
            raise Mistake(
                "result-form",
                f"the result of {method} is {result!r}; it must be an object, such as {{}}.",
            )
        return result

    def answer(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a request, which may be an error."""
        self._id += 1
        self._child.write(protocol.request(self._id, method, params))
        deadline = time.monotonic() + self.limit_s
        for _ in range(MOST_MESSAGES):
            message = self._read(method, deadline)
            if "method" in message:
                self._hear(message)
            elif message["id"] == self._id:
                return message
            else:
                raise self._wrong_id(method, message["id"])
        raise Mistake(
            "floods",
            f"it said more than {MOST_MESSAGES} things instead of answering {method}; "
            "tell only what happened, and answer when nothing more does.",
        )

    def tell(self, method: str, /, **params: Any) -> None:
        """Send a notification, and let it have its effect."""
        self._child.write(protocol.notification(method, params))
        self.settle()

    def settle(self) -> int:
        """
        Return the time at which nothing is left to do.

        Raises:
            Mistake: It doesn't settle, or tells no time.
        """
        return whole_number(self.ask("settle"), "settle")

    def new_world(self) -> None:
        """Begin a world; what was heard before is forgotten."""
        self.heard.clear()
        self._at_ns = 0
        self.ask("world/begin", wall_ns=1_704_067_200_000_000_000, seed=0, user="")
        now_ns = self.settle()
        if self.virtual and now_ns != 0:
            raise Mistake(
                "old-clock",
                f"a fresh world begins at {now_ns} ns; world/begin must set the "
                "monotonic clock to 0.",
            )

    def words(self, method: str) -> list[Mapping[str, Any]]:
        """Return the params of what was heard of *method*."""
        return [params for word, params in self.heard if word == method]

    def _read(self, method: str, deadline: float) -> dict[str, Any]:
        try:
            return protocol.parse(self._child.read(deadline))
        except protocol.NotAMessage as error:
            raise _of_line(error, method) from None
        except Flood:
            raise Mistake(
                "no-line-break",
                f"it writes without end and without a line break while {method} is "
                "open; end each message with a line break, and only there.",
            ) from None
        except Late:
            raise self._of_silence(method) from None
        except Ended as ended:
            raise self._of_end(method, ended.how) from None

    def _of_silence(self, method: str) -> Mistake:
        self._child.close_input()
        try:
            protocol.parse(self._child.read(time.monotonic() + _BUFFERED_S))
        except protocol.NotAMessage as error:
            return _of_line(error, method)
        except (Late, Ended, Flood):
            return _silent(method, self.limit_s)
        return Mistake(
            "buffers",
            f"the answer to {method} came only when standard input was closed: it was "
            "kept in a buffer; flush standard output after each line.",
        )

    def _of_end(self, method: str, how: str) -> Mistake:
        words = self._child.stderr.strip().splitlines()
        last = f" Its last words were: {words[-1]}" if words else ""
        if how == "closed standard output":
            return Mistake(
                "closes-early",
                f"it closed standard output while {method} was open; keep it open "
                f"until the process ends.{last}",
            )
        return Mistake(
            "dies",
            f"the process ended ({how}) while {method} was open; answer what goes wrong "
            f"by an error, and end only after shutdown.{last}",
        )

    def _wrong_id(self, method: str, id_: Any) -> Mistake:
        if str(id_) == str(self._id):
            return Mistake(
                "id-type",
                f"the answer to {method} has the id {id_!r} and not {self._id!r}; "
                "repeat it as it came, a number as a number.",
            )
        return Mistake(
            "out-of-order",
            f"an answer with the id {id_!r} came while {self._id!r} ({method}) was "
            "open; answer each request once, before the next one, and no notification.",
        )

    def _hear(self, message: Mapping[str, Any]) -> None:
        method, params = message["method"], message.get("params", {})
        try:
            protocol.check(method, params)
        except protocol.NotAWord as error:
            raise Mistake(
                "wrong-word",
                f"{error}; docs/reference/driver-protocol.md has the words.",
            ) from None
        self._keep_time(method, params)
        self.heard.append((method, params))
        if "id" in message:
            value = _ANSWERS.get(params.get("question", ""))
            answer = {} if method == "env/watch" else {"value": value}
            self._child.write(protocol.result(message["id"], answer))

    def _keep_time(self, method: str, params: Mapping[str, Any]) -> None:
        at_ns = params.get("at_ns", self._at_ns)
        if at_ns < self._at_ns:
            raise Mistake(
                "time-goes-back",
                f"{method} came at {at_ns} ns after something at {self._at_ns} ns; at_ns "
                "is the monotonic clock of the world and never goes back.",
            )
        self._at_ns = at_ns


def whole_number(result: Mapping[str, Any], method: str) -> int:
    """
    Return ``now_ns`` of a result.

    Raises:
        Mistake: There is none.
    """
    now_ns = result.get("now_ns")
    if type(now_ns) is not int:
        raise Mistake(
            "no-time",
            f"the result of {method} has now_ns {now_ns!r}; it must be the monotonic "
            "time in nanoseconds, a whole number.",
        )
    return now_ns


def _of_line(error: protocol.NotAMessage, method: str) -> Mistake:
    printable = error.line.isprintable() and "\ufffd" not in error.line
    if printable and not error.line.lstrip().startswith(("{", "[")):
        return Mistake(
            "prints",
            f"it printed {error.line!r} to standard output while {method} was open; "
            "that belongs to the protocol, write everything else to standard error.",
        )
    return Mistake(
        "garbage",
        f"while {method} was open it wrote {error.line!r}, which is no message "
        f"({error.reason}); write one JSON-RPC 2.0 object a line, in UTF-8.",
    )


def _silent(method: str, limit_s: float) -> Mistake:
    seen = f"it hasn't answered {method} within {limit_s:g} s"
    if method == "settle":
        return Mistake(
            "never-settles",
            f"{seen}; answer settle as soon as nothing is left to do at this instant, "
            "and don't wait for what comes later.",
        )
    if method == "clock/advance":
        return Mistake(
            "waits-for-real",
            f"{seen}; move the clock at once to to_ns, run what is due, and never sleep.",
        )
    return Mistake(
        "hangs",
        f"{seen}; read standard input line by line, answer each request, and flush.",
    )


def _of_error(method: str, params: Mapping[str, Any], fault: Any) -> Mistake:
    if not isinstance(fault, dict) or not isinstance(fault.get("code"), int):
        return Mistake(
            "error-form",
            f"{method} was answered by the error {fault!r}; an error is an object with a "
            "whole number code and a text message.",
        )
    what = " ".join(
        str(params[key]) for key in ("component", "method") if key in params
    )
    data = fault.get("data") or {}
    return Mistake(
        "error",
        f"{method} {what}".rstrip()
        + f" was answered by error {fault['code']}: "
        + str(data.get("error") or data.get("reason") or fault.get("message"))
        + "; the implementation fails, or the adapter doesn't know what it offers.",
    )
