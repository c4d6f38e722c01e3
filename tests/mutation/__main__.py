"""
Count which mutants of the core the conformance suite alone kills.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence

from pytest_podsource.suite.bundled import bundled_root
from pytest_podsource.suite.case import load_cases
from tests.broken_reference import changed_reference
from tests.mutation.killing import Fate, Killing
from tests.mutation.mutants import Mutant, modules, mutants_of
from tests.mutation.reach import Reach
from tests.mutation.swap import Loaded

BAR = 95.0


def main() -> int:
    """
    Return 0 if the cases kill enough.
    """
    options = _parser().parse_args()
    mutants = _chosen(options)
    with tempfile.TemporaryDirectory() as scratch:
        tempfile.tempdir = scratch  # what a child that is ended leaves behind
        reach = Reach(load_cases(bundled_root() / "cases"))
        fates = []
        with changed_reference("core.diff", str) as reference:
            killing = Killing(reach, Loaded(reference), options.jobs)
            for fate in killing.fates(mutants):
                fates.append(fate)
                _tell(fate, every=options.all)
    return _summed(fates)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    parser.add_argument("--only", default="", help="modules whose name has this in it")
    parser.add_argument("--sample", type=int, help="as many mutants, drawn at random")
    parser.add_argument("--seed", type=int, default=1, help="decides which")
    parser.add_argument("--jobs", type=int, default=2, help="mutants tried at once")
    parser.add_argument("--all", action="store_true", help="show the killed ones too")
    return parser


def _chosen(options: argparse.Namespace) -> Sequence[Mutant]:
    paths = [each for each in modules() if options.only in str(each)]
    mutants = [mutant for path in paths for mutant in mutants_of(path)]
    if options.sample is None:
        return mutants
    drawn = random.Random(options.seed)
    return drawn.sample(mutants, min(options.sample, len(mutants)))


def _tell(fate: Fate, *, every: bool) -> None:
    if every or not fate.killer:
        before, after = fate.mutant.difference()
        what = f"killed by {fate.killer}" if fate.killer else f"SURVIVED {fate.reached}"
        place = f"{fate.mutant.module}:{fate.mutant.line}"
        print(f"{what}\t{place}\t{before}\t{after}", flush=True)


def _summed(fates: Sequence[Fate]) -> int:
    killed = Counter(each.mutant.module for each in fates if each.killer)
    for module, count in sorted(Counter(each.mutant.module for each in fates).items()):
        print(f"{module:45} {killed[module]:5} of {count:5}")
    share = 100 * killed.total() / max(1, len(fates))
    print(f"{killed.total()} of {len(fates)} mutants killed, {share:.1f} %")
    return 0 if share >= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
