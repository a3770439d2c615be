"""Operations as rows: one line in a list, and who, when, why and which entries above the change itself."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from screens.drawing.rows import GAP, Row, RowPart, Tone, line_rows, piece
from screens.drawing.safe_text import grouped, plural, row_text, words
from screens.history.diff import diff_rows
from screens.history.history_reader import Historian, day_or_time
from workbench.memory.episode import FOLDER
from workbench.memory.names import CommitId
from workbench.workspace import ledger
from workbench.workspace.plan import Operation

_WHEN, _ACTION = 7, 11
_ENTRIES = 8
_FOREIGN = frozenset({"commit", "external", ledger.ACTION})
_FACTS = {"Session": "session", "Source": "from", "Section": "under", "Model": "by model"}
"""Trailers that are worth a line, and how it begins."""


def operation_row(operation: Operation, note: str = "") -> Row:
    """One operation: when, what, about what, by whom, and whether it is undone."""
    plain = operation.action == "commit"
    quiet = plain or operation.action == "ledger"
    tone: Tone = "muted" if quiet else "warn" if operation.action == "external" else "accent"
    tail = [RowPart(plural(len(operation.paths), "file"), "faint")] if len(operation.paths) != 1 else []
    if note:
        tail.append(RowPart(row_text(note), "faint"))
    tail.append(RowPart(row_text(operation.actor), "muted"))
    if operation.undone:
        tail.append(piece("undone", "warn"))
    return Row(
        id=operation.commit,
        text=row_text(operation.summary.removeprefix(f"{operation.action}: ")),
        tone="muted" if operation.undone else "text",
        lead=(
            piece(day_or_time(operation.when).rjust(_WHEN), "faint"),
            RowPart(row_text("git" if plain else operation.action).ljust(_ACTION), tone),  # type: ignore[arg-type]
        ),
        tail=tuple(tail),
        of=operation,
    )


def is_on_one_entry(operation: Operation) -> bool:
    """Whether an action of ours did it to a single entry or episode; anything else may reach far."""
    if operation.action in _FOREIGN or len(operation.entries) != 1 or len(operation.became) > 1:
        return False
    address = operation.entries[0]
    return "#" in address or address.startswith(FOLDER)


def fact_rows(operation: Operation) -> list[Row]:
    """Who, when, why and which entries; an entry's row leads to it."""
    return [*line_rows(_facts(operation)), *_entry_rows(operation), *line_rows([(GAP, "text")], "end")]


def _facts(operation: Operation) -> Iterator[tuple[str, Tone]]:
    line = f"{operation.id} · {operation.when.astimezone():%a %d %b %Y %H:%M} · {operation.actor}"
    yield f"{line} · undone" if operation.undone else line, "head"
    yield operation.summary, "text"
    yield f"because {operation.reason}" if operation.reason else "", "muted"
    yield f"takes back {operation.undoes}" if operation.undoes else "", "muted"
    for key, value in operation.trailers:
        yield f"{_FACTS[key]} {value}" if key in _FACTS and value else "", "muted"


def _entry_rows(operation: Operation) -> Iterator[Row]:
    for number, entry in enumerate(operation.entries[:_ENTRIES]):
        became = operation.became[number] if len(operation.became) == len(operation.entries) else ""
        text = row_text(f"{entry}{' → ' + became if became not in ('', entry) else ''}")
        yield Row(f"entry:{number}", text, tone="faint", address=became or entry)
    if len(operation.entries) > _ENTRIES:
        more = grouped(len(operation.entries) - _ENTRIES)
        yield Row("entry:more", words(f"… and {more} more entries"), tone="faint")


async def change_rows(historian: Historian, commit: CommitId | None, path: str) -> list[Row]:
    """What a commit did, the file ``path`` first; nothing for what no commit holds yet."""
    if commit is None:
        return []
    edits = await historian.run(lambda workspace: workspace.operations.edits(commit))
    return await asyncio.to_thread(diff_rows, sorted(edits, key=lambda edit: edit.path != path))


def destinations(operation: Operation) -> list[str]:
    """Where an operation's entries may stand now, the likeliest first, and at last its files."""
    return list(dict.fromkeys((*operation.became, *operation.entries, *operation.paths)))
