"""Text of another writer that is in no memory file: listed, shown beside its file, taken off the list."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import click

from workbench.cli.output import json_option, narrate, say, say_diff, say_json, say_row
from workbench.cli.workspace_options import workspace
from workbench.errors import UsageError
from workbench.memory.file_edit import FileEdit, unified_diff
from workbench.memory.names import RelPath
from workbench.plural import plural
from workbench.workspace.late_writes import Conflict, Late
from workbench.workspace.workspace import Workspace


@click.command()
@click.option("--show", "shown", metavar="N", type=click.IntRange(min=1), help="The text against its file.")
@click.option(
    "--discard", "discarded", metavar="N", type=click.IntRange(min=1), help="Take one off the list."
)
@click.option(
    "--late", is_flag=True, help="Of replaced files into which a program wrote on, or may do so, instead."
)
@click.option("--append", is_flag=True, help="With --late: add all lines that wait to their files.")
@click.option("--yes", is_flag=True, help="Discard or append without asking.")
@json_option
def conflicts(
    shown: int | None, discarded: int | None, late: bool, append: bool, yes: bool, as_json: bool
) -> None:
    """Text of another writer that fitted into no file.

    Look at each, put into its file what belongs there, then discard it. What is discarded stays in git.

    With --late: lines that a program wrote into a file after it was replaced. Those of this workbench's own
    files are added by every command; the others wait for you (--append).
    """
    if shown is not None and discarded is not None:
        raise UsageError("--show and --discard exclude each other", hint="look first, then discard")
    if append and (shown or discarded or not late):
        raise UsageError(
            "--append goes with --late alone", hint="`workbench inbox conflicts --late --append`"
        )
    with workspace() as place:
        number = shown or discarded
        if append:
            _append_late(place, yes=yes, as_json=as_json)
        elif late and number:
            _one_late(place, number, discard=discarded is not None, yes=yes, as_json=as_json)
        elif late:
            _list_late(place, as_json=as_json)
        elif discarded is not None:
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
        f"memory file; `workbench inbox conflicts --show {conflict['number']}` shows it"
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
        narrate("`workbench inbox conflicts --show N` shows one, `--discard N` takes it off the list")


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


def _one_late(place: Workspace, number: int, *, discard: bool, yes: bool, as_json: bool) -> None:
    found = place.operations.late()
    if number > len(found):
        raise UsageError(
            f"there is no replaced file {number}", hint="`workbench inbox conflicts --late` lists them"
        )
    late = found[number - 1]
    if not as_json or (discard and not yes):
        say_row(f"{late.path or 'unknown file'}, and what waits in {late.kept}")
        say_diff(_late_diff(place, late) or "nothing waits in it")
    if discard and not yes and not click.confirm(f"remove replaced file {number}?", err=True):
        narrate("kept")
        return
    row = _late_json(number, late)
    if discard:
        blob = row["discarded"] = place.operations.discard(late)
        narrate(f"removed; git cat-file blob {blob} brings the text back")
    if as_json:
        say_json(row)


def _append_late(place: Workspace, *, yes: bool, as_json: bool) -> None:
    found = [late for late in place.operations.late() if late.text and late.path]
    if found and not yes:
        for late in found:
            say_diff(_late_diff(place, late))
        if not click.confirm("add these lines to their files?", err=True):
            narrate("nothing was changed")
            return
    place.operations.take_late()
    _list_late(place, as_json=as_json)


def _list_late(place: Workspace, *, as_json: bool) -> None:
    rows = [_late_json(number, late) for number, late in enumerate(place.operations.late(), 1)]
    if as_json:
        say_json(rows)
        return
    for row in rows:
        told = f"{row['why']}, {plural(row['lines'], 'line')}"
        say_row(f"{row['number']:>3}  {row['path'] or 'unknown file'}  {told}  {row['first_line']}")
    if rows:
        narrate("`--late --show N` shows one, `--append` adds their lines, `--discard N` removes one")
    else:
        say("no replaced file is kept")


def _late_json(number: int, late: Late) -> dict[str, Any]:
    return {
        "number": number,
        "path": late.path,
        "kept": str(late.kept),
        "why": late.why,
        "lines": late.lines,
        "first_line": _first_line(late.text),
    }


def _late_diff(place: Workspace, late: Late) -> str:
    now = (place.files.read_or_none(late.path) or b"") if late.path else b""
    return unified_diff(FileEdit(late.path or RelPath(late.kept.name), now, now + late.text))


def _first_line(text: bytes) -> str:
    lines = text.decode("utf-8", "replace").split("\n")
    return next((line.strip()[:80] for line in lines if line.strip()), "")


def _as_json(number: int, conflict: Conflict, text: bytes | None = None) -> dict[str, Any]:
    since = datetime.fromtimestamp(conflict.since, UTC).isoformat() if conflict.since else None
    return {
        "number": number,
        "path": conflict.path,
        "kept": str(conflict.kept),
        "since": since,
        "first_line": _first_line(conflict.text() if text is None else text),
    }


def _diff(place: Workspace, conflict: Conflict) -> str:
    """From the file as it is to the text that was kept."""
    path = conflict.path or RelPath(conflict.kept.name)
    now = None if conflict.path is None else place.files.read_or_none(conflict.path)
    return unified_diff(FileEdit(path, now, conflict.text()))
