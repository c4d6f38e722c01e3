"""
Text to pod: YAML, typed decoding, defaults, identity, validation, references.
"""

from pytest_podsource.core.manifest.decode import (
    decode_manifest,
    decode_manifest_list,
    priority_warning,
)

__all__ = ["decode_manifest", "decode_manifest_list", "priority_warning"]
