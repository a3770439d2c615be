"""Taking the program off a machine: what it wrote outside of workspaces is removed, memory never."""

from __future__ import annotations

import click

from workbench.cli.options import flag
from workbench.cli.output import agree, answered, json_option, narrate, narrate_row, say_row, wants_json


@click.command()
@flag("--dry-run", "Only list it.")
@flag("--yes", "Do not ask.")
@json_option
def uninstall(dry_run: bool, yes: bool) -> None:
    """Remove your settings, keys, themes, list of workspaces, caches and seal key from this machine.

    Memory, its git history and `.workbench/` in each workspace stay. Lines that start the program (hooks and
    MCP servers of agents, your crontab and timers, shell completion) are listed with file and line: remove
    them where you added them. The program itself is removed by what installed it.
    """
    from workbench.health.footprint import footprint, remove

    found = footprint()
    say = narrate_row if wants_json() else say_row  # the answer in JSON is one, and comes when all is done
    for folder in found.own:
        say(f"remove   {folder}")
    for mention in found.mentions:
        say(f"by hand  {mention.where}, line {mention.line}")
    for folder in found.state:
        say(f"stays    {folder}")
    if found.own and not dry_run:
        if not yes:
            agree("remove these folders?", refusal="nothing was removed", hint="add --yes")
        for folder in found.own:
            remove(folder)
        narrate(f"removed: {', '.join(map(str, found.own))}")
    answered({"removes": found.own, "by_hand": found.mentions, "stays": found.state})
    narrate("the program itself: `pipx uninstall memory-workbench`, or `uv tool` or `pip` in place of `pipx`")
