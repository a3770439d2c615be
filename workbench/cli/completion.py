"""The command about the shell: what completes this program's commands, options and values."""

from __future__ import annotations

import sys

import click
from click.shell_completion import get_completion_class

from workbench.cli.output import narrate, put

SHELLS = {
    "bash": "source <(workbench completion bash)     # in ~/.bashrc",
    "zsh": "source <(workbench completion zsh)      # in ~/.zshrc, after compinit",
    "fish": "workbench completion fish > ~/.config/fish/completions/workbench.fish",
}
_VARIABLE = "_WORKBENCH_COMPLETE"
"""As click derives it from the program's name, which is where the program looks for it."""


@click.command()
@click.argument("shell", type=click.Choice(list(SHELLS)))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a script for SHELL (bash, zsh or fish) that completes what is typed after `workbench`.

    Commands, options and their choices, paths of the memory, names of workspaces, themes and settings.

    \b
    bash   source <(workbench completion bash)     in ~/.bashrc (bash 4.4 or newer)
    zsh    source <(workbench completion zsh)      in ~/.zshrc, after compinit
    fish   workbench completion fish > ~/.config/fish/completions/workbench.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    put(kind(ctx.find_root().command, {}, "workbench", _VARIABLE).source())
    if sys.stdout.isatty():
        narrate(f"to have it in every shell: {SHELLS[shell]}")
