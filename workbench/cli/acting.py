"""Commands that change memory. Each is one operation, one commit, and undoable."""

from __future__ import annotations

from collections.abc import Callable

import click

from workbench.cli.output import json_option, narrate, operation_json, plan_json, say, say_diff, say_json
from workbench.cli.places import workspace
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

_dry_run = click.option("--dry-run", is_flag=True, help="Only show the diff.")
_reason = click.option("--reason", default="", help="Why; kept in the commit.")
_entries = click.argument("entries", metavar="ENTRY...", nargs=-1, required=True)


@click.command()
@_entries
@click.option("--heading", default=None, help="Section of MEMORY.md; else the one that fits.")
@_reason
@_dry_run
@json_option
def promote(entries: tuple[str, ...], heading: str | None, reason: str, dry_run: bool, as_json: bool) -> None:
    """Copy entries into MEMORY.md, with the way back to where they came from."""
    from workbench.curation import plan_promote

    with workspace() as place:
        _act(
            place,
            lambda: plan_promote(place, entries, section=heading, reason=reason),
            dry_run=dry_run,
            as_json=as_json,
        )


@click.command()
@_entries
@_reason
@_dry_run
@json_option
def forget(entries: tuple[str, ...], reason: str, dry_run: bool, as_json: bool) -> None:
    """Take entries out of their files, or a whole episode or graph page."""
    from workbench.curation import plan_forget

    with workspace() as place:
        _act(
            place,
            lambda: plan_forget(place, entries, reason=reason),
            dry_run=dry_run,
            as_json=as_json,
        )


@click.command()
@click.argument("operation", metavar="[OP]", required=False)
@_dry_run
@json_option
def undo(operation: str | None, dry_run: bool, as_json: bool) -> None:
    """Take back the newest operation, or any other, in any order."""
    from workbench.curation import plan_undo

    with workspace() as place:
        _act(place, lambda: plan_undo(place, operation), dry_run=dry_run, as_json=as_json)


@click.command()
@_dry_run
@json_option
def redo(dry_run: bool, as_json: bool) -> None:
    """Bring back what was undone last."""
    from workbench.curation import plan_redo

    with workspace() as place:
        _act(place, lambda: plan_redo(place), dry_run=dry_run, as_json=as_json)


def _act(place: Workspace, planner: Callable[[], Plan], *, dry_run: bool, as_json: bool) -> None:
    """Show what would be done, or do it and say so."""
    if dry_run:
        plan = planner()
        if as_json:
            say_json(plan_json(plan))
        else:
            say_diff(plan.diff())
        return
    plans: list[Plan] = []

    def plan_and_keep() -> Plan:
        plans.append(planner())
        return plans[-1]

    operation = place.operations.carry_out(plan_and_keep)
    if as_json:
        say_json(operation_json(operation, plans[-1].diff()))
        return
    say(operation.summary)
    for key, value in operation.trailers:
        if key == "Section":
            say(f"  → {value}")
    narrate(f"operation {operation.id}; `workbench undo {operation.id}` takes it back")
    for note in operation.notes:
        narrate(f"note: {note}")
