"""
The command ``podsource``: one module a command, imported when it is asked for.
"""

from __future__ import annotations

import sys
from importlib import import_module

import click

from pytest_podsource.exceptions import PodSourceError
from pytest_podsource.release import release

#: Each is a module of this package, with a command of the same name in it.
COMMANDS = (
    "backoff",
    "cases",
    "check",
    "completion",
    "decode",
    "diff",
    "doctor",
    "explain",
    "new-adapter",
    "record",
    "report",
    "reproduce",
    "run",
    "vendor",
    "watch",
)


class Commands(click.Group):
    """
    The group of all commands; what a command needs is imported with it alone.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, ``None`` where a package that it needs is lacking."""
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        try:
            module = import_module(f"pytest_podsource.cli.{name}")
        except ModuleNotFoundError as error:
            if str(error.name).startswith("pytest_podsource"):
                raise
            return None  # a zipapp has no pytest, for one
        command: click.Command = getattr(module, name)
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(release(), prog_name="podsource")
def commands() -> None:
    """
    What the kubelet does with static pods.
    """


def main() -> None:
    """
    Run the command line; an error of ours is one line, not a traceback.
    """
    try:
        commands(prog_name="podsource")
    except PodSourceError as error:
        click.echo(f"podsource: {error}", err=True)
        sys.exit(2)
