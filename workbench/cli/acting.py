"""Commands that change memory. Each is one operation, one commit, and undoable."""

from __future__ import annotations

import click

from workbench.cli.carrying_out import act, dry_run_option, entries_argument, reason_option
from workbench.cli.output import json_option
from workbench.cli.places import workspace


@click.command()
@entries_argument
@click.option("--heading", default=None, help="Section of MEMORY.md; else the one that fits.")
@reason_option
@dry_run_option
@json_option
def promote(entries: tuple[str, ...], heading: str | None, reason: str, dry_run: bool, as_json: bool) -> None:
    """Copy entries into MEMORY.md, with the way back to where they came from."""
    from workbench.curation import plan_promote

    with workspace() as place:
        act(
            place,
            lambda: plan_promote(place, entries, section=heading, reason=reason),
            dry_run=dry_run,
            as_json=as_json,
        )


@click.command()
@entries_argument
@reason_option
@dry_run_option
@json_option
def forget(entries: tuple[str, ...], reason: str, dry_run: bool, as_json: bool) -> None:
    """Take entries out of their files, or a whole episode or graph page."""
    from workbench.curation import plan_forget

    with workspace() as place:
        act(
            place,
            lambda: plan_forget(place, entries, reason=reason),
            dry_run=dry_run,
            as_json=as_json,
        )


@click.command()
@click.argument("operation", metavar="[OP]", required=False)
@dry_run_option
@json_option
def undo(operation: str | None, dry_run: bool, as_json: bool) -> None:
    """Take back the newest operation, or any other, in any order."""
    from workbench.curation import plan_undo

    with workspace() as place:
        act(place, lambda: plan_undo(place, operation), dry_run=dry_run, as_json=as_json)


@click.command()
@dry_run_option
@json_option
def redo(dry_run: bool, as_json: bool) -> None:
    """Bring back what was undone last."""
    from workbench.curation import plan_redo

    with workspace() as place:
        act(place, lambda: plan_redo(place), dry_run=dry_run, as_json=as_json)
