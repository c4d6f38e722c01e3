"""
Runs the cases on mutants, each in a process of its own, until one kills it.

Rule 1: a mutant is killed by the first trial that passes without it and doesn't with
it, by one that never ends, or by an import that fails. Rule 2: what a mutant does to
its process stays there: it is forked, and limited in time and memory.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

from pytest_podsource.driver.base import Driver
from pytest_podsource.suite.runner import run_case
from pytest_podsource.world.simulated import SimulatedWorld
from tests.broken_reference import changed_reference
from tests.mutation.mutants import Mutant
from tests.mutation.reach import Reach, Trial
from tests.mutation.swap import Loaded, drivers_of

CPU_SECONDS_A_TRIAL = 3
SECONDS_A_MUTANT = 300
MEMORY = 2**31
SURVIVED = "survived"
ENDLESS = "it never ends"


@dataclass(frozen=True, slots=True)
class Fate:
    """
    What became of a mutant.

    Attributes:
        mutant: The mutant.
        killer: The trial that killed it or a word for how; empty if it survived.
        reached: How many trials ran through it.
    """

    mutant: Mutant
    killer: str
    reached: int


@dataclass(slots=True)
class _Child:
    mutant: Mutant
    pid: int
    pipe: int
    ends: float
    reached: int


class Killing:
    """
    Lets the cases loose on mutants.

    Args:
        reach: Which trials reach which mutant.
        loaded: The reference without a mutant.
        jobs: How many mutants are tried at once.
    """

    def __init__(self, reach: Reach, loaded: Loaded, jobs: int) -> None:
        self._reach = reach
        self._loaded = loaded
        self._jobs = jobs
        self._children: list[_Child] = []
        self._killers: Counter[str] = Counter()

    def fates(self, mutants: Sequence[Mutant]) -> Iterator[Fate]:
        """Yield the fate of each mutant as it is known."""
        for mutant in mutants:
            trials = self._reach.of(mutant)
            if not trials:
                yield Fate(mutant, "", 0)
                continue
            self._children.append(self._born(mutant, trials))
            while len(self._children) >= self._jobs:
                yield from self._ended()
        while self._children:
            yield from self._ended()

    def _born(self, mutant: Mutant, trials: list[Trial]) -> _Child:
        """Fork a child that tries *mutant*; those that killed before come first."""
        trials.sort(key=lambda trial: -self._killers[str(trial)])
        out, into = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(out)
            loaded = None if self._reach.is_imported(mutant) else self._loaded
            _try(mutant, trials, loaded, into)
        os.close(into)
        ends = time.monotonic() + SECONDS_A_MUTANT
        return _Child(mutant, pid, out, ends, len(trials))

    def _ended(self) -> Iterator[Fate]:
        ready, _, _ = select.select([each.pipe for each in self._children], [], [], 1)
        now = time.monotonic()
        for child in [*self._children]:
            if child.pipe in ready or now > child.ends:
                self._children.remove(child)
                yield self._fate(child)

    def _fate(self, child: _Child) -> Fate:
        ready, _, _ = select.select([child.pipe], [], [], 0)
        said = os.read(child.pipe, 4096).decode() if ready else ""
        os.close(child.pipe)
        if not said:  # the kernel ended it, or nothing came for too long
            os.kill(child.pid, signal.SIGKILL)
            said = ENDLESS
        os.waitpid(child.pid, 0)
        self._killers[said] += 1
        killer = "" if said == SURVIVED else said
        return Fate(child.mutant, killer, child.reached)


def _try(
    mutant: Mutant, trials: Sequence[Trial], loaded: Loaded | None, into: int
) -> NoReturn:
    """
    Say into a pipe what became of *mutant*, and end this process.
    """
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS_A_TRIAL)
    said = "it can't be imported"
    try:
        source = mutant.source
        if loaded and loaded.put_in(mutant, source):
            said = _killer(trials, loaded.drivers)
        else:
            with changed_reference(mutant.module, lambda _: source) as reference:
                said = _killer(trials, drivers_of(reference))
    finally:
        os.write(into, said.encode())
        os._exit(0)


def _killer(trials: Sequence[Trial], drivers: dict[str, Driver]) -> str:
    for trial in trials:
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS_A_TRIAL)
        driver, kubelet = drivers[trial.kubelet], trial.kubelet
        outcome = run_case(trial.case, driver, SimulatedWorld, kubelet=kubelet)
        if outcome.verdict != "passed":
            return str(trial)
    return SURVIVED
