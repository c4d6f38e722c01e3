"""
``podsource cases``: the bundled cases.
"""

from __future__ import annotations

import json

import click

from pytest_podsource.cli.parameters import json_option
from pytest_podsource.driver.base import COMPONENTS
from pytest_podsource.suite.case import Case, bundled_root, load_cases

_EXAMPLES = """\b
Examples:
  podsource cases
  podsource cases file sources --json
"""


@click.command(epilog=_EXAMPLES)
@click.argument(
    "component", nargs=-1, type=click.Choice(COMPONENTS), metavar="[COMPONENT]..."
)
@json_option
def cases(component: tuple[str, ...], *, as_json: bool) -> None:
    """
    List the cases of each COMPONENT, or of all.
    """
    found = [
        case
        for case in load_cases(bundled_root() / "cases")
        if not component or case.component in component
    ]
    if as_json:
        for case in found:
            click.echo(json.dumps(_as_json(case)))
        return
    for name in component or COMPONENTS:
        _list(name, [case for case in found if case.component == name])


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
