"""
Small implementations, each wrong in one way that people really got wrong.
"""

from __future__ import annotations

from tests import (
    miniatures_of_apiservers,
    miniatures_of_files,
    miniatures_of_loops,
    miniatures_of_manifests,
    miniatures_of_merges,
    miniatures_of_urls,
)

MINIATURES = (
    *miniatures_of_files.MINIATURES,
    *miniatures_of_urls.MINIATURES,
    *miniatures_of_apiservers.MINIATURES,
    *miniatures_of_manifests.MINIATURES,
    *miniatures_of_merges.MINIATURES,
    *miniatures_of_loops.MINIATURES,
)
