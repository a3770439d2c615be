"""The program ``workbench``: global options, and what a bare folder name means."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from workbench import __version__
from workbench.cli import acting, reading, searching, setting_up
from workbench.cli.output import fail
from workbench.errors import WorkbenchError, disk_error


class _Program(click.Group):
    """A group in which ``workbench DIR`` opens the interface on that folder."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that ``args`` name; a folder that is no command is opened."""
        if self.get_command(ctx, args[0]) is None and Path(args[0]).is_dir():
            return "open", self.get_command(ctx, "open"), args
        return super().resolve_command(ctx, args)


@click.group(
    cls=_Program,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "-w",
    "--workspace",
    metavar="DIR",
    envvar="WORKBENCH_WORKSPACE",
    help="The workspace; else the nearest one upwards from here.",
)
@click.version_option(__version__, prog_name="workbench")
@click.pass_context
def workbench(ctx: click.Context, workspace: str | None) -> None:
    """Curate the memory of an AI agent: see it, search it, promote, forget, undo.

    Without a command, the interface opens on the nearest workspace.
    """
    ctx.obj = workspace
    if ctx.invoked_subcommand is None:
        ctx.invoke(setting_up.open_interface, folder=None)


for command in (
    setting_up.open_interface,
    setting_up.demo,
    setting_up.init,
    reading.status,
    searching.reindex,
    searching.search,
    reading.get,
    acting.promote,
    acting.forget,
    acting.undo,
    acting.redo,
    reading.log,
    reading.show,
    reading.keys,
):
    workbench.add_command(command)


def main() -> None:
    """Run the program and leave with its exit code."""
    try:
        code = workbench.main(standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as leave:
        code = leave.exit_code
    except (click.exceptions.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        code = 130
    except click.ClickException as wrong:
        if "--json" in sys.argv:
            fail(WorkbenchError(wrong.format_message()), as_json=True, code="usage")
        else:
            wrong.show()
        code = wrong.exit_code
    except WorkbenchError as error:
        fail(error, as_json="--json" in sys.argv)
        code = error.exit_code
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as refused:
        fail(disk_error(refused), as_json="--json" in sys.argv)
        code = 1
    sys.exit(code if isinstance(code, int) else 0)
