"""
The reference: the factories of the contract over the core and the disk.

An implementation like any other: ``pytest --podsource-impl=pytest_podsource.reference``.
The component ``sources`` is made of its parts, by whoever asks for it.
"""

from __future__ import annotations

import random
import socket
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from pytest_podsource.contract import Config, Environment, Pod
from pytest_podsource.core import flags, manifest
from pytest_podsource.core.api_source import ApiSource
from pytest_podsource.core.backoff import Backoff
from pytest_podsource.core.diff import diff_snapshots
from pytest_podsource.core.file_source import FileSource
from pytest_podsource.core.http_source import HttpSource
from pytest_podsource.core.podconfig import PodConfig
from pytest_podsource.core.sources_ready import SourcesReady
from pytest_podsource.core.syncloop import SyncLoop
from pytest_podsource.core.versions import kubelet
from pytest_podsource.shells.files import RealDisk

__all__ = [
    "FEATURES",
    "decode_manifest",
    "decode_manifest_list",
    "diff_snapshots",
    "new_apiserver_source",
    "new_backoff",
    "new_file_source",
    "new_http_source",
    "new_pod_config",
    "new_sources_ready",
    "new_sync_loop",
    "parse_config",
    "parse_flags",
]


#: Levels of cases beyond ``base``.
FEATURES = (
    "back-pressure",
    "logs",
    "nil-and-empty",
    "notification-modes",
    "resource-versions",
    "source-operations",
    "watch-failures",
)


def new_backoff(config: Config, env: Environment) -> Backoff:
    """
    Return a backoff of ``initial_ns``, ``max_ns``, jitter and expiry.
    """
    return Backoff(
        env.clock,
        config.initial_ns,
        config.max_ns,
        jitter_factor=config.jitter_factor,
        expires_after_ns=config.expires_after_ns,
        random=random.random,
    )


def decode_manifest(data: bytes, config: Config) -> Pod:
    """
    Return the pod of one manifest, of the URL if there is one and no path.
    """
    from_url = bool(config.url) and not config.path
    return manifest.decode_manifest(data, config, "http" if from_url else "file")


def decode_manifest_list(data: bytes, config: Config) -> list[Pod]:
    """
    Return the pods of a PodList.
    """
    return manifest.decode_manifest_list(data, config, "http")


def new_file_source(config: Config, env: Environment) -> FileSource:
    """
    Return a source of the manifests at ``path``, read from the disk.
    """
    warn = _priority_warner(config, env)

    def decode(data: bytes, path: str) -> Pod:
        pod = manifest.decode_manifest(data, _of_file(config, path), "file")
        warn(pod)
        return pod

    return FileSource(kubelet(config.kubelet), config, env, RealDisk(), decode)


def new_http_source(config: Config, env: Environment) -> HttpSource:
    """
    Return a source of the manifest at ``url``, which ``env`` fetches.
    """
    warn = _priority_warner(config, env)

    def decode(data: bytes) -> Pod:
        pod = manifest.decode_manifest(data, config, "http")
        warn(pod)
        return pod

    decode_list = partial(manifest.decode_manifest_list, config=config, source="http")
    return HttpSource(kubelet(config.kubelet), config, env, decode, decode_list)


def new_apiserver_source(config: Config, env: Environment) -> ApiSource:
    """
    Return a source of the node's pods, which ``env`` lists and watches.
    """
    return ApiSource(kubelet(config.kubelet), env, random.random)


def new_pod_config(config: Config, env: Environment) -> PodConfig:
    """
    Return the merge of ``sources``.
    """
    version = kubelet(config.kubelet)
    return PodConfig(
        version,
        config.mode,
        now=env.clock.now_ns,
        send=env.send,
        event=env.event,
        log=env.log,
        sources=config.sources,
        validate=partial(manifest.fault_of, config=config),
    )


def new_sources_ready(config: Config, env: Environment) -> SourcesReady:
    """
    Return the readiness of the sources, which asks ``seen_all_sources``.
    """
    return SourcesReady(partial(env.ask, "seen_all_sources"))


def new_sync_loop(config: Config, env: Environment) -> SyncLoop:
    """
    Return the sync loop, which asks ``all_ready`` and ``runtime_errors``.
    """
    return SyncLoop(
        kubelet(config.kubelet),
        env.clock,
        handle=env.handle,
        ready=SourcesReady(lambda seen: bool(env.ask("all_ready", seen))),
        runtime_errors=partial(env.ask, "runtime_errors"),
        log=env.log,
        sync_period_ns=config.sync_period_ns,
    )


def parse_flags(argv: Sequence[str], config: Config) -> dict[str, Any]:
    """
    Return the settings of a command line.
    """
    host_name = config.node_name or socket.gethostname()
    return flags.parse_flags(argv, kubelet(config.kubelet), host_name=host_name)


def parse_config(data: bytes, config: Config) -> dict[str, Any]:
    """
    Return the settings of the configuration file at ``path``.
    """
    document = manifest.read_text(data)
    return flags.parse_config(document, kubelet(config.kubelet), path=config.path)


def _of_file(config: Config, path: str) -> Config:
    # A file in a directory: its own path counts for the UID.
    return Config(
        kubelet=config.kubelet,
        node_name=config.node_name,
        path=path,
        gates=config.gates,
    )


def _priority_warner(config: Config, env: Environment) -> Callable[[Pod], None]:
    """
    Return what tells of odd priorities, each kind once.
    """
    told: set[str] = set()

    def warn(pod: Pod) -> None:
        warning = manifest.priority_warning(pod, config)
        if warning is not None and warning not in told:
            told.add(warning)
            env.log("warning", warning)

    return warn
