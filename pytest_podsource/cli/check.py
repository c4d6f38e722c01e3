"""
``podsource check``: whether the kubelet takes manifests, and what is odd about them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence

import click

from pytest_podsource.cli import printing
from pytest_podsource.cli.parameters import (
    json_option,
    node_name_option,
    version_option,
)
from pytest_podsource.cli.places import Place, read_place
from pytest_podsource.cli.waiting import waiting
from pytest_podsource.contract import Config
from pytest_podsource.findings import (
    Verdict,
    check_directory,
    check_upgrade,
)
from pytest_podsource.findings.directory import Entry
from pytest_podsource.findings.finding import LEVELS, worst
from pytest_podsource.findings.upgrade import behaviour_changes
from pytest_podsource.known import NEWEST

_EXAMPLES = """\b
Examples:
  podsource check /etc/kubernetes/manifests
  podsource check web.yaml --kubelet 1.34 --node-name cp-1
  podsource check manifests --from 1.33 --to 1.37
  podsource check manifests --format github
  podsource check https://config.example/pods.yaml
"""


@click.command(epilog=_EXAMPLES)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@version_option("--kubelet", help_=f"The kubelet to ask.  [{NEWEST}]")
@version_option("--from", "from_", help_="The kubelet that runs now.")
@version_option("--to", help_="The kubelet that will run.")
@node_name_option
@click.option(
    "--format",
    "format_",
    type=click.Choice(printing.FORMATS),
    default="text",
    show_default=True,
    help="How findings are shown; 'lines' is for editors, 'github' for annotations.",
)
@json_option
def check(
    paths: tuple[str, ...],
    *,
    kubelet: str | None,
    from_: str | None,
    to: str | None,
    node_name: str,
    format_: str,
    as_json: bool,
) -> None:
    """
    Say what the kubelet would do with the manifests at each PATH.

    PATH is a manifest directory, a file or a URL. Exit code: 0 if all is well, 1 if
    there are findings, 2 if a manifest is refused.

    With --from and --to: what an upgrade refuses, restarts or changes.
    """
    format_ = "json" if as_json else format_
    if bool(from_) != bool(to) or (kubelet and from_):
        raise click.UsageError("Give --kubelet, or --from and --to.")
    new = Config(kubelet=to or kubelet or NEWEST, node_name=node_name)
    old = Config(kubelet=from_, node_name=node_name) if from_ else None
    verdicts: list[Verdict] = []
    emit = printing.printer(format_)
    try:
        with waiting("Reading manifests"):
            for verdict in _verdicts(paths, old, new):
                verdicts.append(verdict)  # noqa: PERF402 - those before a bad PATH count
    finally:
        for verdict in verdicts:
            emit(verdict)
    if format_ == "text":
        _close(verdicts, old, new)
    level = worst(each for verdict in verdicts for each in verdict.findings)
    sys.exit(LEVELS.index(level))


def _verdicts(
    paths: Sequence[str], old: Config | None, new: Config
) -> Iterator[Verdict]:
    for place in _by_directory(read_place(path, new) for path in paths):
        if place.findings:
            yield Verdict(
                path=place.path,
                findings=place.findings,
                is_read=False,
                is_directory=True,
            )
        if old is None:
            yield from check_directory(place.entries, new)
        else:
            yield from check_upgrade(place.entries, old, new)


def _by_directory(places: Iterable[Place]) -> Iterator[Place]:
    """
    Yield each directory, and files that were named singly with their neighbours.
    """
    singles: dict[str, list[Entry]] = {}
    for place in places:
        if [each.path for each in place.entries] == [place.path]:
            directory = os.path.dirname(place.path)
            singles.setdefault(directory, []).extend(place.entries)
        else:
            yield place
    for directory, entries in singles.items():
        yield Place(path=directory, entries=tuple(entries))


def _close(verdicts: Sequence[Verdict], old: Config | None, new: Config) -> None:
    if old is not None:
        click.echo(
            f"\nWhatever the manifests hold, from {old.kubelet} to {new.kubelet}:"
        )
        for text in behaviour_changes(old.kubelet, new.kubelet):
            click.echo(printing.wrapped(f"- {text}"))
    click.echo(f"\n{printing.summary(verdicts)} (kubelet {new.kubelet})")
    if any(each.taken for each in verdicts):
        click.echo(printing.about_uids(verdicts, new))
