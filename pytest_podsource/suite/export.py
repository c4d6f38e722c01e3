"""
Cases as plain JSON, for those who run them without Python.

Rule 1: nothing is left to be worked out: rows and rounds are spelled out, contents are
base64, pods whole, durations and times nanoseconds. Rule 2: what is expected stays in
the words of the case format, but for the delays of a backoff.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pytest_podsource.core.durations import parse_ns
from pytest_podsource.driver.protocol import arguments_to_wire, to_wire
from pytest_podsource.suite.calls import call_of
from pytest_podsource.suite.case import Case
from pytest_podsource.suite.scene import scene_of
from pytest_podsource.suite.steps import (
    Step,
    for_world,
    steps_of,
    update_to_deliver,
    update_to_send,
)

FORM = 1


def exported(case: Case, kubelet: str) -> dict[str, Any]:
    """
    Return *case* as it runs for *kubelet*, as JSON.

    Raises:
        CaseError: It breaks the format.
    """
    world = asdict(scene_of(case, kubelet=kubelet))
    del world["seed"], world["length_ns"]
    return {
        "form": FORM,
        "id": case.id,
        "component": case.component,
        "kubelet": kubelet,
        "title": case.title,
        "why": case.why,
        "facts": list(case.facts),
        "reports": list(case.reports),
        "level": case.level,
        "features": sorted(case.features),
        "may_equal": sorted(sorted(pair) for pair in case.may_equal),
        "config": to_wire(world.pop("config")),
        "world": to_wire(world),
        "steps": list(_steps(case, steps_of(case))),
    }


def _steps(case: Case, steps: Sequence[Step]) -> Iterator[dict[str, Any]]:
    now_ns = 0
    for step in steps:
        yield {
            "number": step.number,
            "at_ns": now_ns,
            "verb": step.verb,
            "argument": _argument(case, step, now_ns),
            "expectations": _expectations(step),
        }
        if step.verb == "advance":
            now_ns += for_world(step)


def _argument(case: Case, step: Step, now_ns: int) -> Any:
    if step.verb == "send":
        return to_wire(update_to_send(step))
    if step.verb == "deliver":
        return to_wire(update_to_deliver(step))
    if step.verb == "replies":
        return to_wire([asdict(each) for each in for_world(step)])
    if step.verb != "call":
        return to_wire(for_world(step))
    call = call_of(step, case.component, now_ns)
    wire = {
        "component": call.component,
        "method": call.method,
        "arguments": arguments_to_wire(call.arguments),
    }
    return wire if call.config is None else {**wire, "config": to_wire(call.config)}


def _expectations(step: Step) -> dict[str, Any]:
    found = dict(step.expectations)
    if "returns" in found and _is_delay(step):
        found["returns"] = _nanoseconds(found["returns"])
    return found


def _is_delay(step: Step) -> bool:
    return isinstance(step.argument, Mapping) and "get" in step.argument


def _nanoseconds(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {
            word: [parse_ns(each) for each in bounds] for word, bounds in value.items()
        }
    return parse_ns(value) if not value.startswith("$") else value
