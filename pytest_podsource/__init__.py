"""
A pytest plugin, fixtures and a conformance suite for Kubernetes pod sources.
"""

from __future__ import annotations

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

__all__ = [
    "Backoff",
    "Clock",
    "Config",
    "Environment",
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
