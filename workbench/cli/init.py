"""Commands that begin something: init, demo, and the interface itself."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from workbench.cli import shell_values
from workbench.cli.output import agree, narrate, narrate_row, say, say_diff
from workbench.cli.workspace_options import meant, opened
from workbench.errors import NoWorkspaceError, UsageError
from workbench.plural import plural

DEMO_FOLDER = "memory-demo"


@click.command("open", hidden=True)
@click.argument("folder", required=False, shell_complete=shell_values.folders)
@click.pass_context
def open_interface(ctx: click.Context, folder: str | None) -> None:
    """Open the interface on FOLDER, or on the nearest workspace."""
    _open(meant(folder) if folder else ctx.obj)


@click.command()
@click.argument("folder", default=DEMO_FOLDER, metavar="[DIR]", shell_complete=shell_values.folders)
@click.option("--no-open", is_flag=True, help="Only make it.")
def demo(folder: str, no_open: bool) -> None:
    """Make a sample workspace with weeks of history, and open it."""
    from workbench.workspace.demo_writer import is_demo, write_demo

    target = Path(folder)
    if is_demo(target):
        narrate(f"{folder} is there already")
    elif target.exists() and any(target.iterdir()):
        raise UsageError(f"{folder} is not empty", hint="name another folder: workbench demo DIR")
    else:
        commits, files = write_demo(target)
        narrate(f"made {folder}: {plural(files, 'file')}, {plural(commits, 'commit')}")
    if no_open:
        say(folder)
    else:
        _open(folder)


@click.command()
@click.argument("folder", required=False, metavar="[DIR]", shell_complete=shell_values.folders)
@click.option(
    "--template",
    type=click.Choice(["plain", "openclaw", "goclaw"]),
    default="plain",
    show_default=True,
    help="Which files to start with.",
)
@click.option("--dry-run", is_flag=True, help="Only show what would be added.")
@click.option("--yes", is_flag=True, help="Do not ask before files are added to a repository of other files.")
@click.pass_context
def init(ctx: click.Context, folder: str | None, template: str, dry_run: bool, yes: bool) -> None:
    """Set a workspace up: its repository and the files it lacks.

    In DIR, else the folder that -w names, else here.
    """
    from workbench.workspace.templates import is_of_claude_code, needs_repository, plan_init, set_up

    target = _to_set_up(ctx, folder)
    if target.exists() and not target.is_dir():
        raise NoWorkspaceError(f"{target} is not a folder")
    lacks_repository = needs_repository(target)
    plan = plan_init(target, template)
    if not lacks_repository and not plan.edits:
        say("everything is there already")
        return
    if dry_run:
        if lacks_repository:
            say("would make a git repository")
        if plan.edits:
            say_diff(plan.diff())
        return
    if plan.edits and not yes:
        _agree(target, [edit.path for edit in plan.edits])
    operation = set_up(target, template)
    if lacks_repository:
        say(f"made a git repository in {target.resolve()}")
    for path in operation.paths if operation else ():
        say(f"added {path}")
    if is_of_claude_code(target):
        say("nothing was added: Claude Code takes all that lies here for its memory")
        say("`workbench status --commit` commits what there is")


def _to_set_up(ctx: click.Context, folder: str | None) -> Path:
    """The folder that the argument names, else ``-w``. Raises UsageError where both name another one."""
    source = ctx.parent.get_parameter_source("workspace") if ctx.parent else None
    if (
        folder is not None
        and source is click.core.ParameterSource.COMMANDLINE
        and os.path.realpath(folder) != os.path.realpath(ctx.obj)
    ):
        raise UsageError(
            f"-w names {ctx.obj}, and the argument {folder}: which one is to be set up?",
            hint="leave one of them out; nothing was changed",
        )
    return Path(folder or ctx.obj or ".")


def _agree(target: Path, paths: Sequence[str]) -> None:
    """Return when these files may be added to what other files are kept in."""
    from workbench.workspace.templates import tracked_beside

    others = tracked_beside(target)
    if not others:
        return
    narrate_row(f"{target.resolve()} holds no agent memory.")
    narrate_row(f"Its git repository tracks {len(others):,} other files, such as {others[0]}.")
    narrate(f"One commit would add {', '.join(paths)}.")
    agree(
        "add them?",
        refusal="this looks like a repository of something else; nothing was changed",
        hint="name a folder for the memory: `workbench init DIR`; or add --yes",
    )


def _open(folder: str | None) -> None:
    from screens import terminal

    problem = terminal.problem()
    if problem:
        raise UsageError(problem)
    place = opened(folder, anyhow=True)
    from screens.start import run

    try:
        run(place)
    finally:
        place.close()
