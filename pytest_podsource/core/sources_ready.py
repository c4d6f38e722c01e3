"""
Which sources the sync loop has heard of, and whether those are all.

Rule 1: noting a source twice is noting it once. Rule 2: whether all are ready is not
decided here; whoever knows the configured sources is asked with the names so far.
"""

from __future__ import annotations

from collections.abc import Callable


class SourcesReady:
    """
    Collects the names of sources that the sync loop has handled a message of.

    Args:
        seen_all_sources: Asked with the names noted so far.

    Kubelet: ``SourcesReady`` in ``pkg/kubelet/config``, since 1.20.
    """

    def __init__(self, seen_all_sources: Callable[[frozenset[str]], bool]) -> None:
        self._seen_all_sources = seen_all_sources
        self._seen: frozenset[str] = frozenset()

    def add_source(self, source: str) -> None:
        """
        Note *source* as seen.

        Kubelet: ``AddSource``.
        """
        self._seen |= {source}

    def all_ready(self) -> bool:
        """
        Return what the question answers for the names noted so far.

        Kubelet: ``AllReady``.
        """
        return self._seen_all_sources(self._seen)
