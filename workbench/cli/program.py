"""The program ``workbench``: global options, and what a bare folder name means."""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from workbench import __version__
from workbench.cli import shell_values
from workbench.cli.commands import COMMANDS, LISTED, Commands, refuse_renamed
from workbench.cli.console import (
    OutputError,
    abandon_output,
    fail,
    fail_usage,
    given,
    meant,
    narrate,
    occupy_closed_streams,
    shared_option,
)
from workbench.errors import NoWorkspaceError, ReadOnlyError, WorkbenchError, WriteFailedError, disk_error

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_OF_ANY_MOMENT = (
    None,
    "open",
    "status",
    "get",
    "search",
    "reindex",
    "log",
    "show",
    "blame",
    "graph",
)
"""What can be asked of memory as it was."""


class ReaderGoneError(Exception):
    """Whoever reads the output has seen enough. No OSError: for that click ends the program with 1."""


class _Program(click.Group):
    """A group in which ``workbench DIR`` opens the interface on that folder."""

    def invoke(self, ctx: click.Context) -> Any:
        """Do what the arguments ask. Raises ReaderGoneError where nobody reads what it prints."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ReaderGoneError from error

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that ``args`` name; a folder that is no command is opened."""
        name = args[0]
        refuse_renamed(ctx, name)
        if name not in self.commands:
            # While a line is completed, the shell asks what could follow a folder.
            if ctx.resilient_parsing or Path(name).is_dir():
                return "open", self.commands["open"], args
            if any(sign in name for sign in "/.~"):
                raise NoWorkspaceError(
                    f"{name} is neither a command nor a folder", hint="`workbench --help` lists the commands"
                )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands under what they are for."""
        width = max(len(name) for name in self.commands)
        for title, commands in COMMANDS.items():
            with formatter.section(title):
                formatter.write_dl([(c.name.ljust(width), c.summary) for c in commands if not c.hidden])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands that begin so, none of them loaded; else the folders."""
        from click.shell_completion import CompletionItem

        offered = [
            CompletionItem(listed.name, help=listed.summary)
            for listed in LISTED.values()
            if listed.name.startswith(incomplete) and not listed.hidden
        ]
        offered += click.Command.shell_complete(self, ctx, incomplete)
        return offered or [CompletionItem(incomplete, type="dir")]


@click.group(
    cls=_Program,
    commands=Commands(LISTED),
    invoke_without_command=True,
    subcommand_metavar="[DIR | COMMAND [ARGS]...]",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "-w",
    "--workspace",
    metavar="DIR",
    envvar="WORKBENCH_WORKSPACE",
    shell_complete=shell_values.workspaces,
    help="A folder, or a name from `workspaces list`. Default: the nearest workspace, from here upwards.",
)
@shared_option(
    "--as-of",
    metavar="WHEN",
    help="Memory as it was after an operation or commit, or at the end of a day (2026-03-14, 3d). Read-only.",
)
@click.version_option(__version__, prog_name="workbench")
@click.pass_context
def workbench(ctx: click.Context, workspace: str | None) -> None:
    """Curate the memory of an AI agent: see it, search it, promote, forget, undo.

    Without a command, the interface opens on the nearest workspace.
    """
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        ctx.color = False
    ctx.obj = meant(workspace, may_be_new=ctx.invoked_subcommand == "init") if workspace else workspace
    if given("as_of") is not None and ctx.invoked_subcommand not in _OF_ANY_MOMENT:
        raise ReadOnlyError(
            f"`{ctx.invoked_subcommand}` does not support --as-of",
            hint=f"--as-of works with {', '.join(_OF_ANY_MOMENT[2:])} and the interface",
        )
    if ctx.invoked_subcommand is None:
        ctx.invoke(workbench.commands["open"], folder=None)


def main() -> None:
    """Run the program and leave with its exit code."""
    # Most of what a command makes lives until it ends: to look for rubbish as often as a program that runs
    # for days is a twentieth of its time.
    gc.set_threshold(20_000, 10, 10)
    occupy_closed_streams()
    try:
        code = _answer()
        sys.stdout.flush()
    except (BrokenPipeError, ReaderGoneError):
        abandon_output()
        code = 0
    except OSError as refused:
        abandon_output()
        reason = refused.strerror or refused
        with contextlib.suppress(OSError):
            fail(WriteFailedError(f"the output could not be written: {reason}"), as_json=False)
        code = 1
    sys.exit(code)


def _answer() -> int:
    """Do what the arguments ask; whatever goes wrong is said. Raises OSError when it cannot be said.

    What a hook prints is for the agent, and an exit code would block it: neither says what is wrong.
    """
    is_hook = "--hook" in sys.argv
    as_json = "--json" in sys.argv and not is_hook
    try:
        code = workbench.main(standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except (click.exceptions.Abort, KeyboardInterrupt):
        narrate("interrupted")
        return 130
    except click.ClickException as wrong:
        fail_usage(wrong, as_json=as_json)
        code = wrong.exit_code
    except WorkbenchError as error:
        fail(error, as_json=as_json)
        code = error.exit_code
    except (OutputError, ReaderGoneError, BrokenPipeError):
        raise
    except Exception as error:
        refused = error if isinstance(error, OSError) else _out_of_files(error)
        if refused is None:
            raise
        explained = _explained(refused)
        fail(explained, as_json=as_json)
        code = explained.exit_code
    return 0 if is_hook else code


def _out_of_files(error: BaseException | None) -> OSError | None:
    """The refusal to open one more file behind an error of a library, which may be any."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            return error
        error = error.__cause__ or error.__context__
    return None


def _explained(refused: OSError) -> WorkbenchError:
    try:
        Path.cwd()
    except FileNotFoundError:
        return NoWorkspaceError(
            "the current folder no longer exists",
            hint="change to another one, and select the workspace with -w",
        )
    return disk_error(refused)
