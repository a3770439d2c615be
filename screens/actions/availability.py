"""The context of a key (the place, the row, the marks), and whether an action is possible in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from screens.actions.keys import key_for
from screens.drawing.safe_text import Row
from workbench.memory.entry import Kind, is_outside
from workbench.workspace.layout import USUAL, is_quarantined


class FocusContext(StrEnum):
    """The place that keys go to: a pane, a list, a line of text, or a screen."""

    PANE = "pane"
    FILTER = "filter"
    FIND = "find"
    QUERY = "query"
    RESULTS = "results"
    CONFIRM = "confirm"
    WARNING = "warning"
    WRITING = "writing"
    OPERATIONS = "operations"
    BLAME = "blame"
    CONFLICTS = "conflicts"
    RECENT = "recent"
    REVIEW = "review"
    GRAPH = "graph"
    PAIRS = "pairs"
    CLAIMS = "claims"
    DUE = "due"
    AGENT = "agent"
    MESSAGE = "message"
    HEALTH = "health"
    SETTINGS = "settings"
    ENTERING = "entering"


TYPED = frozenset(
    {
        FocusContext.FILTER,
        FocusContext.FIND,
        FocusContext.QUERY,
        FocusContext.MESSAGE,
        FocusContext.WRITING,
        FocusContext.ENTERING,
    }
)
"""Where a line or a box of text has the focus: keys that are text are text there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What decides whether an action can be done now."""

    place: FocusContext
    row: Row | None = None
    marked: tuple[Row, ...] = ()
    refusal: str | None = None
    """Why nothing can be written here, or None."""
    why: Mapping[str, str] = field(default_factory=dict)
    """What the screen itself says stands in the way of an action, by the action's id."""

    @property
    def targets(self) -> tuple[Row, ...]:
        """What an action applies to: the marks, else the row under the cursor."""
        if self.marked:
            return self.marked
        return (self.row,) if self.row and self.row.address else ()


Rule = Callable[[Context], str | None]
"""Answers why an action cannot be done now, None when it can; an empty answer is not worth a toast."""
LEADER = "leader"
"""The name under which the memory of a team's leader is searched beside one's own."""
_NO_ENTRY = "select an entry first"


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
    if row.workspace == LEADER:
        return "this is the leader's memory: it is read-only for team members"
    if row.workspace:
        return f"this is in the workspace {row.workspace}: {key_for('open')} on the hit opens it"
    if row.past:
        return f"this is memory as of {row.past}: it is read-only"
    if row.path and is_outside(row.path):
        return "this is outside of the workspace and read-only"
    return None


def can_promote(context: Context) -> str | None:
    """There is an entry that is not in long-term memory yet."""
    if reason := has_targets(context):
        return reason
    if any(in_quarantine(row) for row in context.targets):
        return f"it is in quarantine: {key_for('quarantine')} releases it"
    if all(row.done for row in context.targets):
        one = len(context.targets) == 1
        return f"{'this entry is' if one else 'these entries are'} already in long-term memory"
    return None


def has_one(context: Context) -> str | None:
    """There is one entry to work on, and not a whole page."""
    if reason := has_targets(context):
        return reason
    if len(context.targets) > 1:
        return f"one entry at a time: {key_for('back')} removes the marks"
    return None if "#" in (context.targets[0].address or "") else "this is a whole page: open it first"


def can_merge(context: Context) -> str | None:
    """Several entries are marked, and one of them at least may take the others in."""
    if len(context.marked) < 2:
        return context.refusal or f"mark two or more entries first: {key_for('mark')}"
    if all(row.path and USUAL.kind_of(row.path) in (Kind.LOG, Kind.EPISODE) for row in context.marked):
        first = f"promote one with {key_for('promote')} first, then the others into it"
        return f"logs and episodes are original records: their entries are not merged; {first}"
    return has_targets(context)


ON_TARGETS = (has_targets, can_promote, has_one, can_merge)
"""The rules of what is done to the marks, where there are some."""


def has_row(context: Context) -> str | None:
    """The list has a row."""
    return None if context.row else "this list is empty"


def can_act(context: Context) -> str | None:
    """There is a row, and something can be written here."""
    return context.refusal or has_row(context)


def markable(context: Context) -> str | None:
    """The row can be marked."""
    return None if context.row and context.row.address else "only entries can be marked"


def has_path(context: Context) -> str | None:
    """The row stands in a file."""
    return None if context.row and context.row.path else _NO_ENTRY


def can_copy(context: Context) -> str | None:
    """The row stands in a file; elsewhere than in the panes the screen itself knows whether it has words."""
    return None if context.place is FocusContext.REVIEW else has_path(context)


def has_file(context: Context) -> str | None:
    """The row stands in a file of today's workspace."""
    if context.row is None or context.row.path is None:
        return _NO_ENTRY
    return only_read(context.row)


def has_entry(context: Context) -> str | None:
    """The row is one entry."""
    return None if context.row and context.row.entry else _NO_ENTRY


def has_kin(context: Context) -> str | None:
    """The row is one entry of the workspace as it is shown, of which it can be told what belongs to it."""
    row = context.row
    if row is None or "#" not in (row.address or ""):
        return _NO_ENTRY
    return only_read(row)


def in_quarantine(row: Row) -> bool:
    """Whether the row is an entry that is set aside."""
    return row.path is not None and is_quarantined(row.path)
