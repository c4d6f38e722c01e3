"""
A small implementation that says each word of the protocol once, for the transcript.
"""

from __future__ import annotations

from typing import Any

from pytest_podsource.contract import Config, Environment, SourceUpdate
from tests import served_sample
from tests.served_sample import (
    decode_manifest,
    diff_snapshots,
    new_apiserver_source,
    new_http_source,
    new_pod_config,
    new_sync_loop,
)

__all__ = [
    "decode_manifest",
    "diff_snapshots",
    "new_apiserver_source",
    "new_file_source",
    "new_http_source",
    "new_pod_config",
    "new_sync_loop",
]


class FileSource(served_sample.Source):
    def start(self) -> None:
        self.cancel = self._env.watch(self._config.path, self.changed)
        self._env.log("info", "watching", path=self._config.path)
        self._env.send(SourceUpdate(source="file", pods=()))

    def changed(self, event: Any) -> None:
        pod = {"metadata": {"name": "web"}}
        self._env.event(pod, "Normal", "Seen", "a file was written")

    def stop(self) -> None:
        self.cancel()


def new_file_source(config: Config, env: Environment) -> FileSource:
    return FileSource(config, env)
