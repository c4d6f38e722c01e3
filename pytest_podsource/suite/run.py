"""
One case while it runs: does its steps, keeps what came, judges.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pytest_podsource.contract import Config, Refused
from pytest_podsource.core.durations import parse_ns
from pytest_podsource.driver.base import Connection
from pytest_podsource.exceptions import Crashed, Spins
from pytest_podsource.suite.calls import FUNCTIONS, POD_METHODS, call_of
from pytest_podsource.suite.case import Case
from pytest_podsource.suite.expect import Divergence, judge, mentions
from pytest_podsource.suite.scene import settings
from pytest_podsource.suite.show import Shown, done, result
from pytest_podsource.suite.steps import (
    WORLD,
    Step,
    for_world,
    update_to_deliver,
    update_to_send,
)
from pytest_podsource.suite.values import Names, Values
from pytest_podsource.suite.verdict import Moment
from pytest_podsource.world.base import Seen, StreamName, World

STREAMS: tuple[StreamName, ...] = (
    "expect",
    "requests",
    "watches",
    "calls",
    "events",
    "logs",
)
STARTED = frozenset({"file", "http", "api", "sources", "syncloop", "handlers"})
MADE_FIRST = frozenset({"backoff", "podconfig", "ready"})
OF_THE_CASE = frozenset({"manifest", "flags"})


class Mismatch(Exception):
    """
    What came isn't what was expected.
    """


class Run:
    """
    A case, an implementation and a world.

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
        self._names: Names = {}
        self._waiting: dict[StreamName, list[Seen]] = {name: [] for name in STREAMS}
        self._values = Values(
            may_equal=case.may_equal, nil_and_empty=case.level == "nil-and-empty"
        )
        self._shown = Shown(_only_source(case, world.config))
        self._moments: list[Moment] = []

    @property
    def moments(self) -> tuple[Moment, ...]:
        """Return what was done so far."""
        return tuple(self._moments)

    def all(self, steps: list[Step]) -> None:
        """
        Do all *steps*.

        Raises:
            Mismatch: Something else came than was expected.
        """
        for step in steps:
            if self._do(step):
                return
        self._nothing_left(steps)

    def act(self, step: Step) -> Any:
        """Carry *step* out and settle, without judging; return what it gave."""
        value = self._carry_out(step)
        self._settle(step)
        return value

    def _do(self, step: Step) -> bool:
        """Do *step* and judge; return whether the case ends here."""
        moment = Moment(step=step.number, at_ns=self._world.now_ns(), done=done(step))
        self._moments.append(moment)
        judgement = _Judgement()
        try:
            self._result(step, judgement)
            self._settle(step)
        except Spins:
            if not step.expectations.get("spins"):
                raise
            judgement.agree("it spins", "it spins")
        else:
            if step.expectations.get("spins"):
                judgement.part("it spins", "it doesn't spin")
        self._collect()
        if not judgement.parted:
            self._judge_streams(step, judgement)
        self._moments[-1] = replace(
            moment,
            expected=tuple(judgement.expected),
            got=tuple(judgement.got),
            parts_at=judgement.parted_at,
        )
        if judgement.parted:
            raise Mismatch(judgement.reason)
        return bool(step.expectations.get("spins"))

    def _result(self, step: Step, judgement: _Judgement) -> None:
        """Carry the verb out and judge what it returned or raised."""
        expected = step.expectations
        try:
            value = self._carry_out(step)
        except (Refused, Crashed) as error:
            if "raises" not in expected:
                raise
            self._judge_error(expected["raises"], error, judgement)
            return
        if "raises" in expected:
            judgement.part(f"raises {_raises(expected['raises'])}", "nothing raised")
        elif "returns" in expected:
            self._judge_value(step, value, judgement)
        elif "blocked" in expected:
            self._settle(step)
            word = {True: "blocked", False: "not blocked"}
            judgement.compare(word[expected["blocked"]], word[not value()])

    def _carry_out(self, step: Step) -> Any:
        self._make_first()
        if step.verb in WORLD:
            return self._world.apply(step.verb, for_world(step))
        if step.verb == "advance":
            return self._world.advance(parse_ns(step.argument))
        act = _ACTS.get(step.verb)
        return act(self, step) if act else None

    def _settle(self, step: Step) -> None:
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
        if call.method == "diff_snapshots":
            return dict(zip(("added", "updated", "removed"), value, strict=True))
        return value

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

    def _judge_error(
        self, expected: Any, error: Refused | Crashed, judgement: _Judgement
    ) -> None:
        refused = isinstance(error, Refused)
        fits = True
        if expected == "Refused" or isinstance(expected, Mapping):
            fits = refused
        if fits and isinstance(expected, Mapping) and isinstance(error, Refused):
            parsed = expected.get("parsed", error.parsed)
            about = str(expected.get("about", ""))
            fits = parsed is error.parsed and mentions(error.reason, about)
        wanted = f"raises {_raises(expected)}"
        got = f"raised {_raised(error)}"
        if fits:
            judgement.agree(wanted, got)
        else:
            judgement.part(wanted, got)

    def _judge_value(self, step: Step, value: Any, judgement: _Judgement) -> None:
        expected = step.expectations["returns"]
        pods = _method(step) in POD_METHODS
        found = (
            self._match_pods(expected, value)
            if pods
            else self._values.value(expected, value, self._names)
        )
        if found is not None:
            self._names = found
            self._shown.learn(found)
        wanted, got = (
            f"returns {self._text(expected, expected)}",
            (f"returned {self._text(value, expected)}"),
        )
        if found is None:
            judgement.part(wanted, got)
        else:
            judgement.agree(wanted, got)

    def _match_pods(self, expected: Any, value: Any) -> Names | None:
        listed = isinstance(value, (list, tuple))
        many = isinstance(expected, list) or (
            isinstance(expected, Mapping) and expected.keys() & {"any_order", "count"}
        )
        if many:
            return self._values.pods(
                expected, value if listed else [value], self._names
            )
        single = value[0] if listed and len(value) == 1 else value
        if not isinstance(single, Mapping):
            return None
        return self._values.pod(expected, dict(single), self._names)

    def _text(self, value: Any, expected: Any) -> str:
        if isinstance(value, (str, int, float)):
            return self._shown.value(result(value, expected))
        return self._shown.value(value)

    def _collect(self) -> None:
        for name in STREAMS:
            self._waiting[name] += self._world.take(name)

    def _judge_streams(self, step: Step, judgement: _Judgement) -> None:
        for kind in STREAMS:
            if kind in step.expectations and not judgement.parted:
                self._judge_stream(kind, step.expectations[kind], judgement)
        if "expect" in step.expectations:
            for kind in STREAMS:
                self._waiting[kind].clear()

    def _judge_stream(
        self, kind: StreamName, expected: Any, judgement: _Judgement
    ) -> None:
        seen = list(self._waiting[kind])
        self._waiting[kind].clear()
        found = judge(kind, expected, seen, self._names, self._values)
        if isinstance(found, Divergence):
            self._shown.guess(expected, seen if kind in {"expect", "calls"} else ())
        else:
            self._names = found
            self._shown.learn(found)
        judgement.stream(
            self._shown.expected(kind, expected) or [_NOTHING[kind]],
            self._shown.seen(kind, seen, expected) or [_NOTHING[kind]],
            found if isinstance(found, Divergence) else None,
        )

    def _nothing_left(self, steps: list[Step]) -> None:
        kind: StreamName = "calls"
        if any("expect" in step.expectations for step in steps):
            kind = "expect"
        said = [s.expectations[kind] for s in steps if kind in s.expectations]
        left = self._waiting[kind]
        if not said or said[-1] == "any" or not left:
            return
        self._moments.append(
            Moment(
                step=steps[-1].number,
                at_ns=self._world.now_ns(),
                done="end of the case",
                expected=("nothing more",),
                got=tuple(self._shown.seen(kind, left, [])),
                parts_at=0,
            )
        )
        raise Mismatch("something came that no step has judged")


_ACTS: Mapping[str, Callable[[Run, Step], Any]] = {
    "start": Run._start,
    "stop": Run._stop,
    "restart": Run._restart,
    "call": Run._call,
    "send": Run._send,
    "deliver": Run._deliver,
    "close": Run._close,
}
_NOTHING: Mapping[StreamName, str] = {
    "expect": "nothing",
    "requests": "no request",
    "watches": "no watch",
    "calls": "no call",
    "events": "no event",
    "logs": "no log",
}


class _Judgement:
    """
    What was expected of one step and what came, line by line.
    """

    def __init__(self) -> None:
        self.expected: list[str] = []
        self.got: list[str] = []
        self.parted_at: int | None = None
        self.reason = ""

    @property
    def parted(self) -> bool:
        return self.parted_at is not None

    def agree(self, expected: str, got: str) -> None:
        self._align()
        self.expected.append(expected)
        self.got.append(got)

    def part(self, expected: str, got: str) -> None:
        self.agree(expected, got)
        self.parted_at = len(self.expected) - 1
        self.reason = f"expected: {expected}; got: {got}"

    def compare(self, expected: str, got: str) -> None:
        if expected == got:
            self.agree(expected, got)
        else:
            self.part(expected, got)

    def stream(
        self, expected: list[str], got: list[str], divergence: Divergence | None
    ) -> None:
        self._align()
        first = len(self.got)
        self.expected += expected
        self.got += got
        if divergence:
            self.parted_at = first + divergence.got
            wanted = expected[divergence.expected : divergence.expected + 1]
            came = got[divergence.got : divergence.got + 1]
            self.reason = (
                f"expected: {wanted[0] if wanted else 'nothing more'}; "
                f"got: {came[0] if came else 'nothing more'}"
            )

    def _align(self) -> None:
        width = max(len(self.expected), len(self.got))
        self.expected += [""] * (width - len(self.expected))
        self.got += [""] * (width - len(self.got))


def _only_source(case: Case, config: Config) -> str:
    if case.component in {"file", "http", "api"}:
        return case.component
    return config.sources[0] if len(config.sources) == 1 else ""


def _method(step: Step) -> str:
    if step.verb != "call":
        return ""
    return (
        step.argument if isinstance(step.argument, str) else next(iter(step.argument))
    )


def _raises(expected: Any) -> str:
    if isinstance(expected, Mapping):
        return "Refused " + " ".join(f"{k}={v}" for k, v in expected.items())
    return "an error" if expected is True else str(expected)


def _raised(error: Refused | Crashed) -> str:
    if isinstance(error, Refused):
        return f"Refused (parsed={str(error.parsed).lower()}): {error.reason}"
    return error.error
