"""
``podsource doctor``: what is wrong with an adapter.
"""

from __future__ import annotations

import shlex
import sys

import click

from pytest_podsource.cli.parameters import kubelet_option
from pytest_podsource.doctor.examine import examine
from pytest_podsource.driver.program import Program, program_of
from pytest_podsource.exceptions import CannotLoad

_LIMIT_S = 5.0
_START_LIMIT_S = 60.0
_EXAMPLES = """\b
Examples:
  podsource doctor "cmd:./my-adapter --some-option"
  podsource doctor path/to/implementation.py
"""


@click.command(epilog=_EXAMPLES)
@click.argument("implementation", metavar="IMPL")
@click.option(
    "--limit",
    "limit_s",
    type=click.FloatRange(min=0.1),
    default=_LIMIT_S,
    show_default=True,
    help="Seconds for each answer.",
)
@click.option(
    "--start-limit",
    "start_limit_s",
    type=click.FloatRange(min=0.1),
    default=_START_LIMIT_S,
    show_default=True,
    help="Seconds for the first answer; it may be built first.",
)
@click.option(
    "--cwd",
    type=click.Path(exists=True, file_okay=False),
    help="The folder in which a program is started.",
)
@kubelet_option
def doctor(
    implementation: str,
    limit_s: float,
    start_limit_s: float,
    cwd: str | None,
    kubelet: str,
) -> None:
    """
    Look for the usual mistakes of the adapter IMPL: as for --podsource-impl.

    It tells a wrong adapter from a wrong implementation: what it doesn't find is the
    suite's business. The first mistake ends it, with exit code 1.
    """
    program = _program(implementation, cwd or "")
    wrong = False
    try:
        for found in examine(
            program, limit_s=limit_s, start_limit_s=start_limit_s, kubelet=kubelet
        ):
            wrong = bool(found.mistake)
            mark = f"WRONG ({found.mistake})" if wrong else "ok"
            click.echo(f"{found.about:<10} {mark}: {found.text}")
    except OSError as error:
        raise CannotLoad(
            implementation,
            f"can't be started: {error.strerror}. "
            "Give a program's path, or a name that is found in PATH.",
        ) from None
    if wrong:
        sys.exit(1)
    click.echo("The adapter speaks the protocol. What it answers is for the suite:")
    click.echo(f"  pytest --podsource-impl={shlex.quote(implementation)}")


def _program(implementation: str, cwd: str) -> Program:
    if implementation.startswith("cmd:"):
        return program_of(implementation.removeprefix("cmd:"), cwd)
    served = (sys.executable, "-m", "pytest_podsource.adapter", implementation)
    return Program(command=served, folder=cwd)
