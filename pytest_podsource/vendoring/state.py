"""
A copy against its manifest, and against what would be copied today.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pytest_podsource.vendoring.manifest import Manifest


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """
    What is wrong with a copy; paths in it, sorted.

    Attributes:
        edited: They aren't what was copied.
        missing: They were copied and aren't there.
        foreign: They are there and weren't copied.
        stale: They are what was copied, and today's are others.
        new: Today they would be copied as well.
    """

    edited: tuple[str, ...]
    missing: tuple[str, ...]
    foreign: tuple[str, ...]
    stale: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def is_whole(self) -> bool:
        """Return whether the copy is what was copied, and that is today's."""
        return not any((self.edited, self.missing, self.foreign, self.stale, self.new))


def state_of(
    manifest: Manifest, found: Mapping[str, str], today: Mapping[str, str]
) -> State:
    """
    Return what is wrong with a copy.

    Args:
        manifest: What was copied.
        found: The hashes of the files that are there.
        today: The hashes of those that would be copied by the package at hand.
    """
    copied = manifest.files
    return State(
        edited=tuple(sorted(p for p in found if copied.get(p, found[p]) != found[p])),
        missing=tuple(sorted(copied.keys() - found.keys())),
        foreign=tuple(sorted(found.keys() - copied.keys())),
        stale=tuple(sorted(p for p in copied if today.get(p) != copied[p])),
        new=tuple(sorted(today.keys() - copied.keys())),
    )
