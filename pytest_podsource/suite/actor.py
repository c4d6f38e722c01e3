"""
Steps carried out: on the world, or on the implementation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pytest_podsource.contract import Config
from pytest_podsource.driver.base import Connection
from pytest_podsource.suite.calls import FUNCTIONS, call_of
from pytest_podsource.suite.case import Case
from pytest_podsource.suite.scene import settings
from pytest_podsource.suite.steps import (
    WORLD,
    Step,
    for_world,
    update_to_deliver,
    update_to_send,
)
from pytest_podsource.world.base import World

STARTED = frozenset({"file", "http", "api", "sources", "syncloop", "handlers"})
MADE_FIRST = frozenset({"backoff", "podconfig", "ready"})
_DIFF = ("added", "updated", "removed")
OF_THE_CASE = frozenset({"manifest", "flags"})


class Actor:
    """
    Does the steps of one case.

    Args:
        case: The case.
        connection: The implementation.
        world: The world that it lives in.
    """

    def __init__(self, case: Case, connection: Connection, world: World) -> None:
        self._case = case
        self._connection = connection
        self._world = world
        self._config = world.config
        self._made: set[str] = set()

    def carry_out(self, step: Step) -> Any:
        """
        Carry the verb of *step* out; it isn't settled afterwards.

        Returns:
            What a call gave; after ``send``, what asks whether it has been taken.

        Raises:
            Refused: The implementation refuses.
            Crashed: It raises something else.
            CaseError: The step can't be carried out.
        """
        self._make_first()
        if step.verb in WORLD:
            return self._world.apply(step.verb, for_world(step))
        if step.verb == "advance":
            return self._world.advance(for_world(step))
        act = _ACTS.get(step.verb)
        return act(self, step) if act else None

    def settle(self, step: Step) -> None:
        """Run until nothing is left to do at this instant."""
        if step.verb != "advance":
            self._world.settle()

    def _make_first(self) -> None:
        if self._case.component in MADE_FIRST:
            self._make(self._case.component)

    def _make(self, component: str) -> None:
        if component not in self._made:
            self._connection.new(component, self._config)
            self._made.add(component)

    def _start(self, step: Step) -> None:
        component = self._case.component
        self._config = replace(
            self._config, **settings(step.argument or {}, step.where)
        )
        self._connection.new(component, self._config)
        self._made.add(component)
        if component in STARTED:
            self._world.starts()
            self._connection.call(component, "start", {})

    def _stop(self, step: Step) -> None:
        if self._case.component in STARTED:
            self._connection.call(self._case.component, "stop", {})

    def _restart(self, step: Step) -> None:
        self._stop(step)
        self._world.settle()
        self._start(step)

    def _call(self, step: Step) -> Any:
        call = call_of(step, self._case.component, self._world.now_ns())
        arguments = dict(call.arguments)
        if call.method in FUNCTIONS:
            arguments["config"] = replace(self._own_config(), **(call.config or {}))
        elif call.component != "diff":
            self._make(call.component)
        value = self._connection.call(call.component, call.method, arguments)
        return _by_name(value) if call.method == "diff_snapshots" else value

    def _own_config(self) -> Config:
        """Functions of manifests and flags see the case's own path and URL."""
        if self._case.component not in OF_THE_CASE:
            return self._config
        given = {"path": "", "url": ""} | {
            key: self._case.given[key]
            for key in ("path", "url")
            if key in self._case.given
        }
        return replace(self._config, **given)

    def _send(self, step: Step) -> Callable[[], bool]:
        self._make("podconfig")
        return self._connection.send(update_to_send(step))

    def _deliver(self, step: Step) -> None:
        update = update_to_deliver(step)
        self._connection.call("syncloop", "deliver", {"update": update})

    def _close(self, step: Step) -> None:
        self._connection.call("syncloop", "deliver", {"update": None})


_ACTS: Mapping[str, Callable[[Actor, Step], Any]] = {
    "start": Actor._start,
    "stop": Actor._stop,
    "restart": Actor._restart,
    "call": Actor._call,
    "send": Actor._send,
    "deliver": Actor._deliver,
    "close": Actor._close,
}


def _by_name(value: Any) -> Any:
    """
    Return the three lists of a diff by their names; anything else as a text.
    """
    if not isinstance(value, (tuple, list)) or len(value) != len(_DIFF):
        return repr(value)
    return dict(zip(_DIFF, value, strict=True))
