"""
Run cases and print verdicts and stories, without pytest: a door for development.

``python -m pytest_podsource.suite CASE_ID_OR_COMPONENT ... --impl MODULE``
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from pytest_podsource.suite.bundled import bundled_root
from pytest_podsource.suite.case import Case, load_cases
from pytest_podsource.suite.lint import lint
from pytest_podsource.suite.runner import run_case
from pytest_podsource.suite.story import Origins, load_origins, tell
from pytest_podsource.suite.verdict import ERRORS, FAILURES
from pytest_podsource.world.simulated import SimulatedWorld


def main(arguments: list[str]) -> int:
    """
    Return 0 if all the cases passed or were skipped, else 1.
    """
    parser = argparse.ArgumentParser(prog="python -m pytest_podsource.suite")
    parser.add_argument("what", nargs="*", help="ids of cases, files or components")
    parser.add_argument("--impl", default="pytest_podsource.reference")
    parser.add_argument("--kubelet", default="1.37")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=Path, help="another folder of cases")
    chosen = parser.parse_args(arguments)
    root = chosen.cases or bundled_root() / "cases"
    cases = [each for each in load_cases(root) if _is_meant(each, chosen.what)]
    origins = load_origins()
    findings = lint(cases, origins)
    print(*findings, sep="\n", end="\n" if findings else "")  # noqa: T201
    return _run(cases, chosen, origins) or int(bool(findings))


def _is_meant(case: Case, what: list[str]) -> bool:
    return not what or any(
        case.id == each or case.id.startswith((f"{each}/", f"{each}:")) for each in what
    )


def _run(cases: list[Case], chosen: argparse.Namespace, origins: Origins) -> int:
    from pytest_podsource.driver.load import load_driver  # noqa: PLC0415 - only to run

    driver = load_driver(chosen.impl, kubelet=chosen.kubelet)
    counts: Counter[str] = Counter()
    for case in cases:
        outcome = run_case(
            case, driver, SimulatedWorld, kubelet=chosen.kubelet, seed=chosen.seed
        )
        counts[outcome.verdict] += 1
        if outcome.verdict in FAILURES | ERRORS:
            print(tell(outcome, origins))  # noqa: T201
    driver.close()
    print(", ".join(f"{n} {word}" for word, n in counts.items()) or "no case")  # noqa: T201
    return 1 if counts.keys() & (FAILURES | ERRORS) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
