"""Commands that give entries another place: move, quarantine, release, archive; and back from history."""

from __future__ import annotations

import click

from workbench.cli import shell_values
from workbench.cli.lookup import content_address, content_addresses
from workbench.cli.output import json_option, say, say_json
from workbench.cli.run_operation import (
    act,
    allow_secret_option,
    dry_run_option,
    entries_argument,
    reason_option,
)
from workbench.cli.workspace_options import moment, workspace
from workbench.errors import UsageError, WorkbenchError
from workbench.memory.names import RelPath
from workbench.workspace.layout import QUARANTINE
from workbench.workspace.workspace import Workspace

_any_entries = click.argument("entries", metavar="[ENTRY...]", nargs=-1)


@click.command()
@entries_argument
@click.option(
    "--to",
    default=None,
    metavar="PATH",
    help="The file to move to; else the entry's own.",
    shell_complete=shell_values.memory_paths,
)
@click.option("--heading", default=None, help="Section to move to; made when it is missing.")
@click.option("--allow-flagged", is_flag=True, help="Take hidden text or a secret into MEMORY.md too.")
@reason_option
@allow_secret_option
@dry_run_option
@json_option
def move(
    entries: tuple[str, ...],
    to: str | None,
    heading: str | None,
    allow_flagged: bool,
    reason: str,
    allow_secret: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Take entries to another section or file.

    They come to stand at its end, with all that is nested in them.
    """
    from workbench.operations import plan_move

    with workspace() as place:
        addresses = content_addresses(place, entries)
        act(
            place,
            lambda: plan_move(
                place, addresses, to=to, section=heading, reason=reason, allow_flagged=allow_flagged
            ),
            dry_run=dry_run,
            as_json=as_json,
            allow_secret=allow_secret,
        )


@click.command()
@_any_entries
@click.option("--list", "only_list", is_flag=True, help="Show what is in quarantine.")
@reason_option
@allow_secret_option
@dry_run_option
@json_option
def quarantine(
    entries: tuple[str, ...], only_list: bool, reason: str, allow_secret: bool, dry_run: bool, as_json: bool
) -> None:
    """Set suspicious entries or pages aside: no agent loads them."""
    from workbench.operations import plan_quarantine

    if only_list == bool(entries):
        raise UsageError(
            "either entries are set aside, or the quarantine is listed",
            hint="workbench quarantine ENTRY..., or workbench quarantine --list",
        )
    if only_list:
        _list_quarantine(as_json)
        return
    with workspace() as place:
        addresses = content_addresses(place, entries)
        act(
            place,
            lambda: plan_quarantine(place, addresses, reason=reason),
            dry_run=dry_run,
            as_json=as_json,
            allow_secret=allow_secret,
        )


def _list_quarantine(as_json: bool) -> None:
    from workbench.operations import quarantined

    with workspace() as place:
        found = quarantined(place)
        reasons = _reasons(place) if found else {}
    if as_json:
        say_json(
            [
                {
                    "entry": item.address,
                    "title": item.title,
                    "from": item.origin,
                    "quarantined": item.since.isoformat() if item.since else None,
                    "reason": reasons.get(item.address),
                }
                for item in found
            ]
        )
        return
    for item in found:
        since = f" since {item.since}" if item.since else ""
        say(f"{item.address}  from {item.origin or 'nowhere known'}{since}  {item.title}")
        if reason := reasons.get(item.address):
            say(f"    because {reason}", dim=True)


def _reasons(place: Workspace) -> dict[str, str]:
    """Why each thing was set aside last, by its address, as far as the history tells."""
    reasons: dict[str, str] = {}
    try:
        for operation in place.operations.walk(path=RelPath(QUARANTINE.rstrip("/"))):
            if operation.action == "quarantine" and operation.reason:
                reasons |= {
                    address: operation.reason for address in operation.became if address not in reasons
                }
    except WorkbenchError:  # without a repository there is no history, and yet something to list
        return {}
    return reasons


@click.command()
@entries_argument
@reason_option
@allow_secret_option
@dry_run_option
@json_option
def release(entries: tuple[str, ...], reason: str, allow_secret: bool, dry_run: bool, as_json: bool) -> None:
    """Bring entries and pages out of quarantine."""
    from workbench.operations import plan_release

    with workspace() as place:
        addresses = content_addresses(place, entries)
        act(
            place,
            lambda: plan_release(place, addresses, reason=reason),
            dry_run=dry_run,
            as_json=as_json,
            allow_secret=allow_secret,
        )


@click.command()
@_any_entries
@click.option(
    "--budget",
    type=click.IntRange(min=0),
    default=None,
    help="Characters that MEMORY.md may have; else the setting memory_budget.",
)
@reason_option
@allow_secret_option
@dry_run_option
@json_option
def archive(
    entries: tuple[str, ...],
    budget: int | None,
    reason: str,
    allow_secret: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Take entries out of MEMORY.md into the archive.

    Without ENTRY as many as its budget asks for, the least valuable first.

    What is archived stays searchable and is never loaded.
    """
    from workbench.operations import plan_archive

    if entries and budget is not None:
        raise UsageError("--budget chooses entries by itself", hint="leave it away, or name no entries")
    with workspace() as place:
        addresses = content_addresses(place, entries)
        act(
            place,
            lambda: plan_archive(place, addresses, budget=budget, reason=reason),
            dry_run=dry_run,
            as_json=as_json,
            allow_secret=allow_secret,
        )


def restore_from_history(target: str, at: str, *, reason: str, dry_run: bool, as_json: bool) -> None:
    """Bring a file or an entry back as it was at a moment: an operation, a commit or a day."""
    from workbench.operations import plan_restore

    with workspace() as place:
        address = content_address(place, target)
        act(
            place,
            lambda: plan_restore(place, address, moment(at), reason=reason),
            dry_run=dry_run,
            as_json=as_json,
        )
