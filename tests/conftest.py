"""
Tests import each other as ``tests.name``.

The checkout comes last on the path, so that the package itself is the installed one.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))
