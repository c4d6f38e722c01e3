"""
Options and kinds of values that several commands share.
"""

from __future__ import annotations

import click

from pytest_podsource.core.durations import parse_ns
from pytest_podsource.core.versions import KUBELETS, NEWEST


def duration(text: str) -> int:
    """
    Return the nanoseconds of *text*, a duration as Go writes it.

    Raises:
        click.BadParameter: It isn't one, or it isn't longer than nothing.
    """
    try:
        ns = parse_ns(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    if ns <= 0:
        raise click.BadParameter(f"{text!r} is not longer than nothing.")
    return ns


kubelet_option = click.option(
    "--kubelet",
    type=click.Choice(KUBELETS),
    default=NEWEST,
    show_default=True,
    help="The kubelet to behave like.",
)
node_name_option = click.option(
    "--node-name",
    default="node1",
    show_default=True,
    help="The node's name, which ends up in the pods' names.",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="JSON instead of text for people."
)


def text_of_ns(ns: int) -> str:
    """
    Return *ns* in seconds, without a digit lost: ``1s``, ``0.5s``.
    """
    whole, rest = divmod(ns, 1_000_000_000)
    return f"{whole}.{rest:09d}".rstrip("0").rstrip(".") + "s"
