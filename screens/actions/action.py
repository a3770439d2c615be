"""What an action is: one thing a person can do, with its keys, its words, and where it means something."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from screens.actions import context as when
from screens.actions.context import Place, Rule


class Group(StrEnum):
    """What belongs together in the help."""

    MOVE = "Move"
    PANES = "Panes"
    SEARCH = "Search"
    MARK = "Mark"
    ACT = "Act"
    WEIGH = "When weighing"
    WRITE = "When writing"
    HISTORY = "History"
    TRAVEL = "Time travel"
    ROOMS = "Other screens"
    REVIEW = "Dream review"
    GRAPH = "Graph"
    AGENT = "What the agent sees"
    HEALTH = "Health"
    SETTINGS = "Settings"
    PREVIEW = "Preview"
    COPY = "Copy"
    CONFIRM = "When asked"
    LEAVE = "Help and leaving"


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One thing a person can do. ``hint`` orders it in the hint line; 0 keeps it out."""

    id: str
    keys: tuple[str, ...]
    label: str
    help: str
    group: Group
    places: frozenset[Place]
    blocked: Rule = when.always
    hint: int = 0
    palette: bool = True

    def reason(self, context: when.Context) -> str | None:
        """Why it cannot be done now, or None; an empty answer is not worth a toast."""
        told = self.blocked(context)
        return context.why.get(self.id) if told is None else told


PANE = frozenset({Place.PANE})
FILTER = frozenset({Place.FILTER})
FIND = frozenset({Place.FIND})
NARROW = FILTER | FIND
QUERY = frozenset({Place.QUERY})
SEARCH = frozenset({Place.QUERY, Place.RESULTS})
LISTS = frozenset({Place.PANE, Place.RESULTS})
TYPING = frozenset({Place.PANE, Place.RESULTS, Place.QUERY})
CONFIRM = frozenset({Place.CONFIRM})
WARNING = frozenset({Place.WARNING})
WRITING = frozenset({Place.WRITING})
WEIGHING = frozenset({Place.WEIGHING})
REVIEW = frozenset({Place.REVIEW})
NEIGHBOURHOOD = frozenset({Place.GRAPH})
PAIRS = frozenset({Place.PAIRS})
CLAIMS = frozenset({Place.CLAIMS})
DUE = frozenset({Place.DUE})
GRAPH = NEIGHBOURHOOD | PAIRS | CLAIMS | DUE
AGENT = frozenset({Place.AGENT})
MESSAGE = frozenset({Place.MESSAGE})
HEALTH = frozenset({Place.HEALTH})
SETTINGS = frozenset({Place.SETTINGS})
ENTERING = frozenset({Place.ENTERING})
ROOMS = REVIEW | GRAPH | AGENT | HEALTH | SETTINGS
BROWSE = frozenset({Place.OPERATIONS, Place.BLAME, Place.CONFLICTS}) | ROOMS
SCREENS = BROWSE | WEIGHING
OPERATIONS = frozenset({Place.OPERATIONS})
BLAME = frozenset({Place.BLAME})
CONFLICTS = frozenset({Place.CONFLICTS})


def define(
    id: str,
    keys: str,
    label: str,
    group: Group,
    help: str,
    *,
    places: frozenset[Place] = LISTS,
    blocked: Rule = when.always,
    hint: int = 0,
    palette: bool = True,
) -> Action:
    """An action, its keys as one string with blanks between."""
    return Action(
        id=id, keys=tuple(keys.split()), label=label, help=help, group=group,
        places=places, blocked=blocked, hint=hint, palette=palette,
    )  # fmt: skip
