"""
One part of a run that goes over several machines.

Rule 1: each machine works out all parts by itself, from the cases and the durations that
it is given, so that together they run every case once. Rule 2: the longest come first,
each to the part that has the least so far.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median
from typing import NamedTuple


class Shard(NamedTuple):
    """
    Part *part* of *parts*; the first is 1.
    """

    part: int
    parts: int


def part_of(shard: Shard, ids: Iterable[str], seconds: Mapping[str, float]) -> set[str]:
    """
    Return which of *ids* belong to *shard*.

    Args:
        shard: The part.
        ids: All cases, the same on each machine.
        seconds: How long they took; one that isn't there counts as the median.
    """
    usual = median(seconds.values()) if seconds else 1.0
    weights = {id_: seconds.get(id_, usual) for id_ in ids}
    loads = [(0.0, number) for number in range(1, shard.parts + 1)]
    part = set()
    for id_ in sorted(weights, key=lambda id_: (-weights[id_], id_)):
        load, number = heapq.heappop(loads)
        heapq.heappush(loads, (load + weights[id_], number))
        if number == shard.part:
            part.add(id_)
    return part


def seconds_of(path: Path) -> dict[str, float]:
    """
    Return how long each case took in the report at *path*, in its longest run.

    Raises:
        UnusableReport: It is no report.
    """
    from pytest_podsource.report.jsonlines import read  # noqa: PLC0415 - only if asked

    found: dict[str, float] = {}
    for results in read(path).runs.values():
        for id_, result in results.items():
            found[id_] = max(found.get(id_, 0.0), result.seconds)
    return found
