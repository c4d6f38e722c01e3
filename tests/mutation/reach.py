"""
Which cases reach which lines of the core, kubelet by kubelet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import coverage

from pytest_podsource.driver.base import Driver
from pytest_podsource.known import COMPONENTS
from pytest_podsource.suite.case import Case
from pytest_podsource.suite.runner import run_case
from pytest_podsource.world.simulated import SimulatedWorld
from tests.broken_reference import changed_reference
from tests.mutation.mutants import CORE, Mutant
from tests.mutation.swap import drivers_of


@dataclass(frozen=True, slots=True)
class Trial:
    """
    One case, judged by one kubelet.
    """

    kubelet: str
    case: Case

    def __str__(self) -> str:
        return f"{self.case.id} {self.kubelet}"


class Reach:
    """
    The trials that the reference passes, by the lines that they run through.

    Args:
        cases: The cases.
    """

    def __init__(self, cases: Sequence[Case]) -> None:
        self._trials: dict[str, Trial] = {}
        tracer = coverage.Coverage(
            data_file=None, include=[f"{CORE}/*"], config_file=False
        )
        with tracer.collect(), changed_reference("core.diff", str) as reference:
            self._run(cases, drivers_of(reference), tracer)
        self._data = tracer.get_data()
        self._by_line: dict[str, dict[int, list[str]]] = {}

    def _run(
        self,
        cases: Sequence[Case],
        drivers: Mapping[str, Driver],
        tracer: coverage.Coverage,
    ) -> None:
        for kubelet, driver in drivers.items():
            for case in cases:
                trial = Trial(kubelet, case)
                tracer.switch_context(str(trial))
                outcome = run_case(case, driver, SimulatedWorld, kubelet=kubelet)
                if outcome.verdict == "passed":
                    self._trials[str(trial)] = trial
            tracer.switch_context("")

    def of(self, mutant: Mutant) -> list[Trial]:
        """Return the trials of its components that reach *mutant*."""
        path = str(mutant.path)
        if path not in self._by_line:
            self._by_line[path] = self._data.contexts_by_lineno(path)
        by_line = self._by_line[path]
        names = self._names(mutant, by_line)
        trials = [self._trials[name] for name in sorted(names & self._trials.keys())]
        components = components_of(mutant.module)
        return [each for each in trials if each.case.component in components]

    def is_imported(self, mutant: Mutant) -> bool:
        """Return whether the import itself runs through *mutant*."""
        by_line = self._by_line[str(mutant.path)]
        return mutant.function is None or any(
            "" in by_line.get(line, ()) for line in mutant.statement
        )

    def _names(self, mutant: Mutant, by_line: dict[int, list[str]]) -> set[str]:
        lines = by_line if self.is_imported(mutant) else mutant.statement
        return {name for line in lines for name in by_line.get(line, ())}


def components_of(module: str) -> frozenset[str]:
    """
    Return the components whose cases judge a module of the core.
    """
    parts = module.split(".")
    return _COMPONENTS.get(parts[1], frozenset(COMPONENTS))


_COMPONENTS: Mapping[str, frozenset[str]] = {
    "backoff": frozenset({"backoff"}),
    "diff": frozenset({"diff"}),
    "disk": frozenset({"file", "sources"}),
    "durations": frozenset({"flags"}),
    "file_source": frozenset({"file", "sources"}),
    "flags": frozenset({"flags"}),
    "http_exchange": frozenset({"http", "sources"}),
    "http_source": frozenset({"http", "sources"}),
    "manifest": frozenset({"manifest", "file", "http"}),
    "merge": frozenset({"podconfig", "sources"}),
    "mux": frozenset({"podconfig", "sources"}),
    "path_watch": frozenset({"file", "sources"}),
    "podconfig": frozenset({"podconfig", "sources"}),
    "pods": frozenset({"podconfig", "sources", "manifest"}),
    "sources_ready": frozenset({"ready", "syncloop"}),
    "syncloop": frozenset({"syncloop"}),
}
