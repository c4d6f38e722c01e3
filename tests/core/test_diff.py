"""
The comparison of two keyed caches.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_podsource.core.diff import diff_snapshots

caches = st.dictionaries(st.text(max_size=3), st.integers(0, 2), max_size=6)


def test_diff_snapshots_sorts_each_list() -> None:
    """The order in which the caches were filled doesn't show."""
    old = {"r2": 1, "u2": 1, "u1": 1, "r1": 1, "same": 1}
    new = {"u2": 2, "same": 1, "u1": 2, "a2": 1, "a1": 1}

    changes = diff_snapshots(old, new)

    assert changes == (["a1", "a2"], ["u1", "u2"], ["r1", "r2"])


@given(old=caches, new=caches)
def test_diff_snapshots_tells_all_that_is_needed(
    old: dict[str, int], new: dict[str, int]
) -> None:
    """Replaying the three lists on the old cache gives the new one, and no less does."""
    added, updated, removed = diff_snapshots(old, new)

    replayed = {key: value for key, value in old.items() if key not in removed}
    replayed.update({key: new[key] for key in [*added, *updated]})

    assert replayed == new
    assert not set(added) & set(old)
    assert all(old[key] != new[key] for key in updated)
    assert not set(removed) & set(new)
    assert diff_snapshots(new, new) == ([], [], [])
