"""
``podsource completion``: the words of a shell that completes this command's.
"""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

_EXAMPLES = """\b
Examples:
  source <(podsource completion bash)
  podsource completion zsh > ~/.zfunc/_podsource
  podsource completion fish > ~/.config/fish/completions/podsource.fish
"""


@click.command(epilog=_EXAMPLES)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """
    Print the script that lets SHELL complete commands, options and names.
    """
    made = get_completion_class(shell)
    assert made is not None  # one of the three that click has
    group = ctx.find_root().command
    click.echo(made(group, {}, "podsource", "_PODSOURCE_COMPLETE").source())
