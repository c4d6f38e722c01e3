"""
Where ``time.sleep`` is held, by whatever name.

freezegun goes through all modules at each start, with an index that it keeps. It is
shown one name more; going through all modules again would double the start.
"""

from __future__ import annotations

import contextlib
import sys
import time
import warnings
from typing import Any

import freezegun.api

# Held where freezegun doesn't look.
REAL_SLEEP = (time.sleep,)  # noqa: TID251 - to be replaced


def let_freezegun_know() -> None:
    """
    Let freezegun's index have ``time.sleep`` too, and all modules; before its start.

    Looking at a module may import others. Within freezegun's start that would happen
    while time is half frozen, and what they make of it stays.
    """
    index = freezegun.api._GLOBAL_MODULES_CACHE
    if id(REAL_SLEEP[0]) not in freezegun.api._real_time_object_ids:
        freezegun.api._real_time_object_ids.add(id(REAL_SLEEP[0]))
        index.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for module in list(sys.modules.values()):
            if getattr(module, "__name__", None) not in index:
                with contextlib.suppress(Exception):
                    freezegun.api._get_cached_module_attributes(module)


def holders() -> list[Any]:
    """
    Return the modules that hold it, as freezegun's index says.
    """
    cache = freezegun.api._GLOBAL_MODULES_CACHE
    held = [
        sys.modules.get(module)
        for module, (_, attributes) in cache.items()
        if any(value is REAL_SLEEP[0] for _, value in attributes)
    ]
    return [time, *held]
