"""
The reference with one line changed, beside the whole one.

A patch is loaded as a fresh copy of ``pytest_podsource.reference`` and all that it is
made of; the modules that everyone else uses stay as they are.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.abc
import importlib.util
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from importlib.machinery import ModuleSpec
    from types import ModuleType

REFERENCE = "pytest_podsource.reference"
COPIED = (REFERENCE, "pytest_podsource.core", "pytest_podsource.shells")


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """
    One line of the reference and what it becomes.

    Attributes:
        module: Below ``pytest_podsource``, such as ``core.backoff``.
        old: A text that stands in it exactly once.
        new: What stands there instead.
        kubelet: The kubelet that shows it.
    """

    module: str
    old: str
    new: str
    kubelet: str = "1.37"

    def __call__(self, text: str) -> str:
        """
        Return the source *text* of the module, changed.

        Raises:
            ValueError: The text to replace doesn't stand there exactly once.
        """
        count = text.count(self.old)
        if count != 1:
            raise ValueError(
                f"{self.module}: {self.old!r} stands there {count} times. "
                "A patch needs a text that stands there once. Mend the patch."
            )
        return text.replace(self.old, self.new)


class _ChangingFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """
    Finds the one changed module; everything else is left to the others.
    """

    def __init__(self, module: str, change: Callable[[str], str]) -> None:
        self._name = f"pytest_podsource.{module}"
        self._change = change

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        origin = _origin(fullname, path)
        return importlib.util.spec_from_file_location(
            fullname,
            origin,
            loader=self,
            submodule_search_locations=[origin.rsplit("/", 1)[0]]
            if origin.endswith("__init__.py")
            else None,
        )

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        origin = module.__spec__.origin
        assert origin is not None
        with open(origin, encoding="utf-8") as file:
            text = file.read()
        text = self._change(text)
        exec(compile(text, origin, "exec"), module.__dict__)


def _origin(fullname: str, path: Sequence[str] | None) -> str:
    spec = importlib.machinery.PathFinder.find_spec(fullname, path)
    assert spec is not None
    assert spec.origin is not None
    return spec.origin


def broken_reference(patch: Patch) -> AbstractContextManager[ModuleType]:
    """
    Give the reference with *patch* in it.

    Raises:
        ValueError: The text to replace doesn't stand there exactly once.
    """
    return changed_reference(patch.module, patch)


@contextlib.contextmanager
def changed_reference(
    module: str, change: Callable[[str], str]
) -> Iterator[ModuleType]:
    """
    Give the reference with the source of one *module* changed.
    """
    finder = _ChangingFinder(module, change)
    kept = _take_out()
    sys.meta_path.insert(0, finder)
    try:
        yield importlib.import_module(REFERENCE)
    finally:
        sys.meta_path.remove(finder)
        _take_out()
        _put_back(kept)


def _take_out() -> dict[str, ModuleType]:
    names = [
        name
        for name in sys.modules
        if name.startswith(tuple(f"{each}." for each in COPIED)) or name in COPIED
    ]
    return {name: sys.modules.pop(name) for name in names}


def _put_back(kept: dict[str, ModuleType]) -> None:
    sys.modules.update(kept)
    for name, module in kept.items():
        parent, _, child = name.rpartition(".")
        setattr(sys.modules[parent], child, module)
