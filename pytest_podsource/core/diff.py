"""
What changed between two keyed caches.

Rule 1: keys are compared as they are, so ``a/x`` and ``b/x`` are two things. Rule 2: a
value that is equal is no change. Rule 3: each of the three lists is sorted by key, so
that the answer doesn't depend on the order in which a cache was filled.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def diff_snapshots(
    old: Mapping[str, Any], new: Mapping[str, Any]
) -> tuple[list[str], list[str], list[str]]:
    """
    Return the keys added, updated and removed from *old* to *new*, each sorted.
    """
    added = sorted(new.keys() - old.keys())
    updated = sorted(key for key in new.keys() & old.keys() if new[key] != old[key])
    removed = sorted(old.keys() - new.keys())
    return added, updated, removed
