"""
Fact by fact a line of the reference that breaks just that fact.
"""

from __future__ import annotations

from tests import (
    facts_of_apiservers,
    facts_of_backoffs,
    facts_of_files,
    facts_of_flags,
    facts_of_loops,
    facts_of_manifests,
    facts_of_merges,
    facts_of_urls,
)
from tests.broken_reference import Patch

FACTS: dict[str, Patch] = {
    **facts_of_files.FACTS,
    **facts_of_urls.FACTS,
    **facts_of_apiservers.FACTS,
    **facts_of_manifests.FACTS,
    **facts_of_merges.FACTS,
    **facts_of_backoffs.FACTS,
    **facts_of_loops.FACTS,
    **facts_of_flags.FACTS,
}
