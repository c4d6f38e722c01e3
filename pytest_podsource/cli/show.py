"""
How operations, changes and log lines are printed, a line each, as they happen.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timezone
from typing import Any

import click

from pytest_podsource.contract import Pod, PodUpdate

_COLOURS = {
    "ADD": "green",
    "ADDED": "green",
    "UPDATE": "yellow",
    "UPDATED": "yellow",
    "RECONCILE": "cyan",
    "DELETE": "magenta",
    "REMOVE": "red",
    "DELETED": "red",
}
_COLUMNS = (("time", 12), ("operation", 9), ("source", 6), ("pod", 0))


def json_line(update: PodUpdate) -> None:
    """
    Print *update* as one JSON object.
    """
    print_json(
        {
            "op": update.op,
            "source": update.source,
            "pods": update.pods,
            "time": _now().isoformat(timespec="microseconds"),
        }
    )


def print_json(value: Mapping[str, Any]) -> None:
    """
    Print *value* on one line, at once.
    """
    click.echo(json.dumps(value))
    sys.stdout.flush()


def printer_of_table() -> Callable[[PodUpdate], None]:
    """
    Return what prints operations as rows of a table, coloured on a terminal.
    """
    from rich.console import Console  # noqa: PLC0415 - slow
    from rich.text import Text  # noqa: PLC0415

    # On a terminal between words; in a pipe an operation and a pod stay one line.
    console = Console(highlight=False, soft_wrap=not sys.stdout.isatty())
    console.print(Text(_row(name for name, _ in _COLUMNS), style="bold"))

    def print_rows(update: PodUpdate) -> None:
        time = _now().strftime("%H:%M:%S.%f")[:-3]
        style = _COLOURS.get(update.op, "")
        for pod in map(_described, update.pods) if update.pods else ("(no pods)",):
            row = _row((time, update.op, update.source, pod))
            console.print(Text(row, style=style))
        sys.stdout.flush()

    return print_rows


def print_change(op: str, key: str, record: Mapping[str, Any]) -> None:
    """
    Print what happened to a record.
    """
    rest = {k: v for k, v in record.items() if k not in ("Namespace", "Name")}
    text = f"{op:<8} {key}  {json.dumps(rest, ensure_ascii=False) if rest else ''}"
    click.secho(text.rstrip(), fg=_COLOURS.get(op))
    sys.stdout.flush()


def print_log(level: str, message: str, **fields: Any) -> None:
    """
    Print a log line where it isn't mistaken for an operation.
    """
    colour = {"error": "red", "warning": "yellow"}.get(level)
    place = fields.get("path")
    where = f"{place}: " if place and str(place) not in message else ""
    click.secho(f"{level}: {where}{message}", fg=colour, err=True)


def print_event(pod: Pod, type_: str, reason: str, message: str) -> None:
    """
    Print a Kubernetes event about a pod, as a log line.
    """
    print_log(type_.lower(), f"{_described(pod)}: {reason}: {message}")


def _described(pod: Pod) -> str:
    metadata, spec = pod.get("metadata", {}), pod.get("spec", {})
    name = f"{metadata.get('namespace', '')}/{metadata.get('name', '')}"
    images = [each.get("image", "") for each in spec.get("containers") or ()]
    return f"{name}  {metadata.get('uid', '')[:8]}  {', '.join(images)}".rstrip()


def _row(cells: Iterable[str]) -> str:
    sized = zip(cells, _COLUMNS, strict=True)
    return "  ".join(cell.ljust(width) for cell, (_, width) in sized).rstrip()


def _now() -> datetime:
    return datetime.now(tz=timezone.utc)
