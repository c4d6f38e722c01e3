"""
``podsource new-adapter``: the beginning of an adapter, in a language of one's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

import pytest_podsource
from pytest_podsource.exceptions import UsageError

TARGETS: Mapping[str, str] = {
    "go": "cmd:go run .",
    "rust": "cmd:cargo run -q",
    "node": "cmd:node adapter.js",
    "python": "implementation.py",
}
"""What ``--podsource-impl`` is given in the folder of each template."""


_EXAMPLES = """\b
Examples:
  podsource new-adapter rust my-adapter
"""


@click.command("new-adapter", epilog=_EXAMPLES)
@click.argument("language", type=click.Choice([*TARGETS]))
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def new_adapter(language: str, folder: Path) -> None:
    """
    Write an adapter that passes the backoff and podconfig cases into FOLDER.

    It is at most 120 lines of code, builds with the ordinary tool of LANGUAGE, and is
    there to be changed: put your own code in the place of what it has.
    """
    if folder.is_dir() and any(folder.iterdir()):
        raise UsageError(
            f"{str(folder)!r} is not empty. Name an empty folder, or one to be made."
        )
    template = Path(pytest_podsource.__file__).parent / "templates" / language
    for file in sorted(each for each in template.rglob("*") if _is_source(each)):
        path = folder / file.relative_to(template)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.read_bytes())
        click.echo(f"wrote {path}")
    if folder != Path():
        click.echo(f"cd {folder}")
    click.echo(f'pytest --podsource-impl="{TARGETS[language]}"')


def _is_source(path: Path) -> bool:
    """Return whether *path* belongs to a template; installers leave bytecode beside it."""
    return path.is_file() and path.parent.name != "__pycache__"
