"""
Readiness: the names that are asked with.
"""

from __future__ import annotations

from pytest_podsource.core.sources_ready import SourcesReady


def test_all_ready_asks_with_every_name_once() -> None:
    """Names are collected; the answer is the other side's."""
    asked: list[frozenset[str]] = []

    def seen_all(names: frozenset[str]) -> bool:
        asked.append(names)
        return len(names) == 2

    ready = SourcesReady(seen_all)

    answers = [ready.all_ready()]
    for name in ("file", "file", "api"):
        ready.add_source(name)
        answers.append(ready.all_ready())

    assert answers == [False, False, False, True]
    assert asked == [frozenset(), {"file"}, {"file"}, {"file", "api"}]
