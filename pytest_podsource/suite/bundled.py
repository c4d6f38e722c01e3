"""
Where the cases, their schema, the records and the frozen sets lie.
"""

from __future__ import annotations

from pathlib import Path

from pytest_podsource.exceptions import UsageError


def bundled_root() -> Path:
    """
    Return the folder ``conformance`` that came with this package.

    Raises:
        UsageError: The installation has none.
    """
    package = Path(__file__).resolve().parent.parent
    for root in (package / "conformance", package.parent / "conformance"):
        if (root / "cases").is_dir():
            return root
    raise UsageError(f"{package}: there are no cases. Install pytest-podsource again.")
