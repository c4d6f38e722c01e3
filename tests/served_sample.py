"""
A small implementation that uses each word of the environment once; for the adapter.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pytest_podsource.contract import (
    Config,
    Environment,
    PodUpdate,
    Refused,
    Reply,
    SourceUpdate,
    WatchEvent,
)


class Source:
    def __init__(self, config: Config, env: Environment) -> None:
        self._config = config
        self._env = env

    def stop(self) -> None:
        pass


class FileSource(Source):
    def start(self) -> None:
        print("a line on standard output")  # noqa: T201 - what an adapter must bear
        self._poll()
        try:
            self._env.watch(self._config.path, self._on_event)
        except OSError as error:
            self._env.log("error", "watch", errno=error.errno, error=error)

    def _poll(self) -> None:
        path = Path(self._config.path)
        names = sorted(each.name for each in path.iterdir()) if path.exists() else []
        pods = tuple({"metadata": {"name": name}} for name in names)
        self._env.send(SourceUpdate(source="file", pods=pods))
        self._env.clock.call_later(self._config.period_ns, self._poll)

    def _on_event(self, event: WatchEvent | OSError) -> None:
        if isinstance(event, OSError):
            self._env.log("error", "the watch ended", errno=event.errno)
        else:
            pod = {"metadata": {"name": Path(event.path).name}}
            self._env.event(pod, "Normal", "+".join(sorted(event.ops)), "seen")


class HttpSource(Source):
    def start(self) -> None:
        self._env.fetch(
            self._config.url, self._config.headers, 10_000_000_000, self._on_done
        )

    def _on_done(self, reply: Reply | OSError) -> None:
        name = (
            type(reply).__name__ if isinstance(reply, OSError) else reply.body.decode()
        )
        pod = {"metadata": {"name": name}}
        self._env.send(SourceUpdate(source="http", pods=(pod,)))
        self._env.clock.call_later(self._config.period_ns, self.start)


class ApiSource(Source):
    def start(self) -> None:
        if self._env.ask("node_has_synced"):
            self._env.list_pods(self._on_list)
        else:
            self._env.clock.call_later(1_000_000_000, self.start)

    def _on_list(self, listed: dict[str, Any] | OSError) -> None:
        if isinstance(listed, OSError):
            self._env.log("error", "list", status=getattr(listed, "status", None))
            self._env.clock.call_later(1_000_000_000, self.start)
            return
        self._send(listed["items"])
        self._env.watch_pods(listed["metadata"]["resourceVersion"], self._on_event)

    def _on_event(self, event: dict[str, Any] | OSError | None) -> None:
        assert not isinstance(event, OSError)
        self._send([] if event is None else [event["object"]])

    def _send(self, pods: list[dict[str, Any]]) -> None:
        self._env.send(SourceUpdate(source="api", pods=tuple(pods)))


class PodConfig:
    def __init__(self, env: Environment) -> None:
        self._env = env
        self._waiting: list[tuple[SourceUpdate, Callable[[], None] | None]] = []

    def channel(self, source: str) -> Callable[..., None]:
        if not source:
            raise ValueError("an empty name")
        return self._put

    def _put(
        self, update: SourceUpdate, taken: Callable[[], None] | None = None
    ) -> None:
        self._waiting.append((update, taken))
        if len(self._waiting) == 1:
            self._next()

    def _next(self) -> None:
        if self._waiting:
            update, taken = self._waiting[0]
            if taken is not None:
                taken()
            merged = PodUpdate(op="ADD", source=update.source, pods=update.pods)
            self._env.send(merged, self._accepted)

    def _accepted(self) -> None:
        del self._waiting[0]
        self._next()

    def seen_all_sources(self, seen: frozenset[str]) -> bool:
        return "file" in seen


class SyncLoop(Source):
    def start(self) -> None:
        wall = {"metadata": {"name": str(self._env.clock.now_ns())}}
        self._env.handle("handle_pod_cleanups", [wall])
        self._env.clock.call_later(1_000_000_000, self.start)

    def deliver(self, update: PodUpdate | None) -> None:
        if update is None:
            raise RuntimeError("closed")
        self._env.handle("handle_pod_additions", update.pods)


class Spinning(Source):
    def start(self) -> None:
        self._env.clock.call_later(0, self.start)


def new_file_source(config: Config, env: Environment) -> FileSource:
    return FileSource(config, env)


def new_http_source(config: Config, env: Environment) -> Source:
    return Spinning(config, env) if config.period_ns == 0 else HttpSource(config, env)


def new_apiserver_source(config: Config, env: Environment) -> ApiSource:
    return ApiSource(config, env)


def new_pod_config(config: Config, env: Environment) -> PodConfig:
    return PodConfig(env)


def new_sync_loop(config: Config, env: Environment) -> SyncLoop:
    return SyncLoop(config, env)


def decode_manifest(data: bytes, config: Config) -> dict[str, Any]:
    if data == b"exit":
        sys.exit(7)
    if data != b"pod":
        raise Refused(f"{data!r} is no pod", parsed=True)
    return {"metadata": {"name": config.node_name}}


def diff_snapshots(
    old: dict[str, Any], new: dict[str, Any]
) -> tuple[list[str], list[str], list[str]]:
    return sorted(new.keys() - old.keys()), [], sorted(old.keys() - new.keys())
