"""
What the package exports is what its list says, and imports nothing more.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

import pytest_podsource


def test_every_name_of_all_is_there() -> None:
    """The list is sorted, and each name can be used."""
    names = pytest_podsource.__all__

    assert sorted(names, key=str.lower) == sorted(set(names), key=str.lower)
    assert all(hasattr(pytest_podsource, name) for name in names)
    assert not hasattr(pytest_podsource, "Nothing")


@pytest.mark.parametrize(
    ("statement", "brought"),
    [
        ("import pytest_podsource", set()),
        ("from pytest_podsource import Config", {".contract"}),
        ("from pytest_podsource import PodSourceError", {".exceptions"}),
    ],
)
def test_import_brings_what_was_asked_for_alone(
    statement: str, brought: set[str]
) -> None:
    """Whoever implements the contract needs nothing that tests it."""
    ask = f"import sys; {statement}; print(*sys.modules)"

    done = subprocess.run(
        [sys.executable, "-c", ask], capture_output=True, text=True, check=True
    )

    ours = {n for n in done.stdout.split() if n.startswith("pytest_podsource")}
    assert ours == {f"pytest_podsource{each}" for each in {"", *brought}}
    assert "pytest" not in done.stdout.split()
