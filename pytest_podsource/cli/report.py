"""
``podsource report``: what reports of runs say, together and one against another.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import click

from pytest_podsource.exceptions import UnusableReport
from pytest_podsource.known import COMPONENTS
from pytest_podsource.report.badge import badge
from pytest_podsource.report.differences import KINDS, Difference, differences
from pytest_podsource.report.jsonlines import read
from pytest_podsource.report.merging import merge
from pytest_podsource.report.model import Report
from pytest_podsource.report.scores import tally_of
from pytest_podsource.report.terminal import summary as lines_of
from pytest_podsource.report.told import told_causes
from pytest_podsource.report.visible import one_line
from pytest_podsource.report.written import written
from pytest_podsource.suite.verdict import ERRORS, FAILURES

_PATH = click.Path(path_type=Path, dir_okay=False, exists=True)
_files = click.argument("files", nargs=-1, required=True, type=_PATH, metavar="FILE...")
_output = click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where to write; standard output by default.",
)


@click.group()
def report() -> None:
    """
    Read reports that --podsource-report=FILE.jsonl wrote.
    """


@report.command()
@_files
@_output
def html(files: tuple[Path, ...], output: Path | None) -> None:
    """
    Make one page of all runs in FILE...: a matrix, timelines, durations.

    Needs the extra pytest-podsource[report].
    """
    _put(written(_merged(files), ".html"), output)


@report.command("merge")
@_files
@_output
def merge_(files: tuple[Path, ...], output: Path | None) -> None:
    """
    Make one report of several: of shards, workers, environments, implementations.

    Results of one run add up; of two verdicts on a case the worse counts. Reports over
    different case sets are refused.
    """
    _put(written(_merged(files), ".jsonl"), output)


@report.command()
@click.argument("old", type=_PATH)
@click.argument("new", type=_PATH)
def diff(old: Path, new: Path) -> None:
    """
    Say what changed from OLD to NEW; exit code 1 if something fails that didn't.
    """
    found = differences(read(old), read(new))
    for each in found:
        click.secho(_line(each), fg="red" if each.bad else None)
    counts = Counter(each.kind for each in found)
    told = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind])
    click.echo(told or "nothing changed")
    sys.exit(1 if any(each.bad for each in found) else 0)


@report.command("badge")
@_files
@_output
@click.option("--component", type=click.Choice(COMPONENTS), default=None)
@click.option("--label", default="pod sources", show_default=True)
def badge_(
    files: tuple[Path, ...], output: Path | None, component: str | None, label: str
) -> None:
    """
    Draw a badge as SVG: how many components pass, or how one component did.
    """
    _put(badge(_merged(files), component=component or "", label=label), output)


@report.command()
@_files
@_output
@click.option("--markdown", is_flag=True, help="For a pull request or a job summary.")
def summary(files: tuple[Path, ...], output: Path | None, *, markdown: bool) -> None:
    """
    Say how each component did.

    Exit code 1 if something failed, 5 if nothing was run, as pytest has them.
    """
    merged = _merged(files)
    text = written(merged, ".md") if markdown else "".join(_summary(merged))
    _put(text, output)
    sys.exit(_exit_code(merged))


def _summary(merged: Report) -> list[str]:
    lines = []
    for run, results in merged.runs.items():
        where = ", ".join(value for _, value in run.environment)
        lines.append(
            one_line(
                f"{run.name}, against kubelet {run.kubelet}, {run.world} ({where})"
            )
        )
        lines += [f"  {line}" for line in lines_of(tally_of(results.values()))]
    lines += [f"  {one_line(line, 500)}" for line in told_causes(merged)]
    return [f"{line}\n" for line in lines]


def _exit_code(merged: Report) -> int:
    results = [each for run in merged.runs.values() for each in run.values()]
    if any(each.verdict in FAILURES | ERRORS for each in results):
        return 1
    return 0 if any(tally_of(r.values()).executed for r in merged.runs.values()) else 5


def _line(each: Difference) -> str:
    verdicts = " -> ".join(verdict for verdict in (each.old, each.new) if verdict)
    reason = f": {one_line(each.reason)}" if each.bad and each.reason else ""
    return (
        f"{each.kind:<7} {one_line(each.run)}  {one_line(each.id)}  {verdicts}{reason}"
    )


def _merged(files: tuple[Path, ...]) -> Report:
    return merge({path: read(path) for path in files})


def _put(text: str, output: Path | None) -> None:
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text, "utf-8")
    except OSError as error:
        raise UnusableReport(
            output, f"it can't be written: {error.strerror}. Name another by -o."
        ) from None
