"""
Where ``time.sleep`` is held, by whatever name.

freezegun goes through all modules at each start, with an index that it keeps. It is
shown one name more; going through all modules again would double the start.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import freezegun.api

# Held where freezegun doesn't look.
REAL_SLEEP = (time.sleep,)  # noqa: TID251 - to be replaced


def let_freezegun_know() -> None:
    """
    Let freezegun's index have ``time.sleep`` too; called before its start.
    """
    index = freezegun.api._real_time_object_ids
    if id(REAL_SLEEP[0]) not in index:
        index.add(id(REAL_SLEEP[0]))
        freezegun.api._GLOBAL_MODULES_CACHE.clear()


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
