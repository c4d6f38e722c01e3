"""
One case as a script of its own, and what such a script calls.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from pprint import pformat
from typing import IO, Any

from pytest_podsource.suite.case import Case
from pytest_podsource.suite.runner import run_case
from pytest_podsource.suite.story import Origins, load_origins, tell
from pytest_podsource.suite.verdict import SKIPS

_LEFT_OUT = frozenset({"path", "hash", "row"})
_SCRIPT = """\
# /// script
# requires-python = ">=3.10"
# dependencies = ["pytest-podsource=={version}"]
# ///
#
{comments}
#
# python THIS_FILE [TARGET]    exit code 0: it behaves like the kubelet; 1: it doesn't

import sys

from pytest_podsource.suite.replay import replay

IMPLEMENTATION = {implementation!r}
KUBELET = {kubelet!r}
SEED = {seed!r}
CASE = {case}

if __name__ == "__main__":
    target = sys.argv[1] if len(sys.argv) > 1 else IMPLEMENTATION
    sys.exit(replay(CASE, target, kubelet=KUBELET, seed=SEED))
"""


def script_of(
    case: Case,
    implementation: str,
    *,
    kubelet: str,
    seed: int = 0,
    version: str,
) -> str:
    """
    Return *case* as the text of a script.

    Args:
        case: The case.
        implementation: What it tests, as ``--podsource-impl`` has it.
        kubelet: The kubelet to compare with, as major.minor.
        seed: Permutes what happens at one instant.
        version: Of this package, which the script asks for.
    """
    return _SCRIPT.format(
        version=version,
        comments="\n".join(f"# {line}" for line in _comments(case, load_origins())),
        implementation=implementation,
        kubelet=kubelet,
        seed=seed,
        case=pformat(plain(case), sort_dicts=False, width=88),
    )


def plain(case: Case) -> dict[str, Any]:
    """
    Return *case* as literals.
    """
    value = {
        each.name: getattr(case, each.name)
        for each in fields(case)
        if each.name not in _LEFT_OUT
    }
    return value | {
        "features": sorted(case.features),
        "may_equal": sorted(sorted(pair) for pair in case.may_equal),
    }


def case_of(value: Mapping[str, Any]) -> Case:
    """
    Return the case that :func:`plain` gave.
    """
    return Case(
        **{
            **value,
            "row": value["id"].partition(":")[2],
            "path": Path(sys.argv[0]),
            "hash": "",
            "features": frozenset(value["features"]),
            "may_equal": frozenset(frozenset(pair) for pair in value["may_equal"]),
        }
    )


def replay(
    case: Mapping[str, Any],
    implementation: str,
    *,
    kubelet: str,
    seed: int = 0,
    stream: IO[str] | None = None,
) -> int:
    """
    Run *case* on *implementation* in the simulated world, and tell what came of it.

    Returns:
        0 if it passed, 1 if not, 5 if it couldn't be run.
    """
    from pytest_podsource.driver.load import load_driver  # noqa: PLC0415 - only to run
    from pytest_podsource.world.simulated import SimulatedWorld  # noqa: PLC0415

    sys.path.insert(0, "")
    with closing(load_driver(implementation, kubelet=kubelet)) as driver:
        outcome = run_case(
            case_of(case), driver, SimulatedWorld, kubelet=kubelet, seed=seed
        )
    print(tell(outcome, load_origins()), file=stream)
    if outcome.verdict in SKIPS:
        return 5
    return 0 if outcome.verdict == "passed" else 1


def _comments(case: Case, origins: Origins) -> Iterator[str]:
    yield f"{case.id}: {case.title}."
    for fact in case.facts:
        if fact in origins.facts:
            yield f"{fact}: {origins.facts[fact]['rule']}."
    yield " ".join(case.why.split())
