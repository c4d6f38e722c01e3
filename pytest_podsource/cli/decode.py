"""
``podsource decode``: the pod that the kubelet makes of a manifest.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
import yaml

from pytest_podsource import reference
from pytest_podsource.cli.parameters import (
    json_option,
    kubelet_option,
    node_name_option,
)
from pytest_podsource.contract import Config, Refused

_EXAMPLES = """\b
Examples:
  podsource decode web.yaml
  podsource decode web.yaml --kubelet 1.20 --node-name cp-1
  podsource decode - --json < web.yaml
"""


@click.command(epilog=_EXAMPLES)
@click.argument(
    "file", type=click.Path(exists=True, dir_okay=False, readable=True, allow_dash=True)
)
@kubelet_option
@node_name_option
@json_option
def decode(file: str, kubelet: str, node_name: str, *, as_json: bool) -> None:
    """
    Print the pod that the kubelet makes of the manifest FILE.

    With - the manifest comes from standard input.
    """
    path = "" if file == "-" else str(Path(file).absolute())
    config = Config(kubelet=kubelet, node_name=node_name, path=path)
    with click.open_file(file, "rb") as opened:
        data = opened.read()
    try:
        pod = reference.decode_manifest(data, config)
    except Refused as refused:
        click.echo(f"{file}: refused by {kubelet}: {refused}", err=True)
        sys.exit(1)
    click.echo(
        json.dumps(pod, indent=2)
        if as_json
        else yaml.safe_dump(pod, sort_keys=False, allow_unicode=True),
        nl=as_json,
    )
