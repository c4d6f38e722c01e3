"""
``podsource cases``: the bundled cases.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import click

from pytest_podsource.cli.parameters import json_option
from pytest_podsource.exceptions import UsageError
from pytest_podsource.known import COMPONENTS, KUBELETS, NEWEST
from pytest_podsource.suite.bundled import bundled_root
from pytest_podsource.suite.case import Case, load_cases

SCHEMA = "exported-case.schema.json"
_EXAMPLES = """\b
Examples:
  podsource cases
  podsource cases file sources --json
  podsource cases backoff podconfig --kubelet 1.37 --export cases
"""


@click.command(epilog=_EXAMPLES)
@click.argument(
    "component", nargs=-1, type=click.Choice(COMPONENTS), metavar="[COMPONENT]..."
)
@click.option(
    "--kubelet",
    "kubelets",
    multiple=True,
    type=click.Choice(KUBELETS),
    help=f"With --export, a kubelet that they hold for; {NEWEST} if none is said.",
)
@click.option(
    "--export",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write them below this folder as plain JSON, with a schema.",
)
@json_option
def cases(
    component: tuple[str, ...],
    kubelets: tuple[str, ...],
    folder: Path | None,
    *,
    as_json: bool,
) -> None:
    """
    List the cases of each COMPONENT, or of all; or write them as JSON.
    """
    if kubelets and folder is None:
        raise click.UsageError("--kubelet goes with --export. Add --export FOLDER.")
    found = [
        case
        for case in load_cases(bundled_root() / "cases")
        if not component or case.component in component
    ]
    if folder is not None:
        _export(found, kubelets or (NEWEST,), folder)
        return
    if as_json:
        for case in found:
            click.echo(json.dumps(_as_json(case)))
        return
    for name in component or COMPONENTS:
        _list(name, [case for case in found if case.component == name])


def _export(found: Iterable[Case], kubelets: Iterable[str], folder: Path) -> None:
    from pytest_podsource.suite.export import exported  # noqa: PLC0415 - only if asked

    written = 0
    try:
        folder.mkdir(parents=True, exist_ok=True)
        schema = bundled_root() / SCHEMA
        (folder / SCHEMA).write_bytes(schema.read_bytes())
        for kubelet in kubelets:
            for case in found:
                if case.holds_for(kubelet):
                    path = folder / kubelet / f"{case.id.replace(':', '--')}.json"
                    path.parent.mkdir(parents=True, exist_ok=True)
                    text = json.dumps(exported(case, kubelet), indent=1)
                    path.write_text(text + "\n", "utf-8")
                    written += 1
    except OSError as error:
        raise UsageError(
            f"{str(folder)!r} can't be written: {error.strerror}. "
            "Name a folder that can be made."
        ) from None
    click.echo(f"{written} cases and {SCHEMA} in {folder}")


def _list(component: str, found: list[Case]) -> None:
    files = {case.file_id: case for case in found}
    click.secho(f"{component}: {len(files)} cases, {len(found)} rows", bold=True)
    for id_, case in files.items():
        click.echo(f"  {id_}  {case.title}")


def _as_json(case: Case) -> dict[str, object]:
    return {
        "id": case.id,
        "component": case.component,
        "title": case.title,
        "facts": case.facts,
        "versions": case.versions,
        "level": case.level,
    }
