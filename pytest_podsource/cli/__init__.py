"""
The command ``podsource``: one module a command.
"""

from __future__ import annotations

import sys

import click

from pytest_podsource.cli.backoff import backoff
from pytest_podsource.cli.cases import cases
from pytest_podsource.cli.decode import decode
from pytest_podsource.cli.doctor import doctor
from pytest_podsource.cli.new_adapter import new_adapter
from pytest_podsource.cli.record import record
from pytest_podsource.cli.report import report
from pytest_podsource.cli.reproduce import reproduce
from pytest_podsource.cli.run import run
from pytest_podsource.cli.watch import watch
from pytest_podsource.exceptions import PodSourceError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pytest-podsource", prog_name="podsource")
def commands() -> None:
    """
    What the kubelet does with static pods.
    """


for _command in (
    backoff,
    cases,
    decode,
    doctor,
    new_adapter,
    record,
    report,
    reproduce,
    run,
    watch,
):
    commands.add_command(_command)


def main() -> None:
    """
    Run the command line; an error of ours is one line, not a traceback.
    """
    try:
        commands(prog_name="podsource")
    except PodSourceError as error:
        click.echo(f"podsource: {error}", err=True)
        sys.exit(2)
