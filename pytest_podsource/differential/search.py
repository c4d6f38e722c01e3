"""
Looks for a scenario in which two implementations part, and makes it small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from hypothesis import HealthCheck, Phase, Verbosity, find, settings
from hypothesis.errors import Flaky, NoSuchExample

from pytest_podsource.core.versions import kubelet as kubelet_of
from pytest_podsource.differential.equality import (
    Happened,
    Parting,
    compare_traces,
)
from pytest_podsource.differential.live import live
from pytest_podsource.differential.scenarios import Document, scenarios
from pytest_podsource.driver.base import Driver
from pytest_podsource.known import NEWEST
from pytest_podsource.suite.runner import MakeWorld
from pytest_podsource.world.simulated import SimulatedWorld

ORDERED = frozenset({"podconfig"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """
    A small scenario in which two implementations part.

    Attributes:
        component: The component that it is about.
        kubelet: The kubelet that both were told to behave like.
        seed: The seed that it was found with.
        tried: How many scenarios were tried until it was found and small.
        document: The scenario, as ``given`` and ``steps`` of a case.
        parting: The step where they part, and how.
        ours: What the first implementation did.
        theirs: What the second did.
    """

    component: str
    kubelet: str
    seed: int
    tried: int
    document: Document
    parting: Parting
    ours: Sequence[Happened]
    theirs: Sequence[Happened]

    def __str__(self) -> str:
        step = self.document["steps"][self.parting.step]
        return (
            f"{self.component}, kubelet {self.kubelet}, seed {self.seed}: "
            f"step {self.parting.step + 1}, {step}: {self.parting.how}"
        )


def compare(
    driver_x: Driver,
    driver_y: Driver,
    component: str,
    examples: int,
    seed: int,
    *,
    kubelet: str = NEWEST,
    make_world: MakeWorld = SimulatedWorld,
) -> Difference | None:
    """
    Return the smallest difference found, ``None`` if there is none.

    Args:
        driver_x: One implementation.
        driver_y: The other, whose answers the written case will expect.
        component: ``podconfig``, ``manifest`` or ``file``.
        examples: How many scenarios to generate.
        seed: Decides which.
        kubelet: The kubelet to behave like, as major.minor.
        make_world: Makes the world of a scene.

    Raises:
        ValueError: No scenarios are made for *component*.
    """
    search = _Search(driver_x, driver_y, component, kubelet, make_world)
    try:
        find(
            scenarios(component, kubelet_of(kubelet)),
            search.parts,
            settings=settings(
                max_examples=examples,
                database=None,
                deadline=None,
                verbosity=Verbosity.quiet,
                phases=(Phase.generate, Phase.shrink),
                suppress_health_check=list(HealthCheck),
            ),
            random=Random(seed),  # noqa: S311 - not a secret
        )
    except NoSuchExample:
        return None
    except Flaky:  # one of the two isn't sure of itself; what was seen was seen
        pass
    return search.difference(seed)


class _Search:
    def __init__(
        self,
        driver_x: Driver,
        driver_y: Driver,
        component: str,
        kubelet: str,
        make_world: MakeWorld,
    ) -> None:
        self._drivers = (driver_x, driver_y)
        self._component = component
        self._kubelet = kubelet
        self._make_world = make_world
        self._tried = 0
        self._found: tuple[Document, Parting, list[list[Happened]]] | None = None

    def parts(self, document: Document) -> bool:
        """Return whether the two part in *document*, and keep the smallest."""
        self._tried += 1
        traces = [
            live(document, self._component, driver, self._make_world, self._kubelet)
            for driver in self._drivers
        ]
        parting = compare_traces(
            traces[0], traces[1], ordered=self._component in ORDERED
        )
        if parting is None:
            return False
        if self._found is None or _size(document) <= _size(self._found[0]):
            self._found = (document, parting, traces)
        return True

    def difference(self, seed: int) -> Difference | None:
        """Return the smallest that was found."""
        if self._found is None:
            return None
        document, parting, (ours, theirs) = self._found
        return Difference(
            component=self._component,
            kubelet=self._kubelet,
            seed=seed,
            tried=self._tried,
            document=document,
            parting=parting,
            ours=ours,
            theirs=theirs,
        )


def _size(document: Document) -> tuple[int, int]:
    return len(document["steps"]), len(str(document))
