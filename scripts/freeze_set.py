"""
Freezes the cases that a release scores: ``python scripts/freeze_set.py 0.1``.
"""

from __future__ import annotations

import sys

from pytest_podsource.frozen import text_of
from pytest_podsource.suite.bundled import bundled_root
from pytest_podsource.suite.case import load_cases

folder = bundled_root() / "sets"
folder.mkdir(exist_ok=True)
path = folder / f"{sys.argv[1]}.txt"
path.write_text(text_of(load_cases(bundled_root() / "cases")), "utf-8")
print(path)
