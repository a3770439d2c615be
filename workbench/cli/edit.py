"""Commands that change what an entry says: edit, merge, pin."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import click

from workbench.cli.lookup import content_address, content_addresses
from workbench.cli.output import json_option, narrate
from workbench.cli.run_operation import (
    act,
    allow_secret_option,
    dry_run_option,
    entries_argument,
    reason_option,
)
from workbench.cli.workspace_options import workspace
from workbench.errors import UsageError
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace


@click.command()
@click.argument("entry", metavar="ENTRY")
@click.option(
    "--text", metavar="MARKDOWN", default=None, help="Its new words, or its lines with the list marker."
)
@click.option("--from-stdin", is_flag=True, help="Read them from standard input.")
@reason_option
@allow_secret_option
@dry_run_option
@json_option
def edit(
    entry: str,
    text: str | None,
    from_stdin: bool,
    reason: str,
    allow_secret: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Change the lines of one entry, in your editor.

    Words without a list marker (--text, --from-stdin) keep the entry's marker and where it came from.
    What is written there is never lost: when the entry was changed on disk meanwhile, nothing is
    overwritten, and the text stays in a file that is named.
    """
    from workbench.operations import plan_edit, reworded

    if text is not None and from_stdin:
        raise UsageError("--text or --from-stdin, not both")

    def put(place: Workspace, source: str, expected: str) -> None:
        do(place, lambda: plan_edit(place, address, source, expected=expected, reason=reason))

    def say(place: Workspace, words: str) -> None:
        do(place, lambda: plan_edit(place, address, reworded(*place.locate(address), words), reason=reason))

    def do(place: Workspace, planner: Callable[[], Plan]) -> None:
        act(
            place,
            planner,
            dry_run=dry_run,
            as_json=as_json,
            allow_secret=allow_secret,
        )

    with workspace() as place:
        address = content_address(place, entry)
        if from_stdin:
            data = sys.stdin.buffer.read() if sys.stdin else b""  # None where it is closed
            say(place, data.decode("utf-8", "surrogateescape"))
        elif text is not None:
            say(place, text)
        else:
            _edit_outside(place, address, put)


def _edit_outside(place: Workspace, entry: str, put: Callable[[Workspace, str, str], None]) -> None:
    from workbench.editor import drafted, editor_command
    from workbench.operations import entry_source

    command = editor_command(os.environ)
    source = entry_source(*place.locate(entry))
    with drafted(source, away_from=place.root) as draft:
        try:
            draft.run_editor(command)
            put(place, draft.text(), source)
        except (OSError, KeyboardInterrupt):
            if draft.changed:
                narrate(f"your text is kept in {draft.path}")
            raise


@click.command()
@entries_argument
@click.option("--text", metavar="WORDS", default=None, help="What the merged entry says.")
@click.option("--allow-flagged", is_flag=True, help="Take entries with hidden text or a secret too.")
@reason_option
@allow_secret_option
@dry_run_option
@json_option
def merge(
    entries: tuple[str, ...],
    text: str | None,
    allow_flagged: bool,
    reason: str,
    allow_secret: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Make one entry of several.

    Lines of logs and episodes are originals and stay where they are.
    """
    from workbench.operations import plan_merge

    with workspace() as place:
        addresses = content_addresses(place, entries)
        act(
            place,
            lambda: plan_merge(place, addresses, text=text, reason=reason, allow_flagged=allow_flagged),
            dry_run=dry_run,
            as_json=as_json,
            allow_secret=allow_secret,
        )


@click.command()
@entries_argument
@click.option("--off", is_flag=True, help="Take the mark off again.")
@reason_option
@allow_secret_option
@dry_run_option
@json_option
def pin(
    entries: tuple[str, ...], off: bool, reason: str, allow_secret: bool, dry_run: bool, as_json: bool
) -> None:
    """Mark entries, or a whole episode, as to be kept.

    Neither the archive nor any other automation takes what is pinned.
    """
    from workbench.operations import plan_pin

    with workspace() as place:
        addresses = content_addresses(place, entries)
        act(
            place,
            lambda: plan_pin(place, addresses, on=not off, reason=reason),
            dry_run=dry_run,
            as_json=as_json,
            allow_secret=allow_secret,
        )
