"""
What is shown while a command takes long: on a terminal only, and gone afterwards.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """
    Show on standard error, if that is a terminal, that *what* is under way.
    """
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console  # noqa: PLC0415 - slow

    with Console(stderr=True).status(what):
        yield
