"""Commands that begin something: init, demo, and the interface itself."""

from __future__ import annotations

from pathlib import Path

import click

from workbench.cli import completing
from workbench.cli.output import narrate, say, say_diff
from workbench.cli.places import meant, opened
from workbench.errors import NoWorkspaceError, UsageError

DEMO_FOLDER = "memory-demo"


@click.command("open", hidden=True)
@click.argument("folder", required=False, shell_complete=completing.folders)
@click.pass_context
def open_interface(ctx: click.Context, folder: str | None) -> None:
    """Open the interface on FOLDER, or on the nearest workspace."""
    _open(meant(folder) if folder else ctx.obj)


@click.command(short_help="Make a sample workspace and open it.")
@click.argument("folder", default=DEMO_FOLDER, metavar="[DIR]", shell_complete=completing.folders)
@click.option("--no-open", is_flag=True, help="Only make it.")
def demo(folder: str, no_open: bool) -> None:
    """Make a sample workspace with weeks of history, and open it; the first time with a tour."""
    from workbench.workspace.sample import is_demo, write_demo

    target = Path(folder)
    if is_demo(target):
        narrate(f"{folder} is there already")
    elif target.exists() and any(target.iterdir()):
        raise UsageError(f"{folder} is not empty", hint="name another folder: workbench demo DIR")
    else:
        commits, files = write_demo(target)
        narrate(f"made {folder}: {files} files, {commits} commits")
    if no_open:
        say(folder)
    else:
        _open(folder, tour=True)


@click.command()
@click.argument("folder", default=".", metavar="[DIR]", shell_complete=completing.folders)
@click.option(
    "--template",
    type=click.Choice(["plain", "openclaw", "goclaw"]),
    default="plain",
    show_default=True,
    help="Which files to start with.",
)
@click.option("--dry-run", is_flag=True, help="Only show what would be added.")
def init(folder: str, template: str, dry_run: bool) -> None:
    """Set a workspace up: its repository and the files it lacks."""
    from workbench.workspace.templates import needs_repository, plan_init, set_up

    target = Path(folder)
    if target.exists() and not target.is_dir():
        raise NoWorkspaceError(f"{folder} is not a folder")
    if dry_run:
        if needs_repository(target):
            say("would make a git repository")
        diff = plan_init(target, template).diff()
        if diff:
            say_diff(diff)
        elif not needs_repository(target):
            say("everything is there already")
        return
    operation = set_up(target, template)
    if operation is None:
        say("everything is there already")
    else:
        for path in operation.paths:
            say(f"added {path}")


def _open(folder: str | None, *, tour: bool = False) -> None:
    from screens import terminal

    problem = terminal.problem()
    if problem:
        raise UsageError(problem)
    place = opened(folder, anyhow=True)
    from screens.start import run

    try:
        run(place, tour=tour)
    finally:
        place.close()
