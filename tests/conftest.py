"""
Tests import each other as ``tests.name``.

The checkout comes last on the path, so that the package itself is the installed one.
What is first imported in a test with ``pytester`` is thrown away at its end; yaml, whose
C part keeps the old classes, doesn't survive that, so it is imported before.
"""

from __future__ import annotations

import sys
from pathlib import Path

import yaml  # noqa: F401 - see above

sys.path.append(str(Path(__file__).resolve().parents[1]))
