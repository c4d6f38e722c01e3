"""
Text to pod: YAML, typed decoding, defaults, identity, validation, references.
"""

from pytest_podsource.core.manifest.decode import (
    decode_manifest,
    decode_manifest_list,
    fault_of,
    priority_warning,
)
from pytest_podsource.core.manifest.text import read as read_text

__all__ = [
    "decode_manifest",
    "decode_manifest_list",
    "fault_of",
    "priority_warning",
    "read_text",
]
