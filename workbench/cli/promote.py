"""Commands that change memory. Each is one operation, one commit, and undoable."""

from __future__ import annotations

import click

from workbench.cli.bulk_selection import (
    choose,
    most_option,
    query_option,
    session_option,
    some_entries_argument,
    yes_option,
)
from workbench.cli.lookup import content_address, content_addresses
from workbench.cli.output import json_option
from workbench.cli.run_operation import (
    act,
    allow_secret_option,
    dry_run_option,
    entries_argument,
    reason_option,
)
from workbench.cli.workspace_options import workspace


@click.command()
@entries_argument
@click.option("--heading", default=None, help="Section of MEMORY.md; else the one that fits.")
@click.option("--into", metavar="ENTRY", default=None, help="Merge them into this entry of MEMORY.md.")
@click.option("--allow-flagged", is_flag=True, help="Take entries with hidden text or a secret too.")
@reason_option
@allow_secret_option
@dry_run_option
@json_option
def promote(
    entries: tuple[str, ...],
    heading: str | None,
    into: str | None,
    allow_flagged: bool,
    reason: str,
    allow_secret: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Copy entries into MEMORY.md, with the way back."""
    from workbench.operations import plan_promote

    with workspace() as place:
        addresses = content_addresses(place, entries)
        target = None if into is None else content_address(place, into)
        act(
            place,
            lambda: plan_promote(
                place, addresses, section=heading, into=target, reason=reason, allow_flagged=allow_flagged
            ),
            dry_run=dry_run,
            as_json=as_json,
            allow_secret=allow_secret,
        )


@click.command()
@some_entries_argument
@session_option
@query_option
@most_option
@yes_option
@reason_option
@allow_secret_option
@dry_run_option
@json_option
def forget(
    entries: tuple[str, ...],
    session: str | None,
    query: str | None,
    k: int,
    yes: bool,
    reason: str,
    allow_secret: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Take entries, or whole episodes and graph pages, out.

    --session and --query choose many at once: the list is always shown first, and you are asked. They stay
    in git's history, which is what makes undo possible; docs/purge.md tells how to remove a secret from the
    history too.
    """
    from workbench.operations import plan_forget

    with workspace() as place:
        chosen = choose(
            place,
            entries,
            session=session,
            query=query,
            most=k,
            yes=yes,
            dry_run=dry_run,
            as_json=as_json,
        )
        act(
            place,
            lambda: plan_forget(place, chosen(), reason=reason),
            dry_run=dry_run,
            as_json=as_json,
            allow_secret=allow_secret,
        )


@click.command()
@click.argument("operation", metavar="[OP]", required=False)
@allow_secret_option
@dry_run_option
@json_option
def undo(operation: str | None, allow_secret: bool, dry_run: bool, as_json: bool) -> None:
    """Take back the newest operation, or any other, in any order."""
    from workbench.operations import plan_undo

    with workspace() as place:
        act(
            place,
            lambda: plan_undo(place, operation),
            dry_run=dry_run,
            as_json=as_json,
            allow_secret=allow_secret,
        )


@click.command(short_help="Bring back what was undone last, or by OPERATION.")
@click.argument("operation", required=False)
@allow_secret_option
@dry_run_option
@json_option
def redo(operation: str | None, allow_secret: bool, dry_run: bool, as_json: bool) -> None:
    """Bring back what was undone last, or what any OPERATION did that is undone."""
    from workbench.operations import plan_redo

    with workspace() as place:
        act(
            place,
            lambda: plan_redo(place, operation),
            dry_run=dry_run,
            as_json=as_json,
            allow_secret=allow_secret,
        )
