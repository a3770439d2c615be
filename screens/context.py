"""Where a person is and what is under their hands: what decides whether an action is possible now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from screens.rows import Row
from workbench.memory.names import is_outside
from workbench.workspace.layout import is_quarantined


class Place(StrEnum):
    """Where the person's hands are."""

    PANE = "pane"
    QUERY = "query"
    RESULTS = "results"
    WEIGHING = "weighing"
    CONFIRM = "confirm"
    WARNING = "warning"
    WRITING = "writing"
    OPERATIONS = "operations"
    BLAME = "blame"
    CONFLICTS = "conflicts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What decides whether an action can be done now."""

    place: Place
    pane: str = "logs"
    row: Row | None = None
    marked: tuple[Row, ...] = ()
    refusal: str | None = None
    """Why nothing can be written here, or None."""
    hits: int = 0
    zoom: int = 0
    reading: bool = False
    indexing: bool = False
    ranging: bool = False
    """Whether a range of marks follows the cursor."""
    conflicts: int = 0

    @property
    def targets(self) -> tuple[Row, ...]:
        """What an action applies to: the marks, else the row under the cursor."""
        if self.marked:
            return self.marked
        return (self.row,) if self.row and self.row.address else ()


Rule = Callable[[Context], str | None]
"""Answers why an action cannot be done now, None when it can; an empty answer is not worth a toast."""
_NO_ENTRY = "put the cursor on an entry first"


def always(context: Context) -> str | None:
    """It can always be done."""
    return None


def writable(context: Context) -> str | None:
    """Something can be written here."""
    return context.refusal


def has_targets(context: Context) -> str | None:
    """There is an entry to write to."""
    if reason := context.refusal or (None if context.targets else _NO_ENTRY):
        return reason
    return next((why for row in context.targets if (why := only_read(row))), None)


def only_read(row: Row) -> str | None:
    """Why nothing can be done to what the row stands for but to read it, or None."""
    if row.past:
        return f"this is memory as of {row.past}: it can only be read"
    if row.path and is_outside(row.path):
        return "this lies outside of the workspace: it is searched and read only"
    return None


def can_promote(context: Context) -> str | None:
    """There is an entry that is not in long-term memory yet."""
    if reason := has_targets(context):
        return reason
    if any(in_quarantine(row) for row in context.targets):
        return "it is set aside: x releases it"
    if all(row.done for row in context.targets):
        one = len(context.targets) == 1
        return f"{'this entry is' if one else 'these entries are'} already in long-term memory"
    return None


def has_one(context: Context) -> str | None:
    """There is one entry to work on, and not a whole page."""
    if reason := has_targets(context):
        return reason
    if len(context.targets) > 1:
        return "one entry at a time: esc takes the marks away"
    return None if "#" in (context.targets[0].address or "") else "this is a whole page: open it first"


def can_merge(context: Context) -> str | None:
    """Several entries are marked."""
    if len(context.marked) < 2:
        return context.refusal or "mark two or more entries first: space"
    return has_targets(context)


def has_hits(context: Context) -> str | None:
    """Something was found."""
    return None if context.hits else "search first: /"


def has_row(context: Context) -> str | None:
    """The list has a row."""
    return None if context.row else "there is nothing here"


def markable(context: Context) -> str | None:
    """The row can be marked."""
    return None if context.row and context.row.address else "only entries can be marked"


def has_path(context: Context) -> str | None:
    """The row stands in a file."""
    return None if context.row and context.row.path else _NO_ENTRY


def has_file(context: Context) -> str | None:
    """The row stands in a file of today's workspace."""
    if context.row is None or context.row.path is None:
        return _NO_ENTRY
    return only_read(context.row)


def has_entry(context: Context) -> str | None:
    """The row is one entry."""
    return None if context.row and context.row.entry else _NO_ENTRY


def has_conflicts(context: Context) -> str | None:
    """There is something of another writer to look at."""
    return None if context.conflicts else "there are no conflicts"


def has_way_back(context: Context) -> str | None:
    """There is a level to go back to."""
    deeper = context.reading or context.marked or context.ranging or context.zoom
    return None if context.place is not Place.PANE or deeper else ""


def not_indexing(context: Context) -> str | None:
    """The index is at rest."""
    return "the index is already being brought up to date" if context.indexing else None


def in_quarantine(row: Row) -> bool:
    """Whether the row is an entry that is set aside."""
    return row.path is not None and is_quarantined(row.path)
