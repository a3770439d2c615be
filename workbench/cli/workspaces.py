"""The commands about several workspaces: which ones a person has, by which names."""

from __future__ import annotations

import click

from workbench.cli import shell_values
from workbench.cli.output import (
    answered,
    json_option,
    narrate,
    narrate_row,
    say_row,
)
from workbench.plural import plural
from workbench.workspace.registry import read_registry, register, unregister

FOUND_WANTING = 4


@click.group()
def workspaces() -> None:
    """Your workspaces by name, for `-w NAME`, `search --all`, and the switcher of the interface.

    They stand in `workspaces.yaml` beside your settings. Each keeps its own index, history and locks.
    """


@workspaces.command()
@click.argument("folder", metavar="[DIR]", required=False)
@click.option("--name", default="", metavar="NAME", help="What to call it; else as its folder is called.")
@json_option
@click.pass_context
def add(ctx: click.Context, folder: str | None, name: str) -> None:
    """Put the workspace in DIR on the list, or the nearest one. It is not changed by that."""
    from workbench.workspace.workspace import Workspace

    chosen = folder or ctx.find_root().obj or Workspace.nearest_root(".")
    added = register(chosen, name)
    if not answered({"name": added.name, "path": str(added.root)}):
        say_row(f"{added.name}  {added.root}")


@workspaces.command("list")
@json_option
def list_() -> int:
    """All registered workspaces: entries, and whether the index follows the files.

    Exit code 4 where one is gone or cannot be opened, or needs a newer program, or where a line of the file
    makes no sense.
    """
    from workbench.health.workspace_status import standing

    known = read_registry()
    found = [standing(one) for one in known.entries]
    if not answered(
        {
            "file": str(known.path),
            "workspaces": [one.as_json() for one in found],
            "skipped": list(known.skipped),
        }
    ):
        width = max((len(one.workspace.name) for one in found), default=0)
        for one in found:
            name = one.workspace.name.ljust(width)
            colour = {"fg": "yellow"} if one.needs_a_look else {}
            count = f"{plural(one.entries, 'entry')}" if one.usable else one.state
            say_row(f"{name}  {count:>16}  {one.summary}", **colour)
            say_row(f"{' ' * width}  {one.workspace.root}", dim=True)
        for line in known.skipped:
            narrate_row(f"skipped in {known.path}: {line}")
        if not found:
            narrate("no workspace is registered: `workbench workspaces add DIR`")
    return FOUND_WANTING if known.skipped or any(one.needs_a_look for one in found) else 0


@workspaces.command()
@click.argument("name", shell_complete=shell_values.registered)
@json_option
def remove(name: str) -> None:
    """Take NAME off the list. Its folder, memory and index stay as they are."""
    path = unregister(name)
    if not answered({"name": name, "path": path}):
        say_row(f"{name} is off the list; nothing in {path} was changed")
