"""
A case and an implementation: the verdict.

Rule 1: a step is done, the world settles, then all its expectations are judged.
Rule 2: the first mismatch ends the case. Rule 3: who is at fault is in the type of the
error: see ``_VERDICTS``.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TypeAlias

from pytest_podsource.contract import Refused
from pytest_podsource.driver.base import Driver, Offer
from pytest_podsource.exceptions import (
    CannotRunHere,
    CaseError,
    Crashed,
    DriverError,
    Spins,
    TimedOut,
)
from pytest_podsource.suite.calls import METHODS, owner_of
from pytest_podsource.suite.case import Case
from pytest_podsource.suite.run import Mismatch, Run
from pytest_podsource.suite.scene import scene_of
from pytest_podsource.suite.steps import Step, length_ns, steps_of
from pytest_podsource.suite.verdict import Outcome, Verdict
from pytest_podsource.world.base import Scene, World

MakeWorld: TypeAlias = Callable[[Scene], World]

_VERDICTS: tuple[tuple[type[BaseException], Verdict], ...] = (
    (Mismatch, "failed"),
    (Refused, "failed"),
    (Spins, "failed"),
    (Crashed, "crashed"),
    (TimedOut, "timeout"),
    (CaseError, "setup failed"),
    (CannotRunHere, "disabled"),
    (Exception, "harness error"),
)


def run_case(
    case: Case,
    driver: Driver,
    make_world: MakeWorld,
    *,
    kubelet: str,
    seed: int = 0,
) -> Outcome:
    """
    Run *case* on the implementation behind *driver*.

    Args:
        case: The case.
        driver: How the implementation is reached.
        make_world: Makes the world of a scene.
        kubelet: The kubelet to judge by, as major.minor.
        seed: Permutes what happens at one instant; 0 keeps the natural order.

    Returns:
        The verdict and what was seen; nothing is raised for a fault.
    """
    if not case.holds_for(kubelet):
        reason = f"it holds for kubelets {case.versions}, this is {kubelet}"
        return _skipped(case, "not applicable", reason, kubelet, seed)
    try:
        steps = steps_of(case)
        scene = replace(
            scene_of(case, kubelet=kubelet, seed=seed), length_ns=length_ns(steps)
        )
    except Exception as error:  # noqa: BLE001 - any fault of a case gets its verdict
        return _failed(case, error, None, kubelet, seed)
    reason = lacking(case, steps, driver.offer)
    if reason:
        return _skipped(case, "unsupported", reason, kubelet, seed)
    return _run(case, driver, make_world, scene, steps)


def _run(
    case: Case, driver: Driver, make_world: MakeWorld, scene: Scene, steps: list[Step]
) -> Outcome:
    kubelet, seed = scene.config.kubelet, scene.seed
    run: Run | None = None
    try:
        world = make_world(scene)
        try:
            connection = driver.connect(world)
            try:
                logs = "logs" in (driver.offer.features or ())
                run = Run(case, connection, world, logs=logs)
                run.all(steps)
            except BaseException:
                with suppress(Exception):  # what came first is what counts
                    connection.close()
                raise
            connection.close()
        finally:
            world.close()
    except Exception as error:  # noqa: BLE001 - whatever goes wrong gets its verdict
        return _failed(case, error, run, kubelet, seed)
    return Outcome(
        case=case, verdict="passed", kubelet=kubelet, seed=seed, moments=run.moments
    )


def _failed(
    case: Case, error: Exception, run: Run | None, kubelet: str, seed: int
) -> Outcome:
    verdict = next(word for kind, word in _VERDICTS if isinstance(error, kind))
    return Outcome(
        case=case,
        verdict=verdict,
        reason=_reason(error),
        kubelet=kubelet,
        seed=seed,
        moments=run.moments if run else (),
        trace=error.trace if isinstance(error, Crashed) else "",
    )


def _reason(error: Exception) -> str:
    if isinstance(error, Refused):
        return f"it refused: {error.reason}"
    known = isinstance(
        error,
        (Mismatch, CaseError, CannotRunHere, DriverError, Crashed, TimedOut, Spins),
    )
    return str(error) if known else f"{type(error).__name__}: {error}"


def _skipped(
    case: Case, verdict: Verdict, reason: str, kubelet: str, seed: int
) -> Outcome:
    return Outcome(
        case=case, verdict=verdict, reason=reason, kubelet=kubelet, seed=seed
    )


def lacking(case: Case, steps: list[Step], offer: Offer) -> str:
    """
    Return what the implementation doesn't offer and the case needs, empty if nothing.
    """
    components = _components(case, steps) - offer.components
    if components:
        return f"{', '.join(sorted(components))} is not offered"
    features = {*case.features, case.level} - {"base"}
    if offer.features is not None and features - offer.features:
        return f"{', '.join(sorted(features - offer.features))} is not offered"
    if case.given.get("fresh_process") and "fresh-process" not in (
        offer.features or ()
    ):
        return "it needs a process of its own, --podsource-isolate gives one"
    return ""


def _components(case: Case, steps: list[Step]) -> set[str]:
    needed = {case.component}
    for step in steps:
        if step.verb == "call":
            method = (
                step.argument
                if isinstance(step.argument, str)
                else next(iter(step.argument), "")
            )
            needed.add(owner_of(method, case.component) or case.component)
    return needed & {*METHODS, case.component}
