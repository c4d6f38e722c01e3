"""
``podsource diff``: what an edit of manifests makes the kubelet do.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from pytest_podsource.cli import printing
from pytest_podsource.cli.parameters import (
    json_option,
    node_name_option,
    version_option,
)
from pytest_podsource.cli.places import read_place
from pytest_podsource.cli.revisions import manifests_at
from pytest_podsource.cli.waiting import waiting
from pytest_podsource.contract import Config
from pytest_podsource.exceptions import UsageError
from pytest_podsource.findings.edit import Edit, Restart, edit_of
from pytest_podsource.known import NEWEST

# Where the files are for the kubelet; only whether two are at one place counts.
_DIRECTORY = "/etc/kubernetes/manifests"
_ONE_FILE = "manifest"
_COLOURS = {
    "starts": "green",
    "stops": "red",
    "restarts": "red",
    "containers-restart": "yellow",
}
_EXAMPLES = """\b
Examples:
  podsource diff old.yaml new.yaml
  podsource diff manifests /etc/kubernetes/manifests
  podsource diff HEAD~1 manifests
  podsource diff old.json new.json --url https://config.example/pods
"""


@click.command(epilog=_EXAMPLES)
@click.argument("old")
@click.argument("new", type=click.Path(exists=True))
@version_option("--kubelet", help_=f"The kubelet to ask.  [{NEWEST}]")
@node_name_option
@click.option("--url", default="", help="OLD and NEW are what this URL answers.")
@json_option
def diff(
    old: str, new: str, *, kubelet: str | None, node_name: str, url: str, as_json: bool
) -> None:
    """
    Say which pods restart when OLD turns into NEW, and why.

    OLD and NEW are two manifests or two directories of them; OLD may be a revision of
    git, to compare NEW with what it was. The answer is that of the first listing after
    the edit. Exit code: 0 if nothing starts, stops or restarts, 1 if something does, 2
    if a new manifest is refused.
    """
    config = Config(kubelet=kubelet or NEWEST, node_name=node_name, url=url)
    with waiting("Reading manifests"):
        after = _manifests(new, config)
        before = _manifests(old, config) if Path(old).exists() else _at(old, new)
    if Path(old).is_file() and Path(new).is_dir():
        raise click.UsageError(
            f"{old} is a file and {new} a directory. Give two alike."
        )
    if Path(old).is_dir() and Path(new).is_file():
        raise click.UsageError(
            f"{old} is a directory and {new} a file. Give two alike."
        )
    if url and Path(new).is_dir():
        raise click.UsageError("A URL answers with one file, not with a directory.")
    with waiting("Comparing manifests"):
        found = edit_of(before, after, config, "http" if url else "file")
    if as_json:
        click.echo(json.dumps(_as_json(found)))
    else:
        _show(found)
    sys.exit(2 if found.refused else int(found.restarts))


def _manifests(path: str, config: Config) -> dict[str, bytes]:
    entries = read_place(path, config).entries
    unread = [each for each in entries if each.kind == "file" and each.data is None]
    if unread:
        raise UsageError(f"{unread[0].path}: {unread[0].error}")
    data = {each.name: each.data for each in entries if each.data is not None}
    return _placed(data, in_directory=Path(path).is_dir())


def _at(revision: str, path: str) -> dict[str, bytes]:
    found = manifests_at(revision, path)
    is_directory = Path(path).is_dir()
    read = {
        name: data
        for name, data in found.items()
        if not (is_directory and name.startswith("."))
    }
    return _placed(read, in_directory=is_directory)


def _placed(data: Mapping[str, bytes], *, in_directory: bool) -> dict[str, bytes]:
    """Return manifests by the paths that they have for the kubelet."""
    return {
        f"{_DIRECTORY}/{name if in_directory else _ONE_FILE}": each
        for name, each in data.items()
    }


def _show(edit: Edit) -> None:
    for finding in edit.findings:
        where = finding.path.removeprefix(f"{_DIRECTORY}/")
        line = f":{finding.line}" if finding.line else ""
        field = f"{finding.field}: " if finding.field else ""
        text = f"{where}{line}: {finding.code}: {field}{finding.message}"
        click.secho(printing.wrapped(text), fg="red")
    for pod in edit.pods:
        told = f" ({', '.join(pod.operations)})" if pod.operations else ""
        fate = click.style(pod.fate, fg=_COLOURS.get(pod.fate), bold=True)
        click.echo(f"{pod.pod}: {fate}{told}")
        click.echo(printing.wrapped(f"  {pod.why}", "  "))
    if not edit.operations:
        click.echo("The kubelet emits nothing.")


def _as_json(edit: Edit) -> dict[str, object]:
    return {
        "operations": [
            {
                "op": operation,
                "pods": [
                    f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
                    for pod in pods
                ],
            }
            for operation, pods in edit.operations
        ],
        "pods": [_pod_as_json(each) for each in edit.pods],
        "findings": [printing.finding_as_json(each) for each in edit.findings],
    }


def _pod_as_json(pod: Restart) -> dict[str, object]:
    return {
        "pod": pod.pod,
        "fate": pod.fate,
        "operations": list(pod.operations),
        "why": pod.why,
        "fields": list(pod.fields),
    }
