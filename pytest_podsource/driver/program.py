"""
What ``cmd:`` names: a program, its arguments, its environment and its folder.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile

from pytest_podsource.exceptions import CannotLoad

_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """
    A program to start.

    Attributes:
        command: Its path or name, and its arguments.
        environment: What is set for it, beside what is inherited.
        folder: The folder that it is started in, empty for the current one.
    """

    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""

    @property
    def name(self) -> str:
        """Return the program without its arguments."""
        return self.command[0]

    @property
    def whole_environment(self) -> dict[str, str]:
        """Return all that is set for it."""
        return {**os.environ, **self.environment}


def program_of(target: str, folder: str = "") -> Program:
    """
    Return the program of ``cmd:target``.

    Args:
        target: Words as a shell would split them; those at the beginning that have the
            form ``NAME=value`` are set in its environment.
        folder: The folder that it is started in, empty for the current one.

    Raises:
        CannotLoad: It names no program.
    """
    try:
        words = shlex.split(target)
    except ValueError as error:
        raise CannotLoad(
            f"cmd:{target}", f"can't be split into words: {error}."
        ) from None
    assigned = [*takewhile(_ASSIGNMENT.match, words)]
    command = words[len(assigned) :]
    if not command:
        raise CannotLoad(
            f"cmd:{target}", "names no program. Write cmd:./path/to/adapter."
        )
    return Program(
        command=tuple(command),
        environment=dict(each.split("=", 1) for each in assigned),
        folder=folder,
    )
