"""
Differential testing: two implementations live through generated scenarios.

Needs Hypothesis: ``pip install pytest-podsource[differential]``.
"""

from __future__ import annotations

from pytest_podsource.differential.search import Difference, compare
from pytest_podsource.differential.write import case_text

__all__ = ["Difference", "case_text", "compare"]
