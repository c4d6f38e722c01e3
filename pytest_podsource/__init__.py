"""
A pytest plugin, fixtures and a conformance suite for Kubernetes pod sources.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_podsource.contract import (
    Backoff,
    Clock,
    Config,
    Environment,
    Implementation,
    PodConfig,
    PodUpdate,
    Refused,
    Reply,
    ServerStatus,
    Source,
    SourcesReady,
    SourceUpdate,
    SyncLoop,
    WatchEvent,
)
from pytest_podsource.exceptions import PodSourceError

if TYPE_CHECKING:
    from pytest_podsource.doubles.apiserver.fake import FakeApiserver

__all__ = [
    "Backoff",
    "Clock",
    "Config",
    "Environment",
    "FakeApiserver",
    "Implementation",
    "PodConfig",
    "PodSourceError",
    "PodUpdate",
    "Refused",
    "Reply",
    "ServerStatus",
    "Source",
    "SourceUpdate",
    "SourcesReady",
    "SyncLoop",
    "WatchEvent",
]


def __getattr__(name: str) -> Any:
    """Import the fake apiserver where somebody asks for it, and not before."""
    if name == "FakeApiserver":
        from pytest_podsource.doubles.apiserver.fake import (  # noqa: PLC0415 - slow
            FakeApiserver,
        )

        return FakeApiserver
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
