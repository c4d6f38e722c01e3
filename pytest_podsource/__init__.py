"""
A pytest plugin, fixtures and a conformance suite for Kubernetes pod sources.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    from pytest_podsource.doubles.apiserver.fake import FakeApiserver
    from pytest_podsource.doubles.backoffs import BackoffCheck
    from pytest_podsource.doubles.clock import VirtualClock
    from pytest_podsource.doubles.manifests import ManifestDirectory
    from pytest_podsource.doubles.pods import Pods
    from pytest_podsource.doubles.updates import Updates
    from pytest_podsource.doubles.url import ManifestUrl
    from pytest_podsource.exceptions import PodSourceError, UncontrolledWait

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

# The modules that have them; each is imported when one of its names is asked for, since
# this package is imported in every run of pytest on a machine that has the plugin.
_MODULES = {
    "contract": (
        "SECOND_NS",
        "Backoff",
        "Clock",
        "Config",
        "Environment",
        "Implementation",
        "PodConfig",
        "PodUpdate",
        "Refused",
        "Reply",
        "ServerStatus",
        "Source",
        "SourcesReady",
        "SourceUpdate",
        "SyncLoop",
        "WatchEvent",
    ),
    "doubles.apiserver.fake": ("FakeApiserver",),
    "doubles.backoffs": ("BackoffCheck",),
    "doubles.clock": ("VirtualClock",),
    "doubles.manifests": ("ManifestDirectory",),
    "doubles.pods": ("Pods",),
    "doubles.updates": ("Updates",),
    "doubles.url": ("ManifestUrl",),
    "exceptions": ("PodSourceError", "UncontrolledWait"),
}


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"pytest_podsource.{module}"), name)
    raise AttributeError(f"module 'pytest_podsource' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
