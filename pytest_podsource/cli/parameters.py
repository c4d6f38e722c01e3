"""
Options and kinds of values that several commands share.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from pytest_podsource.core.durations import parse_ns
from pytest_podsource.known import KUBELETS, NEWEST

Command = TypeVar("Command", bound=Callable[..., Any])


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


def version_option(*names: str, help_: str) -> Callable[[Command], Command]:
    """
    Return an option that takes a kubelet's version, of any minor or patch.

    A minor between two known ones counts as the older of them, which is said.
    """
    return click.option(
        *names,
        metavar="VERSION",
        callback=_known,
        shell_complete=_versions,
        help=help_,
    )


def _known(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> str | None:
    if value is None:
        return None
    parts = value.removeprefix("v").split(".")
    if len(parts) not in (2, 3) or not all(each.isdecimal() for each in parts):
        raise click.BadParameter(
            f"{value!r} is not a version. Right would be such as {NEWEST}."
        )
    asked = (int(parts[0]), int(parts[1]))
    minors = {tuple(map(int, each.split("."))): each for each in KUBELETS}
    if not min(minors) <= asked <= max(minors):
        raise click.BadParameter(
            f"{value!r} is not known. Known versions: {', '.join(KUBELETS)}."
        )
    found = minors[max(each for each in minors if each <= asked)]
    if asked not in minors:
        click.echo(f"podsource: {value} counts as {found}, {_OLDER}", err=True)
    return found


_OLDER = "the nearest older one that is known."


def _versions(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    return [CompletionItem(each) for each in KUBELETS if each.startswith(incomplete)]


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
