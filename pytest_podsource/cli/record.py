"""
``podsource record``: keeps what a kubelet answers.
"""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import closing
from pathlib import Path

import click

from pytest_podsource.driver.base import Driver
from pytest_podsource.driver.load import load_driver
from pytest_podsource.known import KUBELETS, NEWEST
from pytest_podsource.record import (
    Record,
    changed,
    load_record,
    share_confirmed,
    take_record,
    text_of,
)
from pytest_podsource.suite.bundled import bundled_root
from pytest_podsource.suite.case import Case, load_cases
from pytest_podsource.suite.story import load_origins, tell
from pytest_podsource.suite.verdict import FAILURES, Outcome
from pytest_podsource.world.simulated import SimulatedWorld

_EXAMPLES = """\b
Examples:
  podsource record cmd:adapters/kubelet/bin/kubelet-1.37
"""


@click.command(epilog=_EXAMPLES)
@click.argument("implementation", metavar="IMPL")
@click.option(
    "--kubelet",
    type=click.Choice(KUBELETS),
    help="Its version, where the implementation doesn't say.",
)
@click.option(
    "--root",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="The folder with cases and recorded; the bundled one by default.",
)
@click.option("--accept", is_flag=True, help="Overwrite answers that are other now.")
def record(
    implementation: str, kubelet: str | None, root: Path | None, *, accept: bool
) -> None:
    """
    Run all cases on IMPL and keep its answers.

    IMPL is a real kubelet behind its adapter, such as
    cmd:adapters/kubelet/bin/kubelet-1.37. An answer that was recorded before, for a
    case that hasn't changed, is overwritten with --accept only.
    """
    folder = root or bundled_root()
    cases = load_cases(folder / "cases")
    with closing(load_driver(implementation, kubelet=kubelet or NEWEST)) as driver:
        minor = kubelet or driver.offer.kubelet or NEWEST
        new, failed = _taken(cases, driver, minor)
    path = folder / "recorded" / f"{minor}.yaml"
    differing = changed(load_record(path), new) if path.exists() else []
    _report(new, cases, failed, differing)
    if differing and not accept:
        click.echo(f"{path} was left as it is. Overwrite it with --accept.", err=True)
        sys.exit(1)
    path.parent.mkdir(exist_ok=True)
    path.write_text(text_of(new), "utf-8")


def _taken(
    cases: list[Case], driver: Driver, kubelet: str
) -> tuple[Record, dict[str, Outcome]]:
    failed: dict[str, Outcome] = {}

    def keep(outcome: Outcome) -> None:
        if outcome.verdict in FAILURES:
            failed[outcome.case.id] = outcome

    return take_record(cases, driver, SimulatedWorld, kubelet, keep), failed


def _report(
    new: Record, cases: list[Case], failed: dict[str, Outcome], differing: list[str]
) -> None:
    origins = load_origins()
    for id_, outcome in failed.items():
        click.echo(tell(outcome, origins))
        if id_ in differing:
            click.secho("  This was answered otherwise before.", bold=True)
    for id_ in differing:
        if id_ not in failed:
            answer = new.answers[id_]
            click.echo(f"{id_}: was answered otherwise before; now {answer.verdict}")
    counts = Counter(each.verdict for each in new.answers.values())
    told = ", ".join(f"{n} {word}" for word, n in sorted(counts.items()))
    click.echo(f"kubelet {new.version}: {told or 'no case'}")
    for component, share in share_confirmed(new, cases).items():
        click.echo(f"  {component}: {share:.0%} of its cases confirmed")
