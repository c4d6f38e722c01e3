"""
Generated tables; ``scripts/`` has what makes them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def table(name: str) -> Mapping[str, Any]:
    """
    Return the table *name*, such as ``pod_fields``; read once.
    """
    text = files(__name__).joinpath(f"{name}.json").read_text(encoding="utf-8")
    found: Mapping[str, Any] = json.loads(text)
    return found
