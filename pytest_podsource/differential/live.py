"""
Lets an implementation live through a scenario, and keeps what happened.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pytest_podsource.contract import Refused
from pytest_podsource.differential.equality import Happened, mark
from pytest_podsource.differential.scenarios import Document
from pytest_podsource.driver.base import Driver
from pytest_podsource.exceptions import (
    CaseError,
    ImplementationError,
    PodSourceError,
)
from pytest_podsource.suite.case import Case
from pytest_podsource.suite.run import Run
from pytest_podsource.suite.runner import MakeWorld
from pytest_podsource.suite.scene import scene_of
from pytest_podsource.suite.steps import Step, steps_of

Outcome = Mapping[str, Any]


def live(
    document: Document,
    component: str,
    driver: Driver,
    make_world: MakeWorld,
    kubelet: str,
) -> list[Happened]:
    """
    Return what each step of a scenario led to, until a crash ends it.

    A step that the world can't carry out, such as the removal of a file that isn't
    there, does nothing.

    Args:
        document: The scenario.
        component: The component that it is for.
        driver: The implementation.
        make_world: Makes the world of a scene.
        kubelet: The kubelet to behave like, as major.minor.
    """
    case = case_of(document, component)
    world = make_world(scene_of(case, kubelet=kubelet))
    try:
        connection = driver.connect(world)
        run = Run(case, connection, world)
        happened = []
        for raw, step in zip(case.steps, steps_of(case), strict=True):
            outcome, goes_on = _done(run, step)
            updates, events = world.take("expect"), world.take("events")
            happened.append(
                Happened(step=raw, updates=updates, events=events, outcome=outcome)
            )
            if not goes_on:
                break
        with suppress(PodSourceError):  # after a crash there is nothing to end
            connection.close()
    finally:
        world.close()
    return happened


def case_of(document: Document, component: str) -> Case:
    """
    Return a scenario as a case without expectations.
    """
    return Case(
        id=f"{component}/generated",
        component=component,
        row="",
        path=Path(f"{component}/generated.yaml"),
        title="",
        why="",
        facts=(),
        reports=(),
        versions="",
        level="nil-and-empty",
        features=frozenset(),
        given=document.get("given", {}),
        steps=tuple(document["steps"]),
        may_equal=frozenset(),
        hash="",
    )


def _done(run: Run, step: Step) -> tuple[Outcome, bool]:
    try:
        value = run.act(step)
    except Refused as error:
        return {"raised": "Refused", "parsed": error.parsed}, True
    except CaseError:
        return {"raised": "CaseError"}, True
    except ImplementationError as error:
        return {"raised": type(error).__name__}, False
    if step.verb == "send":
        return {"blocked": not value()}, True
    if step.verb == "call":
        return {"returned": _marked(value)}, True
    return {}, True


def _marked(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_marked(each) for each in value]
    is_pod = isinstance(value, Mapping) and "spec" in value
    return mark(dict(value)) if is_pod else value
