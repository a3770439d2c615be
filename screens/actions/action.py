"""The type of an action: one thing a person can do, with its keys, its words, and where it applies."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from screens.actions.availability import Context, FocusContext, Rule, always, has_targets
from workbench.operations import registry as declarations


class Group(StrEnum):
    """What belongs together in the help."""

    MOVE = "Move"
    PANES = "Panes"
    SEARCH = "Search"
    MARK = "Mark"
    ACT = "Act"
    WRITE = "When writing"
    HISTORY = "History"
    TRAVEL = "Time travel"
    ROOMS = "Other screens"
    REVIEW = "Inbox"
    GRAPH = "Graph"
    AGENT = "Context"
    HEALTH = "Health"
    SETTINGS = "Settings"
    PREVIEW = "Preview"
    COPY = "Copy"
    CONFIRM = "When asked"
    LEAVE = "Help and quitting"


PANE = frozenset({FocusContext.PANE})
FILTER = frozenset({FocusContext.FILTER})
FIND = frozenset({FocusContext.FIND})
NARROW = FILTER | FIND
QUERY = frozenset({FocusContext.QUERY})
RESULTS = frozenset({FocusContext.RESULTS})
SEARCH = QUERY | RESULTS
LISTS = PANE | RESULTS
TYPING = LISTS | QUERY
CONFIRM = frozenset({FocusContext.CONFIRM})
WARNING = frozenset({FocusContext.WARNING})
WRITING = frozenset({FocusContext.WRITING})
REVIEW = frozenset({FocusContext.REVIEW})
NEIGHBOURHOOD = frozenset({FocusContext.GRAPH})
PAIRS = frozenset({FocusContext.PAIRS})
CLAIMS = frozenset({FocusContext.CLAIMS})
DUE = frozenset({FocusContext.DUE})
GRAPH = NEIGHBOURHOOD | PAIRS | CLAIMS | DUE
AGENT = frozenset({FocusContext.AGENT})
MESSAGE = frozenset({FocusContext.MESSAGE})
HEALTH = frozenset({FocusContext.HEALTH})
SETTINGS = frozenset({FocusContext.SETTINGS})
ENTERING = frozenset({FocusContext.ENTERING})
OPERATIONS = frozenset({FocusContext.OPERATIONS})
BLAME = frozenset({FocusContext.BLAME})
RECENT = frozenset({FocusContext.RECENT})
CONFLICTS = frozenset({FocusContext.CONFLICTS})
ROOMS = REVIEW | GRAPH | AGENT | HEALTH | SETTINGS
SCREENS = OPERATIONS | BLAME | CONFLICTS | RECENT | ROOMS


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a person can do. ``hint`` orders it in the hint line; 0 keeps it out."""

    id: str
    pressed: str
    """Its keys, blanks between."""
    label: str
    help: str
    group: Group
    places: frozenset[FocusContext] = LISTS
    needs: Rule = always
    hint: int = 0
    palette: bool = True
    """Whether the palette of the panes has it."""

    @property
    def keys(self) -> tuple[str, ...]:
        """Its keys, the first one being the one to name."""
        return tuple(self.pressed.split())

    @property
    def writes(self) -> bool:
        """Whether it cannot be done where nothing can be written."""
        return self.needs(Context(place=FocusContext.PANE, refusal="no")) == "no"

    def reason(self, context: Context) -> str | None:
        """Why it cannot be done now, or None; an empty answer is not worth a toast."""
        told = self.needs(context)
        return context.why.get(self.id) if told is None else told


def operation(
    name: str,
    *,
    help: str = "",
    places: frozenset[FocusContext] = LISTS,
    needs: Rule = has_targets,
    hint: int = 0,
) -> Action:
    """The action that does an operation: its name, key and help are those of its declaration.

    ``help`` says what the key does where that is not all that the operation does.
    """
    declared = declarations.OPERATIONS[name]
    told = help or declared.help
    return Action(name, declared.key, name, told, Group.ACT, places, needs, hint)
