"""
One case while it runs: does its steps, keeps what came, judges.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pytest_podsource.contract import Config, Refused
from pytest_podsource.driver.base import Connection
from pytest_podsource.exceptions import Crashed, ImplementationError, Spins
from pytest_podsource.suite.actor import Actor
from pytest_podsource.suite.calls import POD_METHODS
from pytest_podsource.suite.case import Case
from pytest_podsource.suite.expect import Divergence, judge
from pytest_podsource.suite.judgement import Judgement, fits, raised, wanted_error
from pytest_podsource.suite.show import Shown, done
from pytest_podsource.suite.steps import STREAMS, Step
from pytest_podsource.suite.values import Names, Values
from pytest_podsource.suite.verdict import Moment
from pytest_podsource.world.base import Seen, StreamName, World


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
        logs: Whether logs are judged in a case of another level, too.
    """

    def __init__(
        self,
        case: Case,
        connection: Connection,
        world: World,
        *,
        logs: bool = False,
    ) -> None:
        self._actor = Actor(case, connection, world)
        self._world = world
        self._names: Names = {}
        self._waiting: dict[StreamName, list[Seen]] = {name: [] for name in STREAMS}
        self._values = Values(
            may_equal=case.may_equal, nil_and_empty=case.level == "nil-and-empty"
        )
        self._shown = Shown(_only_source(case, world.config))
        self._moments: list[Moment] = []
        needed = {case.level, *case.features}
        self._judged = [
            name for name in STREAMS if name != "logs" or logs or "logs" in needed
        ]

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
        value = self._actor.carry_out(step)
        self._actor.settle(step)
        return value

    def _do(self, step: Step) -> bool:
        """Do *step* and judge; return whether the case ends here."""
        moment = Moment(step=step.number, at_ns=self._world.now_ns(), done=done(step))
        self._moments.append(moment)
        judgement = Judgement()
        try:
            self._carry_out(step, judgement)
            self._collect()
            self._judge_streams(step, judgement)
        except (Refused, ImplementationError) as error:
            judgement.part("", str(error))
            raise
        finally:
            self._moments[-1] = judgement.told(moment)
        if judgement.parted:
            raise Mismatch(judgement.reason)
        return bool(step.expectations.get("spins"))

    def _carry_out(self, step: Step, judgement: Judgement) -> None:
        spins = step.expectations.get("spins", False)
        try:
            self._result(step, judgement)
            self._actor.settle(step)
        except Spins:
            if not spins:
                raise
            judgement.note("it spins", "it spins", agree=True)
        else:
            if spins:
                judgement.part("it spins", "it doesn't spin")

    def _result(self, step: Step, judgement: Judgement) -> None:
        """Carry the verb out and judge what it returned or raised."""
        expected = step.expectations
        try:
            value = self._actor.carry_out(step)
        except (Refused, Crashed) as error:
            if "raises" not in expected:
                raise
            wanted = wanted_error(expected["raises"])
            agree = fits(expected["raises"], error)
            judgement.note(wanted, raised(error), agree=agree)
            return
        if "raises" in expected:
            judgement.part(wanted_error(expected["raises"]), "raised nothing")
        elif "returns" in expected:
            self._judge_value(step, value, judgement)
        elif "blocked" in expected:
            self._actor.settle(step)
            wanted, got = expected["blocked"], not value()
            judgement.note(_BLOCKED[wanted], _BLOCKED[got], agree=wanted is got)

    def _judge_value(self, step: Step, value: Any, judgement: Judgement) -> None:
        expected = step.expectations["returns"]
        of_pods = _method(step) in POD_METHODS
        match = self._match_pods if of_pods else self._values.value
        found = match(expected, value, self._names)
        if found is not None:
            self._names = found
            self._shown.learn(found)
        wanted, got = self._result_lines(value, expected, of_pods=of_pods)
        judgement.note(f"returns {wanted}", f"returned {got}", agree=found is not None)

    def _result_lines(
        self, value: Any, expected: Any, *, of_pods: bool
    ) -> tuple[str, str]:
        shown = self._shown
        if of_pods:
            return shown.expected_pods(expected), shown.pods(value, expected)
        return shown.result(expected, expected), shown.result(value, expected)

    def _match_pods(self, expected: Any, value: Any, names: Names) -> Names | None:
        pods = value if isinstance(value, (list, tuple)) else [value]
        words = expected.keys() if isinstance(expected, Mapping) else set()
        if isinstance(expected, list) or words & {"any_order", "count"}:
            return self._values.pods(expected, pods, names)
        return self._values.pods([expected], pods, names)

    def _collect(self) -> None:
        for name in STREAMS:
            self._waiting[name] += self._world.take(name)

    def _judge_streams(self, step: Step, judgement: Judgement) -> None:
        if judgement.parted:
            return
        for kind in self._judged:
            if kind in step.expectations and not judgement.parted:
                self._judge_stream(kind, step.expectations[kind], judgement)
        if "expect" in step.expectations:
            for kind in STREAMS:
                self._waiting[kind].clear()

    def _judge_stream(
        self, kind: StreamName, expected: Any, judgement: Judgement
    ) -> None:
        seen = list(self._waiting[kind])
        self._waiting[kind].clear()
        found = judge(kind, expected, seen, self._names, self._values)
        part = None
        if isinstance(found, Divergence):
            self._shown.guess(expected, seen if kind in {"expect", "calls"} else ())
        else:
            self._names = found
            self._shown.learn(found)
        lines = self._shown.expected(kind, expected)
        skipped = max(0, len(seen) - len(lines)) if _is_ending(expected) else 0
        if isinstance(found, Divergence):
            part = replace(found, expected=found.expected + skipped)
        judgement.stream(
            ["..."] * skipped + lines or [_NOTHING[kind]],
            self._shown.seen(kind, seen, expected) or [_NOTHING[kind]],
            part,
            [each.at_ns for each in seen],
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
                got_at_ns=tuple(each.at_ns for each in left),
                parts_at=0,
            )
        )
        raise Mismatch("something came that no step has judged")


_BLOCKED = {True: "blocked", False: "not blocked"}
_NOTHING: Mapping[StreamName, str] = {
    "expect": "nothing",
    "requests": "no request",
    "watches": "no watch",
    "calls": "no call",
    "events": "no event",
    "logs": "no log",
}


def _is_ending(stream: Any) -> bool:
    return isinstance(stream, Mapping) and "ends_with" in stream


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
