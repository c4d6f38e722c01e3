"""
The component ``sources``, from an implementation's own sources and PodConfig.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pytest_podsource.contract import (
    Clock,
    Config,
    Environment,
    PodUpdate,
    SourceUpdate,
)

SOURCES = {
    "file": "new_file_source",
    "http": "new_http_source",
    "api": "new_apiserver_source",
}


def names_of(config: Config) -> tuple[str, ...]:
    """
    Return which sources *config* asks for.
    """
    if config.sources:
        return config.sources
    given = {"file": config.path, "http": config.url}
    return tuple(name for name, place in given.items() if place)


class ComposedSources:
    """
    Sources whose sets go into a PodConfig, all of one implementation.

    Args:
        implementation: Offers the factories.
        config: What they are told.
        env: What they are given.
        periods_ns: The periods of single sources, where they differ.
    """

    def __init__(
        self,
        implementation: Any,
        config: Config,
        env: Environment,
        *,
        periods_ns: Mapping[str, int] | None = None,
    ) -> None:
        periods = periods_ns or {}
        names = names_of(config)
        whole = replace(config, sources=names)
        self.pod_config = implementation.new_pod_config(whole, env)
        channels = {name: self.pod_config.channel(name) for name in names}
        self.parts = [
            getattr(implementation, SOURCES[name])(
                replace(whole, period_ns=periods.get(name, whole.period_ns)),
                _Into(env, channels[name]),
            )
            for name in names
        ]

    def start(self) -> list[Any]:
        """Start each source; what is awaitable is the caller's."""
        return [part.start() for part in self.parts]

    def stop(self) -> list[Any]:
        """Stop each source that can be stopped."""
        return [part.stop() for part in self.parts if hasattr(part, "stop")]

    def seen_all_sources(self, seen: frozenset[str]) -> bool:
        """Ask PodConfig."""
        answer: bool = self.pod_config.seen_all_sources(seen)
        return answer


class _Into:
    """
    An environment whose ``send`` leads into a channel of PodConfig.
    """

    def __init__(self, env: Environment, channel: Callable[..., None]) -> None:
        self._env = env
        self._channel = channel

    @property
    def clock(self) -> Clock:
        return self._env.clock

    def send(
        self,
        update: SourceUpdate | PodUpdate,
        taken: Callable[[], None] | None = None,
    ) -> None:
        self._channel(update, taken)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._env, name)
