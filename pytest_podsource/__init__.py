"""
A pytest plugin, fixtures and a conformance suite for Kubernetes pod sources.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pytest_podsource.contract import (
    SECOND_NS,
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
from pytest_podsource.exceptions import PodSourceError, UncontrolledWait

if TYPE_CHECKING:
    from pytest_podsource.doubles.apiserver.fake import FakeApiserver
    from pytest_podsource.doubles.backoffs import BackoffCheck
    from pytest_podsource.doubles.clock import VirtualClock
    from pytest_podsource.doubles.manifests import ManifestDirectory
    from pytest_podsource.doubles.pods import Pods
    from pytest_podsource.doubles.updates import Updates
    from pytest_podsource.doubles.url import ManifestUrl

__all__ = [
    "SECOND_NS",
    "Backoff",
    "BackoffCheck",
    "Clock",
    "Config",
    "Environment",
    "FakeApiserver",
    "Implementation",
    "ManifestDirectory",
    "ManifestUrl",
    "PodConfig",
    "PodSourceError",
    "PodUpdate",
    "Pods",
    "Refused",
    "Reply",
    "ServerStatus",
    "Source",
    "SourceUpdate",
    "SourcesReady",
    "SyncLoop",
    "UncontrolledWait",
    "Updates",
    "VirtualClock",
    "WatchEvent",
]

# What the fixtures give, for use without them; each is imported when it is asked for.
_DOUBLES = {
    "BackoffCheck": "backoffs",
    "FakeApiserver": "apiserver.fake",
    "ManifestDirectory": "manifests",
    "ManifestUrl": "url",
    "Pods": "pods",
    "Updates": "updates",
    "VirtualClock": "clock",
}


def __getattr__(name: str) -> Any:
    if name not in _DOUBLES:
        raise AttributeError(f"module 'pytest_podsource' has no attribute {name!r}")
    module = import_module(f"pytest_podsource.doubles.{_DOUBLES[name]}")
    return getattr(module, name)
