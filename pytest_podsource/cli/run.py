"""
``podsource run``: the pod sources of a kubelet, whole, on real input.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from pytest_podsource import reference
from pytest_podsource.cli import show
from pytest_podsource.cli.parameters import (
    json_option,
    kubelet_option,
    node_name_option,
)
from pytest_podsource.contract import Config, Pod, PodUpdate, Refused
from pytest_podsource.core.versions import kubelet as kubelet_of
from pytest_podsource.driver.compose import ComposedSources
from pytest_podsource.exceptions import UsageError
from pytest_podsource.shells.apiserver import NodeSync
from pytest_podsource.shells.env import RealEnvironment
from pytest_podsource.shells.kubeconfig import Access, read_kubeconfig

Show = Callable[[PodUpdate], None]
_FILE = click.Path(path_type=Path, exists=True, dir_okay=False, readable=True)


@click.command()
@click.option("--config", "config_file", type=_FILE, help="A kubelet's configuration.")
@click.option(
    "--kubeconfig", type=_FILE, help="Where the apiserver is; without it there is none."
)
@click.option("--context", default="", help="Which context of the kubeconfig.")
@click.argument("flags", nargs=-1, type=click.UNPROCESSED)
@kubelet_option
@node_name_option
@json_option
def run(
    config_file: Path | None,
    kubeconfig: Path | None,
    flags: tuple[str, ...],
    *,
    context: str,
    kubelet: str,
    node_name: str,
    as_json: bool,
) -> None:
    """
    Run a kubelet's pod sources, with its configuration or its FLAGS.

    Manifests at a path, at a URL and pods of an apiserver are merged as the kubelet
    does it. Prints each operation that its sync loop is handed; what it would log goes
    to standard error. FLAGS are the kubelet's own, after --: --pod-manifest-path and
    the like, for kubelets without a configuration file --config.
    """
    told = Config(kubelet=kubelet, node_name=node_name)
    settings = _settings(config_file, flags, told)
    access = read_kubeconfig(kubeconfig, context=context) if kubeconfig else None
    config = _config(settings, told, has_apiserver=access is not None)
    if not config.sources:
        raise click.UsageError(
            "There is no source. Say where manifests are (staticPodPath, staticPodURL), "
            "or where the apiserver is (--kubeconfig)."
        )
    shown = show.json_line if as_json else show.printer_of_table()
    periods = {"file": settings["file_period_ns"], "http": settings["http_period_ns"]}
    agent = Agent(config, periods, access, shown)
    try:
        agent.run()
    except KeyboardInterrupt:
        pass
    finally:
        agent.close()


class Agent:
    """
    Sources, PodConfig and sync loop of the reference, on this machine.

    Args:
        config: What the sources are told.
        periods_ns: The periods of the file and of the URL source.
        access: How the apiserver is reached; ``None`` for none.
        show_update: Is given each operation.
    """

    def __init__(
        self,
        config: Config,
        periods_ns: Mapping[str, int],
        access: Access | None,
        show_update: Show,
    ) -> None:
        self._show = show_update
        self._is_clean = False
        answers: dict[str, Any] = {"runtime_errors": (), "all_ready": self._all_ready}
        self._env = RealEnvironment(
            self._on_update,
            on_log=show.print_log,
            on_event=show.print_event,
            on_handle=self._on_handle,
            answers=answers,
        )
        if access is not None:
            answers["node_has_synced"] = NodeSync(
                self._env.connect(access, config.node_name),
                must_exist=kubelet_of(config.kubelet).node_must_exist,
                log=self._env.log,
            )
        self._loop = reference.new_sync_loop(config, self._env)
        self._sources = ComposedSources(
            reference, config, self._env, periods_ns=periods_ns
        )

    def run(self) -> None:
        """
        Run until it is interrupted.

        Raises:
            UsageError: The kubelet would panic at such a setting.
        """
        self._loop.start()
        try:
            self._sources.start()
        except ValueError as error:
            raise UsageError(f"A kubelet ends at once, for a source: {error}") from None
        self._env.run()

    def close(self) -> None:
        """
        End all that runs.
        """
        self._sources.stop()
        self._loop.stop()
        self._env.close()

    def _on_update(self, update: object) -> None:
        assert isinstance(update, PodUpdate)  # sets end in PodConfig
        self._show(update)
        self._loop.deliver(update)

    def _on_handle(self, handler: str, pods: Sequence[Pod]) -> None:
        if handler == "handle_pod_cleanups" and not self._is_clean:
            self._is_clean = True
            show.print_log("info", "all sources are ready, housekeeping begins")

    def _all_ready(self, seen: frozenset[str]) -> bool:
        return self._sources.seen_all_sources(seen)


def _settings(
    config_file: Path | None, flags: Sequence[str], told: Config
) -> dict[str, Any]:
    if config_file is not None and flags:
        raise click.UsageError("Give --config or the kubelet's flags, not both.")
    if config_file is None:
        return _of_flags(flags, told)
    at = Config(kubelet=told.kubelet, path=str(config_file.absolute()))
    try:
        return reference.parse_config(config_file.read_bytes(), at)
    except Refused as refused:
        raise click.UsageError(f"{config_file}: {refused}") from None


def _of_flags(flags: Sequence[str], told: Config) -> dict[str, Any]:
    try:
        return reference.parse_flags(flags, told)
    except Refused as refused:
        raise click.UsageError(str(refused)) from None


def _config(
    settings: Mapping[str, Any], told: Config, *, has_apiserver: bool
) -> Config:
    path = settings["file_path"]
    wanted = {"file": path, "http": settings["url"], "api": has_apiserver}
    return Config(
        kubelet=told.kubelet,
        node_name=settings.get("node_name") or told.node_name,
        path=str(Path(path).absolute()) if path else "",
        url=settings["url"],
        headers=tuple(
            (name, value)
            for name, values in settings["url_headers"].items()
            for value in values
        ),
        sources=tuple(name for name, is_wanted in wanted.items() if is_wanted),
        sync_period_ns=settings["sync_period_ns"],
    )
