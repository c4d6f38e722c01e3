"""
Which release this is, installed or vendored.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from pytest_podsource.vendoring.manifest import MANIFEST, Manifest

_COPY = Path(__file__).resolve().parent.parent


def release() -> str:
    """
    Return the version of this package, as its metadata or its copy's manifest says.
    """
    manifest = _COPY / MANIFEST
    if manifest.is_file():  # before the metadata, which may be of another one
        return Manifest.read(manifest.read_text("utf-8")).release
    try:
        return version("pytest-podsource")
    except PackageNotFoundError:
        return "unknown"
