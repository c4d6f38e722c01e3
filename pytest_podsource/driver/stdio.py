"""
An implementation in a child process, by the driver protocol.

Rule 1: who is at fault is in the type. What breaks the protocol is the adapter's
(``DriverError``); what a well-spoken process reports, a death within a case and a
silence are the implementation's (``Refused``, ``Crashed``, ``Spins``, ``TimedOut``).
Rule 2: after a fault the process is out of step: it is ended with its group, and the
next case has a new one. Rule 3: the suite speaks between two requests; what the world
answers while one is open waits in an outbox.
"""

from __future__ import annotations

import shlex
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from pytest_podsource.contract import (
    Cancel,
    Config,
    Reply,
    SourceUpdate,
    WatchEvent,
)
from pytest_podsource.driver import protocol
from pytest_podsource.driver.base import Abilities, Host, Offer
from pytest_podsource.driver.child import Child
from pytest_podsource.driver.peer import Peer
from pytest_podsource.driver.program import Program, program_of
from pytest_podsource.driver.trace import Trace
from pytest_podsource.exceptions import (
    CannotLoad,
    CannotRunHere,
    Crashed,
    PodSourceError,
)
from pytest_podsource.known import COMPONENTS

LIMIT_S = 10.0
START_LIMIT_S = 120.0  # it may be built first, as by `go run`
CASES_A_PROCESS = 2_000  # an adapter may keep a little of every world
_PATIENCE_S = 2.0


def launch(
    target: str,
    kubelet: str,
    limit_s: float = LIMIT_S,
    *,
    folder: str = "",
    trace: Trace | None = None,
) -> StdioDriver:
    """
    Start the program of ``cmd:target``.

    Args:
        target: The program and its arguments, as a shell would split them.
        kubelet: The kubelet to behave like, as major.minor.
        limit_s: Real time that each request may take; ``initialize`` has longer, if
            this is the default.
        folder: The folder that it is started in, empty for the current one.
        trace: Where the dialogue is written down.

    Raises:
        CannotLoad: There is no such program.
        DriverError: It doesn't speak the protocol.
    """
    return StdioDriver(program_of(target, folder), kubelet, limit_s, trace)


class StdioDriver:
    """
    A program that speaks the driver protocol, for a whole run.
    """

    def __init__(
        self,
        program: Program,
        kubelet: str,
        limit_s: float = LIMIT_S,
        trace: Trace | None = None,
    ) -> None:
        self._program = program
        self._kubelet = kubelet
        self._limit_s = limit_s
        self._trace = trace
        self._peer = self._start()
        self._cases = 0
        self._offer = self._initialize()

    @property
    def offer(self) -> Offer:
        """Return what the program says of itself."""
        return self._offer

    @property
    def pid(self) -> int:
        """Return the id of the process and of its group."""
        return self._peer.child.pid

    @property
    def stderr(self) -> str:
        """Return the last that the program wrote to standard error in this case."""
        return self._peer.child.stderr

    def connect(self, host: Host) -> StdioConnection:
        """
        Begin a case, in a new process if the last one is gone.

        Raises:
            CannotRunHere: The program can't act as the user of the case.
            DriverError: The program can't begin a world.
        """
        if host.user and not self._offer.abilities.users:
            raise CannotRunHere(
                f"user: {host.user}: {self._program.name} can't act as another user."
            )
        if not self._peer.alive or self._cases >= CASES_A_PROCESS:
            self.close()
            self._peer = self._start()
            self._cases = 0
            self._initialize()
        self._cases += 1
        self._peer.child.forget_stderr()
        return StdioConnection(self._peer, host)

    def close(self) -> None:
        """End the program and whatever it has started."""
        if self._peer.alive:
            with suppress(PodSourceError):
                self._peer.demand("shutdown", {})
            self._peer.end(_PATIENCE_S)

    def _start(self) -> Peer:
        try:
            child = Child(self._program)
        except OSError as error:
            raise CannotLoad(
                f"cmd:{shlex.join(self._program.command)}",
                f"can't be started: {error.strerror}. "
                "Give a program's path, or a name that is found in PATH.",
            ) from None
        return Peer(child, self._program.name, self._limit_s, self._trace)

    def _initialize(self) -> Offer:
        params = {"protocol": protocol.VERSION, "kubelet": self._kubelet}
        is_default = self._limit_s == LIMIT_S
        self._peer.limit_s = START_LIMIT_S if is_default else self._limit_s
        answer = self._peer.demand("initialize", params)
        self._peer.limit_s = self._limit_s
        try:
            return offer_of(answer)
        except (KeyError, TypeError, ValueError) as error:
            fault = f"its answer to initialize doesn't fit: {error!r}"
            raise self._peer.broken(fault) from None


class StdioConnection:
    """
    One case with a program; also the follower that keeps its clock in step.
    """

    def __init__(self, peer: Peer, host: Host) -> None:
        self._peer = peer
        self._host = host
        clock = host.env.clock
        self._wall_offset_ns = clock.now_ns() - clock.monotonic_ns()
        self._listener = _Listener(host, self._tell)
        self._busy = False
        self._outbox: deque[tuple[str, dict[str, Any]]] = deque()
        self._now_ns = 0
        wall_ns = self._wall_offset_ns
        begin = {"wall_ns": wall_ns, "seed": host.seed, "user": host.user}
        peer.demand("world/begin", begin)
        host.follow(self)

    def new(self, component: str, config: Config) -> None:
        """Make the object of *component*; see :class:`Connection`."""
        self._listener.selector = f"spec.nodeName={config.node_name}"
        params = {"component": component, "config": protocol.to_wire(config)}
        self._ask("component/new", params, f"new {component}")

    def call(self, component: str, method: str, arguments: Mapping[str, Any]) -> Any:
        """Call *method*; see :class:`Connection`."""
        wire = protocol.arguments_to_wire(arguments)
        params = {"component": component, "method": method, "arguments": wire}
        value = self._ask("component/call", params, method)["value"]
        return protocol.value_from_wire(method, value)

    def send(self, update: SourceUpdate) -> Callable[[], bool]:
        """Put *update* on PodConfig's channel; see :class:`Connection`."""
        send_id = self._listener.expect_taken()
        params = {"send_id": send_id, **protocol.to_wire(update)}
        self._ask("component/send", params, f"send to {update.source}")
        return lambda: self._listener.is_taken(send_id)

    def close(self) -> None:
        """End the world in the process, if it still lives."""
        self._listener.deaf = True
        self._outbox.clear()
        if self._peer.alive:
            self._ask("world/end", {}, "the end of the world")

    def settle(self) -> None:
        """Run until nothing is left to do at this instant; the dead are at rest."""
        if not self._peer.alive:
            return
        self._keep_wall()
        self._now_ns = self._ask("settle", {}, "settle")["now_ns"]

    def advance_to(self, target_ns: int) -> int:
        """
        Move the program's clock on, and stop where it asks the environment something.
        """
        if not self._peer.alive:
            return target_ns
        self._keep_wall()
        reached = self._ask("clock/advance", {"to_ns": target_ns}, "advance")["now_ns"]
        if not self._now_ns <= reached <= target_ns:
            raise self._peer.broken(
                f"its clock went from {self._now_ns} to {reached} ns "
                f"when it was told to go to {target_ns} ns"
            )
        self._now_ns = reached
        return self._now_ns

    def hold(self, held: bool) -> None:  # noqa: FBT001 - a state, not an option
        """Let the program know that nobody reads, or that the reader goes on."""
        self._tell("reader/hold" if held else "reader/release", {})

    def _keep_wall(self) -> None:
        clock = self._host.env.clock
        offset = clock.now_ns() - clock.monotonic_ns()
        if offset != self._wall_offset_ns:
            by_ns = offset - self._wall_offset_ns
            self._wall_offset_ns = offset
            self._ask("clock/jump", {"by_ns": by_ns}, "jump")

    def _tell(self, method: str, params: dict[str, Any]) -> None:
        self._outbox.append((method, params))
        if not self._busy and self._peer.alive:
            self._empty_outbox()

    def _empty_outbox(self) -> None:
        while self._outbox:
            self._peer.tell(*self._outbox.popleft())
            self._ask("settle", {}, "settle")

    def _ask(self, method: str, params: Mapping[str, Any], what: str) -> Any:
        self._busy = True
        try:
            answer = self._peer.ask(method, params, what, self._listener.hear)
        finally:
            self._busy = False
        self._empty_outbox()
        return answer


class _Listener:
    """
    Hands what the program says to the environment of the host.
    """

    def __init__(self, host: Host, tell: Callable[[str, dict[str, Any]], None]) -> None:
        self._host = host
        self._env = host.env
        self._tell = tell
        self._cancels: dict[Any, Cancel] = {}
        self._taken: list[bool] = []
        self.deaf = False
        self.selector = ""
        self._words: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
            "env/watch": self._watch,
            "env/ask": lambda p: {"value": self._env.ask(p["question"], *p["args"])},
            "env/fetch": self._fetch,
            "env/list_pods": self._list_pods,
            "env/watch_pods": self._watch_pods,
            "env/cancel": self._cancel,
            "env/send": lambda p: self._env.send(protocol.update_from_wire(p)),
            "env/handle": lambda p: self._env.handle(p["handler"], p["pods"]),
            "env/event": self._event,
            "env/log": lambda p: self._env.log(p["level"], p["message"], **p["fields"]),
            "update/taken": self._note_taken,
        }

    def hear(self, method: str, params: Mapping[str, Any]) -> Any:
        """
        Carry out one word of the program's, checked before.

        Raises:
            OSError: A watch can't be made.
        """
        if self.deaf:
            return {}
        if "at_ns" in params:
            self._host.reached(params["at_ns"])
        return self._words[method](params)

    def expect_taken(self) -> int:
        """Return the id of a new set for PodConfig."""
        self._taken.append(False)
        return len(self._taken) - 1

    def is_taken(self, send_id: int) -> bool:
        """Return whether PodConfig has taken the set by now."""
        return self._taken[send_id]

    def _note_taken(self, params: Mapping[str, Any]) -> None:
        self._taken[params["send_id"]] = True

    def _watch(self, params: Mapping[str, Any]) -> dict[str, Any]:
        id_ = params["id"]
        self._cancels[id_] = self._env.watch(
            params["path"], partial(self._on_file_event, id_)
        )
        return {}

    def _on_file_event(self, id_: Any, event: WatchEvent | OSError) -> None:
        if isinstance(event, OSError):
            error = {"errno": event.errno, "message": event.strerror or str(event)}
            self._tell("files/event", {"id": id_, "error": error})
        else:
            wire = protocol.event_to_wire(event)
            self._tell("files/event", {"id": id_, "event": wire})

    def _fetch(self, params: Mapping[str, Any]) -> None:
        id_ = params["id"]
        headers = tuple((name, value) for name, value in params["headers"])
        self._cancels[id_] = self._env.fetch(
            params["url"], headers, params["timeout_ns"], partial(self._on_reply, id_)
        )

    def _on_reply(self, id_: Any, reply: Reply | OSError) -> None:
        if isinstance(reply, OSError):
            failure = protocol.failure_to_wire(reply)
            self._tell("http/reply", {"id": id_, "error": failure})
        else:
            wire = protocol.reply_to_wire(reply)
            self._tell("http/reply", {"id": id_, "reply": wire})

    def _list_pods(self, params: Mapping[str, Any]) -> None:
        self._check_selector("list", params)
        id_ = params["id"]
        self._cancels[id_] = self._env.list_pods(
            partial(self._on_list, id_), params.get("resource_version", "")
        )

    def _on_list(self, id_: Any, listed: dict[str, Any] | OSError) -> None:
        if isinstance(listed, OSError):
            failure = protocol.failure_to_wire(listed)
            self._tell("api/list", {"id": id_, "error": failure})
        else:
            self._tell("api/list", {"id": id_, "list": listed})

    def _watch_pods(self, params: Mapping[str, Any]) -> None:
        self._check_selector("watch", params)
        id_ = params["id"]
        self._cancels[id_] = self._env.watch_pods(
            params["resource_version"],
            partial(self._on_pod_event, id_),
            initial=params.get("initial", False),
        )

    def _on_pod_event(self, id_: Any, event: dict[str, Any] | OSError | None) -> None:
        if isinstance(event, OSError):
            failure = protocol.failure_to_wire(event)
            self._tell("api/event", {"id": id_, "error": failure})
        else:
            self._tell("api/event", {"id": id_, "event": event})

    def _check_selector(self, what: str, params: Mapping[str, Any]) -> None:
        """The contract has no selector: it is always the node's own pods."""
        if params["selector"] != self.selector:
            raise Crashed(
                f"the {what} of pods",
                f"the selector {params['selector']!r} instead of {self.selector!r}",
            )

    def _cancel(self, params: Mapping[str, Any]) -> None:
        cancel = self._cancels.pop(params["id"], None)
        if cancel is not None:
            cancel()

    def _event(self, params: Mapping[str, Any]) -> None:
        self._env.event(
            params["pod"], params["type"], params["reason"], params["message"]
        )


def offer_of(answer: Mapping[str, Any]) -> Offer:
    """
    Return the offer that an answer to ``initialize`` tells.

    Raises:
        KeyError: A key is lacking.
        TypeError: A value has another type.
        ValueError: A value isn't known.
    """
    if answer["protocol"] != protocol.VERSION:
        raise ValueError(f"protocol {answer['protocol']!r}, not {protocol.VERSION}")
    unknown = sorted(set(answer["components"]) - set(COMPONENTS))
    if unknown:
        raise ValueError(f"unknown components {unknown}")
    features = answer.get("features")
    return Offer(
        name=answer["name"],
        version=answer.get("version") or "",
        language=answer.get("language") or "",
        kubelet=answer.get("kubelet"),
        components=frozenset(answer["components"]),
        features=None if features is None else frozenset(features),
        abilities=Abilities(**answer.get("abilities", {})),
    )
