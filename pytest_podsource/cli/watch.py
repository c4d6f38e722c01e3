"""
``podsource watch``: what the kubelet would do, as it happens.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import click

from pytest_podsource import reference
from pytest_podsource.cli import show, watch_records
from pytest_podsource.cli.parameters import (
    duration,
    json_option,
    kubelet_option,
    node_name_option,
)
from pytest_podsource.contract import SECOND_NS, Config, PodUpdate, Refused
from pytest_podsource.driver.compose import ComposedSources
from pytest_podsource.shells.env import RealEnvironment

_PERIOD_NS = 20 * SECOND_NS


_EXAMPLES = """\b
Examples:
  podsource watch /etc/kubernetes/manifests
  podsource watch manifests --once --json
  podsource watch --config /var/lib/kubelet/config.yaml
"""


@click.command(epilog=_EXAMPLES)
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option(
    "--config",
    "config_file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False, readable=True),
    help="A kubelet's configuration file: path and period come from there.",
)
@click.option("--period", type=duration, help="Time between two listings.  [20s]")
@click.option("--once", is_flag=True, help="Print what is there now, and end.")
@click.option(
    "--records",
    is_flag=True,
    help='PATH is a directory of records {"Namespace", "Name", ...}, no manifests.',
)
@kubelet_option
@node_name_option
@json_option
def watch(
    path: Path | None,
    config_file: Path | None,
    period: int | None,
    kubelet: str,
    node_name: str,
    *,
    once: bool,
    records: bool,
    as_json: bool,
) -> None:
    """
    Watch the manifests at PATH, a directory or a file.

    Prints each operation that the kubelet would hand to its sync loop: ADD, UPDATE,
    REMOVE, DELETE or RECONCILE. What it would log goes to standard error.
    """
    config = Config(kubelet=kubelet, node_name=node_name)
    found, period_ns = _place(path, config_file, period, config)
    _refuse_unreadable(found, once=once or records)
    if records:
        watch_records.watch(found, period_ns, once=once, as_json=as_json)
        return
    config = Config(
        kubelet=kubelet,
        node_name=node_name,
        path=str(found.absolute()),
        period_ns=period_ns,
        sources=("file",),
    )
    _watch(config, show.json_line if as_json else show.printer_of_table(), once=once)


def _place(
    path: Path | None, config_file: Path | None, period: int | None, config: Config
) -> tuple[Path, int]:
    """
    Return path and period, of the command line before those of the file.
    """
    place, period_ns = (
        _of_file(config_file, config) if config_file else (None, _PERIOD_NS)
    )
    found = path or place
    if found is None:
        raise click.UsageError(
            "There is nothing to watch. Give PATH, or --config with a staticPodPath."
        )
    return found, period or period_ns


def _of_file(config_file: Path, config: Config) -> tuple[Path | None, int]:
    at = Config(kubelet=config.kubelet, path=str(config_file.absolute()))
    try:
        settings = reference.parse_config(config_file.read_bytes(), at)
    except Refused as refused:
        raise click.UsageError(f"{config_file}: {refused}") from None
    place, period_ns = settings["file_path"], settings["file_period_ns"]
    if period_ns <= 0:
        raise click.UsageError(
            f"{config_file}: fileCheckFrequency is negative, which ends a kubelet at "
            "once. Use one such as 20s."
        )
    return Path(place) if place else None, period_ns


def _refuse_unreadable(path: Path, *, once: bool) -> None:
    """
    Refuse what can't be read; a path that isn't there yet is fine for a kubelet.
    """
    if path.exists():
        needed = os.R_OK | os.X_OK if path.is_dir() else os.R_OK
        if not os.access(path, needed, effective_ids=True):
            raise click.UsageError(f"{path} can't be read by you. Change its mode.")
    elif once:
        raise click.UsageError(
            f"{path} does not exist. Leave --once away to wait for it, as a kubelet does."
        )


def _watch(config: Config, tell: Callable[[PodUpdate], None], *, once: bool) -> None:
    def on_update(update: object) -> None:
        assert isinstance(update, PodUpdate)  # sets end in PodConfig
        tell(update)

    env = RealEnvironment(on_update, on_log=show.print_log, on_event=show.print_event)
    sources = ComposedSources(reference, config, env)
    sources.start()
    if once:
        env.clock.call_later(0, env.stop)  # due after the first listing
    try:
        env.run()
    except KeyboardInterrupt:
        pass
    finally:
        sources.stop()
        env.close()
