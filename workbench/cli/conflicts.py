"""Text of another writer that is in no memory file: listed, shown beside its file, taken off the list."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import click

from workbench.cli.output import json_option, narrate, say, say_diff, say_json
from workbench.cli.places import workspace
from workbench.errors import UsageError
from workbench.memory.file_edit import FileEdit, unified_diff
from workbench.memory.names import RelPath
from workbench.workspace.displaced import Conflict
from workbench.workspace.workspace import Workspace


@click.command()
@click.option("--show", "shown", metavar="N", type=click.IntRange(min=1), help="The text against its file.")
@click.option(
    "--discard", "discarded", metavar="N", type=click.IntRange(min=1), help="Take one off the list."
)
@click.option("--yes", is_flag=True, help="Discard without asking.")
@json_option
def conflicts(shown: int | None, discarded: int | None, yes: bool, as_json: bool) -> None:
    """Text of another writer that fitted into no file.

    Look at each, put into its file what belongs there, then discard it. What is discarded stays in git.
    """
    if shown is not None and discarded is not None:
        raise UsageError("--show and --discard exclude each other", hint="look first, then discard")
    with workspace() as place:
        if discarded is not None:
            _discard(place, discarded, yes=yes, as_json=as_json)
        elif shown is not None:
            _show(place, shown, as_json=as_json)
        else:
            _list(place, as_json=as_json)


def listed(place: Workspace) -> list[dict[str, Any]]:
    """Every conflict with its number, as JSON has it."""
    numbers = range(1, len(place.operations.conflicts()) + 1)
    return [_as_json(number, place.operations.conflict(number)) for number in numbers]


def conflict_warning(conflict: dict[str, Any]) -> str:
    """The line of `workbench status` for one of them."""
    return (
        f"conflict {conflict['number']}: another writer's text for {conflict['path'] or 'a file'} is in no "
        f"memory file; `workbench conflicts --show {conflict['number']}` shows it"
    )


def _list(place: Workspace, *, as_json: bool) -> None:
    found = listed(place)
    if as_json:
        say_json(found)
        return
    for conflict in found:
        say(f"{conflict['number']:>3}  {conflict['path'] or 'unknown file'}  {conflict['first_line']}")
    if not found:
        say("no conflicts")
    else:
        narrate("`workbench conflicts --show N` shows one, `--discard N` takes it off the list")


def _show(place: Workspace, number: int, *, as_json: bool) -> None:
    conflict = place.operations.conflict(number)
    diff = _diff(place, conflict)
    if as_json:
        say_json({**_as_json(number, conflict), "diff": diff})
        return
    say(f"{conflict.path or 'unknown file'}, and what was kept in {conflict.kept}")
    say_diff(diff or "the file holds exactly this text by now")


def _discard(place: Workspace, number: int, *, yes: bool, as_json: bool) -> None:
    conflict = place.operations.conflict(number)
    if not yes:
        say_diff(_diff(place, conflict) or "the file holds exactly this text by now")
        if not click.confirm(f"discard conflict {number}?", err=True):
            narrate("kept")
            return
    blob = place.operations.discard(conflict)
    if as_json:
        say_json({**_as_json(number, conflict, text=b""), "discarded": blob})
        return
    say(f"discarded conflict {number}")
    narrate(f"git cat-file blob {blob} brings the text back")


def _as_json(number: int, conflict: Conflict, text: bytes | None = None) -> dict[str, Any]:
    lines = (conflict.text() if text is None else text).decode("utf-8", "replace").split("\n")
    since = datetime.fromtimestamp(conflict.since, UTC).isoformat() if conflict.since else None
    return {
        "number": number,
        "path": conflict.path,
        "kept": str(conflict.kept),
        "since": since,
        "first_line": next((line.strip()[:80] for line in lines if line.strip()), ""),
    }


def _diff(place: Workspace, conflict: Conflict) -> str:
    """From the file as it is to the text that was kept."""
    path = conflict.path or RelPath(conflict.kept.name)
    now = None if conflict.path is None else place.files.read_or_none(conflict.path)
    return unified_diff(FileEdit(path, now, conflict.text()))
