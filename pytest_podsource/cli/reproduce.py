"""
``podsource reproduce``: a case as a script of its own.
"""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

import click

from pytest_podsource.cli.parameters import kubelet_option
from pytest_podsource.exceptions import UsageError
from pytest_podsource.release import release
from pytest_podsource.suite.bundled import bundled_root
from pytest_podsource.suite.case import Case, load_cases
from pytest_podsource.suite.replay import script_of


@click.command()
@click.argument("id_", metavar="ID")
@click.option(
    "--impl",
    default="pytest_podsource.reference",
    show_default=True,
    metavar="TARGET",
    help="What the script tests, as --podsource-impl has it.",
)
@kubelet_option
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option(
    "--cases",
    "folder",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Cases of your own, whose ids begin with own/.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where to write; standard output by default.",
)
def reproduce(
    id_: str,
    *,
    impl: str,
    kubelet: str,
    seed: int,
    folder: Path | None,
    output: Path | None,
) -> None:
    """
    Write the case ID as a Python script that stands alone.

    The script needs pytest-podsource, and neither pytest nor the case's file.
    """
    text = script_of(
        _found(id_, folder),
        impl,
        kubelet=kubelet,
        seed=seed,
        version=release(),
    )
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_text(text, "utf-8")
    except OSError as error:
        raise UsageError(
            f"{output}: it can't be written: {error.strerror}. Name another by -o."
        ) from None


def _found(id_: str, folder: Path | None) -> Case:
    cases = load_cases(bundled_root() / "cases")
    if folder is not None:
        cases += load_cases(folder.absolute(), own=True)
    known = {case.id: case for case in cases}
    if id_ in known:
        return known[id_]
    rows = [case.id for case in cases if case.file_id == id_]
    near = rows or get_close_matches(id_, known, n=3)
    said = f"Right would be: {', '.join(near)}." if near else "See podsource cases."
    raise UsageError(f"{id_}: there is no such case. {said}")
