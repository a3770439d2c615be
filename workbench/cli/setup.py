"""Commands to set up and remove: the interface itself, init, demo, serve, workspaces, completion."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli import shell_values
from workbench.cli.console import (
    FOUND_WANTING,
    agree,
    answered,
    attributes,
    choice,
    dry_run_option,
    flag,
    given,
    group,
    json_option,
    meant,
    named,
    narrate,
    narrate_row,
    number,
    opened,
    put,
    say,
    say_diff,
    say_row,
    this_moment,
    wants_json,
    word,
)
from workbench.config.read_only import VARIABLE, require_more_than_looking
from workbench.errors import NoWorkspaceError, UsageError
from workbench.plural import plural
from workbench.workspace.registry import read_registry, register, unregister
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from screens.serve.server import Server
    from workbench.workspace.plan import Plan

DEMO_FOLDER = "memory-demo"
PORT = 8470
SHELLS = {
    "bash": "source <(workbench completion bash)     # in ~/.bashrc",
    "zsh": "source <(workbench completion zsh)      # in ~/.zshrc, after compinit",
    "fish": "workbench completion fish > ~/.config/fish/completions/workbench.fish",
}
_VARIABLE = "_WORKBENCH_COMPLETE"
"""As click derives it from the program's name, which is where the program looks for it."""


@click.command("open", hidden=True)
@named("folder", "[FOLDER]", shell_values.folders)
@click.pass_context
def open_interface(ctx: click.Context, folder: str | None) -> None:
    """Open the interface on FOLDER, or on the nearest workspace."""
    _open(meant(folder) if folder else ctx.obj)


def _open(folder: str | None, proposed: int = 0) -> None:
    """Show the interface; it begins by telling how many proposals a dream just made."""
    from screens import terminal

    problem = terminal.problem()
    if problem:
        raise UsageError(problem)
    try:
        workspace = opened(folder, anyhow=True)
    except NoWorkspaceError:
        if folder is None and _say_found():
            return
        raise
    with contextlib.closing(workspace) as place:
        from screens.start import run

        code = run(place, proposed)
    click.get_current_context().exit(code)


@click.command()
@click.argument("folder", default=DEMO_FOLDER, metavar="[DIR]", shell_complete=shell_values.folders)
@flag("--no-open", "Do not open the interface.")
def demo(folder: str, no_open: bool) -> None:
    """Make a sample workspace with weeks of history and pending proposals, and open it."""
    from workbench.workspace.demo_writer import is_demo, write_demo

    target, proposed = Path(folder), 0
    if is_demo(target):
        narrate(f"{folder} is already there")
    else:
        require_more_than_looking()
        if target.exists() and any(target.iterdir()):
            raise UsageError(f"{folder} is not empty", hint="use another folder: workbench demo DIR")
        from workbench.dreaming.proposals.inbox import propose
        from workbench.dreaming.run import dream

        commits, files = write_demo(target)
        now = this_moment()
        with contextlib.closing(Workspace.open(target)) as place:
            proposed = len(propose(place, dream(place, now=now).proposals, now).added)
        made = ", ".join((plural(files, "file"), plural(commits, "commit"), plural(proposed, "proposal")))
        narrate(f"made {folder}: {made}")
    if no_open:
        say(folder)
    else:
        _open(folder, proposed)


@click.command()
@named("folder", "[DIR]", shell_values.folders)
@choice("--template", ("plain", "openclaw", "goclaw"), "plain", "Which template files to add.")
@dry_run_option
@flag("--yes", "Do not ask before files are added to a repository that tracks other files.")
@click.pass_context
def init(ctx: click.Context, folder: str | None, template: str, yes: bool) -> None:
    """Set up a workspace: git repository and missing files.

    In DIR. Default: the folder that -w names, or the current one.
    """
    from workbench.workspace.templates import needs_repository, owner_of, plan_init, set_up

    target = _to_set_up(ctx, folder)
    if target.exists() and not target.is_dir():
        raise NoWorkspaceError(f"{target} is not a folder")
    lacks_repository = needs_repository(target)
    plan = plan_init(target, template)
    if not lacks_repository and not plan.edits:
        say("everything is already there")
        _say_where_history_is(target, plan)
        return
    if given("dry_run"):
        if lacks_repository:
            say("would create a git repository")
        if plan.edits:
            say_diff(plan.diff())
        if target.is_dir() and not lacks_repository:
            _say_where_history_is(target, plan)
        return
    if plan.edits and not yes:
        _agree(target, [edit.path for edit in plan.edits])
    operation = set_up(target, template)
    if lacks_repository:
        say(f"created a git repository in {target.resolve()}")
    for path in operation.paths if operation else ():
        say(f"added {path}")
    if owner := owner_of(target):
        say(f"nothing was added: {owner} treats every file here as memory")
        say("`workbench status --commit` commits what is there")
    _say_where_history_is(target, plan)


def _say_where_history_is(folder: Path, plan: Plan) -> None:
    """Say where the history of the workspace is kept, where that is in no repository of the person's."""
    from workbench.cli.status import history_of, kept_in
    from workbench.workspace.templates import to_set_up

    with contextlib.closing(to_set_up(folder, plan)) as place:
        if place.history.own:
            say(f"history: {kept_in(history_of(place))}")


def _to_set_up(ctx: click.Context, folder: str | None) -> Path:
    """The folder that the argument names, else ``-w``. Raises UsageError where both name another one."""
    source = ctx.parent.get_parameter_source("workspace") if ctx.parent else None
    if (
        folder is not None
        and source is click.core.ParameterSource.COMMANDLINE
        and os.path.realpath(folder) != os.path.realpath(ctx.obj)
    ):
        raise UsageError(
            f"-w names {ctx.obj}, and the argument {folder}: only one can be set up",
            hint="use one of them; nothing was changed",
        )
    return Path(folder or ctx.obj or ".")


def _agree(target: Path, paths: Sequence[str]) -> None:
    """Return when these files may be added to what other files are kept in."""
    from workbench.workspace.templates import tracked_beside

    others = tracked_beside(target)
    if not others:
        return
    narrate_row(f"{target.resolve()} contains no agent memory.")
    narrate_row(f"Its git repository tracks {len(others):,} other files, such as {others[0]}.")
    narrate(f"One commit would add {', '.join(paths)}.")
    agree(
        "add them?",
        refusal="this looks like a repository for something else; nothing was changed",
        hint="give a folder for the memory: `workbench init DIR`; or add --yes",
    )


@click.command()
@number("--port", high=65535, default=PORT, help="The port; 0 selects a free one.")
@word("--host", "ADDRESS", "A loopback address of this machine.", default="127.0.0.1")
@flag("--read-only", "Make memory read-only.")
def serve(port: int, host: str, read_only: bool) -> None:
    """Serve the interface to a browser on this machine, until ctrl+c.

    The printed address contains a token that is new at each start; whoever has it sees this memory. Needs the
    extra `serve` (docs/install.md).
    """
    import asyncio

    from screens.serve.auth import require_loopback

    try:
        from screens.serve.server import Server
    except ImportError as error:
        raise UsageError(
            f"{error.name or 'a library'} is required for `serve` and not installed",
            hint="install the extra `serve` (README, Install)",
        ) from error
    address = require_loopback(host)
    with contextlib.closing(opened()) as place:
        root = place.root
    if read_only:
        os.environ[VARIABLE] = "1"
    only = ", read-only" if os.environ.get(VARIABLE) else ""
    try:
        asyncio.run(
            _serve(
                Server(root), address, port, f"{root.name} is served on this machine{only}; ctrl+c ends it"
            )
        )
    except OSError as error:
        number = error.errno or 0
        why = os.strerror(number) if number > 0 else error.strerror or error
        raise UsageError(
            f"port {port} cannot be used: {why}", hint="use another, or --port 0 for a free one"
        ) from error


async def _serve(server: Server, host: str, port: int, told: str) -> None:
    import asyncio
    import signal

    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for sign in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(sign, ended.set)
    await server.start(host, port)
    say(server.address)
    narrate(told)
    try:
        await ended.wait()
    finally:
        await server.stop()


@group(invoke_without_command=True)
@flag("--found", "List the memories that agents keep on this machine, registered or not.")
@json_option
@click.pass_context
def workspaces(ctx: click.Context, found: bool) -> None:
    """Your workspaces by name, for `-w NAME`, `search --all` and the interface (key O).

    The list is `workspaces.yaml`, next to your settings file. Each workspace has its own index, history and
    locks. --found looks in the folders where OpenClaw, Claude Code, Codex and others keep memory, and writes
    nothing.
    """
    if ctx.invoked_subcommand is not None:
        if found:
            raise UsageError("--found excludes subcommands", hint="`workbench workspaces --found`")
    elif found:
        _say_found()
    else:
        raise click.exceptions.NoArgsIsHelpError(ctx)


def _say_found() -> bool:
    """Tell what agents of this machine keep, and how to open it; whether there is anything."""
    from workbench.health.machine_memories import agent_memories

    memories = agent_memories()
    found = [
        {
            "path": one.path,
            "layout": one.layout.name,
            **attributes(one, "files", "bytes", "newest", "loaded", "pending"),
            "problem": one.problem or None,
        }
        for one in memories
    ]
    if answered({"found": found}):
        return bool(memories)
    for one in memories:
        counts = ", ".join(f"{count} {kind}" for kind, count in one.files.items())
        counts += f"; {one.pending} pending" if one.pending else ""
        say_row(f"{one.layout.title}  {one.path}", bold=True)
        if one.problem:
            say_row(f"  {one.problem}", fg="yellow")
            continue
        say_row(f"  {counts}; last written {one.newest:%Y-%m-%d %H:%M}" if one.newest else f"  {counts}")
        if one.load:
            cut = any(state.lost for state in one.loaded)
            say_row(f"  {one.load}", **({"fg": "yellow"} if cut else {"dim": True}))
    narrate(
        f"open one with: `workbench {shlex.quote(str(memories[0].path))}`"
        if memories
        else "no agent's memory was found on this machine"
    )
    return bool(memories)


@workspaces.command()
@named("folder", "[DIR]")
@word("--name", "NAME", "Its name. Default: the name of its folder.")
@click.pass_context
def add(ctx: click.Context, folder: str | None, name: str) -> None:
    """Add the workspace in DIR to the list. Default: the nearest one. It is not changed."""
    added = register(folder or ctx.find_root().obj or Workspace.nearest_root("."), name)
    if not answered({"name": added.name, "path": added.root}):
        say_row(f"{added.name}  {added.root}")


@workspaces.command("list")
def list_() -> int:
    """List registered workspaces and the state of their index.

    The exit code is 4 if one is missing, cannot be opened or needs a newer version, or if a line of the list
    is invalid.
    """
    from workbench.health.machine_memories import standing

    known = read_registry()
    found = [standing(one) for one in known.entries]
    if not answered({"file": known.path, "workspaces": found, "skipped": known.skipped}):
        width = max((len(one.name) for one in found), default=0)
        for one in found:
            count = plural(one.entries, "entry") if one.usable else one.state
            say_row(
                f"{one.name:<{width}}  {count:>16}  {one.summary}",
                fg="yellow" if one.needs_a_look else None,
            )
            say_row(f"{'':<{width}}  {one.path}", dim=True)
        for line in known.skipped:
            narrate_row(f"skipped in {known.path}: {line}")
        if not found:
            narrate("no workspace is registered: `workbench workspaces add DIR`")
    return FOUND_WANTING if known.skipped or any(one.needs_a_look for one in found) else 0


@workspaces.command()
@named("name", "NAME", shell_values.registered)
def remove(name: str) -> None:
    """Remove NAME from the list. Its folder, memory and index are not changed."""
    path = unregister(name)
    if not answered({"name": name, "path": path}):
        say_row(f"{name} was unregistered; nothing in {path} was changed")


@click.command()
@click.argument("shell", type=click.Choice(list(SHELLS)))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script for shell completion of `workbench` in bash, zsh or fish.

    It completes commands, options and their values, memory paths, and names of workspaces, themes and
    settings.

    \b
    bash   source <(workbench completion bash)     in ~/.bashrc (bash 4.4 or newer)
    zsh    source <(workbench completion zsh)      in ~/.zshrc, after compinit
    fish   workbench completion fish > ~/.config/fish/completions/workbench.fish
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    put(kind(ctx.find_root().command, {}, "workbench", _VARIABLE).source())
    if sys.stdout.isatty():
        narrate(f"to have it in every shell: {SHELLS[shell]}")


@click.command()
@flag("--dry-run", "Only print the list.")
@flag("--yes", "Do not ask.")
@json_option
def uninstall(dry_run: bool, yes: bool) -> None:
    """Remove your settings, keys, themes, list of workspaces, caches and seal key from this machine.

    Memory, its git history and `.workbench/` in each workspace stay. Lines that start the program (hooks and
    MCP servers of agents, your crontab and timers, shell completion) are listed with file and line, and you
    remove them yourself. Remove the program itself with the tool that installed it.
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
