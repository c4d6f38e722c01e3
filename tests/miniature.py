"""
What a miniature is: a small implementation with one mistake that people really made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Miniature:
    """
    One mistake, and the case that sees it.

    Attributes:
        made: The factory or function; its docstring names the report and the mistake.
        offers: Its name in the contract, such as ``new_file_source``.
        case: Id of a case that fails on it.
        fact: What the story of that failure must name.
    """

    made: Callable[..., Any]
    offers: str
    case: str
    fact: str

    @property
    def implementation(self) -> SimpleNamespace:
        """What the suite is given."""
        return SimpleNamespace(**{self.offers: self.made})

    @property
    def sound(self) -> SimpleNamespace | None:
        """What it is derived from: as small, and without the mistake."""
        bases = getattr(self.made, "__bases__", (object,))
        return (
            None if bases == (object,) else SimpleNamespace(**{self.offers: bases[0]})
        )
