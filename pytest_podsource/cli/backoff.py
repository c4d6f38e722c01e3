"""
``podsource backoff``: the delays of something that keeps failing.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

import click

from pytest_podsource.cli.parameters import duration, json_option, text_of_ns
from pytest_podsource.core.backoff import Backoff
from pytest_podsource.world.clock import CaseClock

_EXAMPLES = """\b
Examples:
  podsource backoff
  podsource backoff --initial 500ms --max 10s --steps 8
"""


@click.command(epilog=_EXAMPLES)
@click.option("--initial", type=duration, default="1s", show_default=True)
@click.option("--max", "max_", type=duration, default="20s", show_default=True)
@click.option("--steps", type=click.IntRange(min=1), default=12, show_default=True)
@json_option
def backoff(initial: int, max_: int, steps: int, *, as_json: bool) -> None:
    """
    Show when something that fails at each try is tried again.

    The defaults are those of the file source's watch.
    """
    for number, (at_ns, delay_ns) in enumerate(_failures(initial, max_, steps), 1):
        if as_json:
            line = {"step": number, "at_ns": at_ns, "delay_ns": delay_ns}
            click.echo(json.dumps(line))
        else:
            click.echo(
                f"{number:>4}  fails at {text_of_ns(at_ns):>8}"
                f"  waits {text_of_ns(delay_ns):>8}"
            )


def _failures(initial_ns: int, max_ns: int, steps: int) -> Iterator[tuple[int, int]]:
    clock = CaseClock()
    delays = Backoff(clock, initial_ns, max_ns, random=random.random)
    for _ in range(steps):
        delays.next("it", clock.monotonic_ns())
        yield clock.monotonic_ns(), delays.get("it")
        clock.advance(delays.get("it"))
