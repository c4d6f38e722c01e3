"""
Text to pod: YAML, typed decoding, defaults, identity, validation, references.
"""

from pytest_podsource.core.manifest.decode import (
    InvalidPod,
    decode_manifest,
    decode_manifest_list,
    decode_value,
    decode_value_list,
    fault_of,
    priority_warning,
)
from pytest_podsource.core.manifest.text import compose, is_json, read_document
from pytest_podsource.core.manifest.text import read as read_text

__all__ = [
    "InvalidPod",
    "compose",
    "decode_manifest",
    "decode_manifest_list",
    "decode_value",
    "decode_value_list",
    "fault_of",
    "is_json",
    "priority_warning",
    "read_document",
    "read_text",
]
