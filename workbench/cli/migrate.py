"""The command that brings a memory to the format of this program."""

from __future__ import annotations

import click

from workbench.cli.options import dry_run_option
from workbench.cli.output import (
    json_option,
    say,
    say_json,
    wants_json,
)
from workbench.cli.run_operation import act
from workbench.cli.workspace_options import workspace


@click.command(short_help="Bring memory that an older version wrote to today's format.")
@dry_run_option
@json_option
def migrate(dry_run: bool) -> None:
    """Bring memory that an older version wrote to today's format.

    It is one operation, which `undo` takes back; words and addresses stay. What is in the format already, or
    holds nothing of the workbench's, is left alone. docs/format.md tells what each format is.
    """
    from workbench.errors import NotCuratableError
    from workbench.format import FORMAT
    from workbench.operations.migrate import plan_migrate
    from workbench.workspace.format import format_of
    from workbench.workspace.plan import Plan

    def plan() -> Plan:
        found = plan_migrate(place)
        if found is None:
            raise NotCuratableError("somebody else has brought it there meanwhile")
        return found

    with workspace() as place:
        if plan_migrate(place) is not None:
            act(place, plan, dry_run=dry_run)
            return
        found = format_of(place.root)
    if wants_json():
        say_json({"operation": None, "format": found, "newest": FORMAT})
    elif found == FORMAT:
        say(f"this memory has format {FORMAT} already")
    else:
        say("this memory holds nothing that the workbench wrote, so it needs no format")
