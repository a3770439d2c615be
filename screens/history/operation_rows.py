"""Operations as rows: one line in a list, and who, when, why and which entries above the change itself."""

from __future__ import annotations

from collections.abc import Iterator

from screens.drawing.rows import Row, RowPart, Tone
from screens.drawing.safe_text import grouped, plural, row_text, words
from screens.history.history_reader import ago
from workbench.memory.episode import FOLDER
from workbench.workspace import ledger
from workbench.workspace.plan import Operation

_AGE, _ACTION = 7, 11
_ENTRIES = 8
_FOREIGN = frozenset({"commit", "external", ledger.ACTION})
_FACTS = {"Session": "session", "Source": "from", "Section": "under", "Model": "by model"}
"""Trailers that are worth a line, and how it begins."""


def operation_row(operation: Operation, note: str = "") -> Row:
    """One operation: when, what, about what, by whom, and whether it is taken back at present."""
    plain = operation.action == "commit"
    quiet = plain or operation.action == "ledger"
    tone: Tone = "muted" if quiet else "warn" if operation.action == "external" else "accent"
    tail = [RowPart(plural(len(operation.paths), "file"), "faint")] if len(operation.paths) != 1 else []
    if note:
        tail.append(RowPart(row_text(note), "faint"))
    tail.append(RowPart(row_text(operation.actor), "muted"))
    if operation.undone:
        tail.append(RowPart(words("undone"), "warn"))
    return Row(
        id=operation.commit,
        text=row_text(operation.summary.removeprefix(f"{operation.action}: ")),
        tone="muted" if operation.undone else "text",
        lead=(
            RowPart(words(ago(operation.when).rjust(_AGE)), "faint"),
            RowPart(row_text("git" if plain else operation.action).ljust(_ACTION), tone),  # type: ignore[arg-type]
        ),
        tail=tuple(tail),
    )


def is_on_one_entry(operation: Operation) -> bool:
    """Whether an action of ours did it to a single entry or episode; anything else may reach far."""
    if operation.action in _FOREIGN or len(operation.entries) != 1 or len(operation.became) > 1:
        return False
    address = operation.entries[0]
    return "#" in address or address.startswith(FOLDER)


def fact_rows(operation: Operation) -> Iterator[Row]:
    """Who, when, why and which entries; an entry's row leads to it."""
    when = operation.when.astimezone()
    line = f"{operation.id} · {when:%a %d %b %Y %H:%M} · {operation.actor}"
    yield Row("fact:id", row_text(line + (" · undone" if operation.undone else "")), tone="head")
    yield Row("fact:summary", row_text(operation.summary))
    if operation.reason:
        yield Row("fact:reason", row_text(f"because {operation.reason}"), tone="muted")
    if operation.undoes:
        yield Row("fact:undoes", row_text(f"takes back {operation.undoes}"), tone="muted")
    for number, (key, value) in enumerate(operation.trailers):
        if key in _FACTS and value:
            yield Row(f"fact:trailer:{number}", row_text(f"{_FACTS[key]} {value}"), tone="muted")
    for number, entry in enumerate(operation.entries[:_ENTRIES]):
        became = operation.became[number] if len(operation.became) == len(operation.entries) else ""
        text = row_text(f"{entry}{' → ' + became if became not in ('', entry) else ''}")
        yield Row(f"fact:{number}", text, tone="faint", address=became or entry)
    if len(operation.entries) > _ENTRIES:
        more = grouped(len(operation.entries) - _ENTRIES)
        yield Row("fact:more", words(f"… and {more} more entries"), tone="faint")
    yield Row("fact:end", words(""), inert=True)


def destinations(operation: Operation) -> list[str]:
    """Where an operation's entries may stand now, the likeliest first, and at last its files."""
    return list(dict.fromkeys((*operation.became, *operation.entries, *operation.paths)))
