"""
Names of modules and classes that are replaced for a while.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

_INHERITED = object()


class Patches:
    """
    Replaces attributes, and puts them back in the opposite order.
    """

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def set(self, owner: Any, name: str, value: Any) -> None:
        """Replace the attribute *name* of *owner*, inherited or its own."""
        own = vars(owner).get(name, _INHERITED)
        setattr(owner, name, value)
        self.then(lambda: _put_back(owner, name, own))

    def set_everywhere(self, old: Any, new: Any, modules: Iterable[Any]) -> None:
        """Replace *old* in each of *modules* that holds it, by whatever name."""
        for module in modules:
            if isinstance(module, ModuleType):
                for name, value in list(vars(module).items()):
                    if value is old:
                        self.set(module, name, new)

    def then(self, undo: Callable[[], None]) -> None:
        """Call *undo* when everything is put back."""
        self._undo.append(undo)

    def undo(self) -> None:
        """Put everything back."""
        while self._undo:
            self._undo.pop()()


def _put_back(owner: Any, name: str, value: Any) -> None:
    if value is _INHERITED:
        delattr(owner, name)
    else:
        setattr(owner, name, value)
