"""
What the package exports is what its list says, and imports nothing more.
"""

from __future__ import annotations

import subprocess
import sys

import pytest_podsource


def test_every_name_of_all_is_there() -> None:
    """The list is sorted, and each name can be used."""
    names = pytest_podsource.__all__

    assert sorted(names, key=str.lower) == sorted(set(names), key=str.lower)
    assert all(hasattr(pytest_podsource, name) for name in names)
    assert not hasattr(pytest_podsource, "Nothing")


def test_import_brings_the_contract_and_the_errors_alone() -> None:
    """Whoever implements the contract needs nothing that tests it."""
    ask = "import sys, pytest_podsource; print(*sys.modules)"

    done = subprocess.run(
        [sys.executable, "-c", ask], capture_output=True, text=True, check=True
    )

    ours = {n for n in done.stdout.split() if n.startswith("pytest_podsource")}
    assert ours == {
        "pytest_podsource",
        "pytest_podsource.contract",
        "pytest_podsource.exceptions",
    }
    assert "pytest" not in done.stdout.split()
