"""
Names of modules and classes that are replaced for a while.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class Patches:
    """
    Replaces attributes, and puts them back in the opposite order.
    """

    def __init__(self) -> None:
        self._before: list[tuple[Any, str, Any]] = []

    def set(self, owner: Any, name: str, value: Any) -> None:
        """Replace the attribute *name* of *owner*."""
        self._before.append((owner, name, getattr(owner, name)))
        setattr(owner, name, value)

    def set_everywhere(self, old: Any, new: Any) -> None:
        """Replace *old* in each module that holds it, by whatever name."""
        for module in list(sys.modules.values()):
            if isinstance(module, ModuleType):
                for name, value in list(vars(module).items()):
                    if value is old:
                        self.set(module, name, new)

    def undo(self) -> None:
        """Put everything back."""
        while self._before:
            owner, name, value = self._before.pop()
            setattr(owner, name, value)
