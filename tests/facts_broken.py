"""
Fact by fact a line of the reference that breaks just that fact.
"""

from __future__ import annotations

import facts_of_files
import facts_of_manifests
import facts_of_urls
from broken_reference import Patch

FACTS: dict[str, Patch] = {
    **facts_of_files.FACTS,
    **facts_of_manifests.FACTS,
    **facts_of_urls.FACTS,
}
