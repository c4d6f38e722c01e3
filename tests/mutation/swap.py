"""
Puts a mutated function into the reference that is loaded already.

Rule 1: only the code of the one function is new; what else refers to it sees it. Rule 2:
this is for a process that ends afterwards: nothing is put back.
"""

from __future__ import annotations

import functools
import gc
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType

from pytest_podsource.driver.base import Driver
from pytest_podsource.driver.load import driver_of
from tests.mutation.mutants import CORE, Mutant

KUBELETS = ("1.37", "1.34", "1.20", "1.1")


class Loaded:
    """
    A loaded reference, its functions by where they stand, and a driver per kubelet.

    Args:
        reference: The module.
    """

    def __init__(self, reference: ModuleType) -> None:
        self.drivers: dict[str, Driver] = drivers_of(reference)
        gc.collect()
        everything = gc.get_objects()
        self._functions = {
            _place(each.__code__): each
            for each in everything
            if isinstance(each, FunctionType)
            and each.__code__.co_filename.startswith(str(CORE))
        }
        self._caches = [
            each
            for each in everything
            if isinstance(each, functools._lru_cache_wrapper)
            and str(each.__module__).startswith("pytest_podsource.core")
        ]

    def put_in(self, mutant: Mutant, source: str) -> bool:
        """Return whether the mutated function could be put in the place of the old."""
        code = compile(source, str(mutant.path), "exec")
        if mutant.function is None:
            return False
        place = (str(mutant.path), *mutant.function)
        found = [each for each in _codes(code) if _place(each) == place]
        function = self._functions.get(place)
        if len(found) != 1 or function is None:
            return False
        if found[0].co_freevars != function.__code__.co_freevars:
            return False
        function.__code__ = found[0]
        for cache in self._caches:
            cache.cache_clear()
        return True


def drivers_of(reference: ModuleType) -> dict[str, Driver]:
    """
    Return a driver of *reference* for each kubelet.
    """
    return {each: driver_of(reference, "mutant", kubelet=each) for each in KUBELETS}


def _place(code: CodeType) -> tuple[str, str, int]:
    return code.co_filename, code.co_name, code.co_firstlineno


def _codes(code: CodeType) -> Iterator[CodeType]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each
            yield from _codes(each)
