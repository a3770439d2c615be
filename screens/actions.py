"""The one registry of what a person can do.

Key bindings, the command palette, the help screen, the hint line and the key table of the README are all
generated from ``ACTIONS``; there is no second list to forget.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from textual.binding import Binding

from screens.keys import key_name, key_names, types_a_character
from screens.rows import Row


class Place(StrEnum):
    """Where the person's hands are."""

    PANE = "pane"
    QUERY = "query"
    RESULTS = "results"
    CONFIRM = "confirm"


class Group(StrEnum):
    """What belongs together in the help."""

    MOVE = "Move"
    PANES = "Panes"
    SEARCH = "Search"
    MARK = "Mark"
    ACT = "Act"
    PREVIEW = "Preview"
    COPY = "Copy"
    CONFIRM = "When asked"
    LEAVE = "Help and leaving"


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

    @property
    def targets(self) -> tuple[Row, ...]:
        """What an action applies to: the marks, else the row under the cursor."""
        if self.marked:
            return self.marked
        return (self.row,) if self.row and self.row.address else ()


Rule = Callable[[Context], str | None]
"""Answers why an action cannot be done now, None when it can; an empty answer is not worth a toast."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One thing a person can do. ``hint`` orders it in the hint line; 0 keeps it out."""

    id: str
    keys: tuple[str, ...]
    label: str
    help: str
    group: Group
    places: frozenset[Place]
    blocked: Rule = lambda context: None
    hint: int = 0
    palette: bool = True


def _targets(context: Context) -> str | None:
    return None if context.targets else "put the cursor on an entry first"


def _writable(context: Context) -> str | None:
    return context.refusal


def _can_promote(context: Context) -> str | None:
    if reason := context.refusal or _targets(context):
        return reason
    if all(row.done for row in context.targets):
        one = len(context.targets) == 1
        return f"{'this entry is' if one else 'these entries are'} already in long-term memory"
    return None


def _can_forget(context: Context) -> str | None:
    return context.refusal or _targets(context)


def _has_hits(context: Context) -> str | None:
    return None if context.hits else "search first: /"


def _has_row(context: Context) -> str | None:
    return None if context.row else "there is nothing here"


def _markable(context: Context) -> str | None:
    return None if context.row and context.row.address else "only entries can be marked"


def _has_path(context: Context) -> str | None:
    return None if context.row and context.row.path else "put the cursor on an entry first"


def _has_way_back(context: Context) -> str | None:
    somewhere = context.place is not Place.PANE or context.reading or context.marked or context.zoom
    return None if somewhere else ""


def _not_indexing(context: Context) -> str | None:
    return "the index is already being brought up to date" if context.indexing else None


_PANE = frozenset({Place.PANE})
_SEARCH = frozenset({Place.QUERY, Place.RESULTS})
_LISTS = frozenset({Place.PANE, Place.RESULTS})
_TYPING = frozenset({Place.PANE, Place.RESULTS, Place.QUERY})
_CONFIRM = frozenset({Place.CONFIRM})


def _action(
    id: str,
    keys: str,
    label: str,
    group: Group,
    help: str,
    *,
    places: frozenset[Place] = _LISTS,
    blocked: Rule = lambda context: None,
    hint: int = 0,
    palette: bool = True,
) -> Action:
    return Action(
        id=id,
        keys=tuple(keys.split()),
        label=label,
        help=help,
        group=group,
        places=places,
        blocked=blocked,
        hint=hint,
        palette=palette,
    )


ACTIONS: tuple[Action, ...] = (
    _action(
        "promote",
        "p",
        "promote",
        Group.ACT,
        "Copy the entry into MEMORY.md, with where it came from.",
        blocked=_can_promote,
        hint=10,
    ),
    _action(
        "forget",
        "d",
        "forget",
        Group.ACT,
        "Take the entry out of its file; git keeps it.",
        blocked=_can_forget,
        hint=11,
    ),
    _action(
        "undo",
        "u",
        "undo",
        Group.ACT,
        "Take the last action back, whoever did it and however long ago.",
        blocked=_writable,
        hint=12,
    ),
    _action("redo", "U", "redo", Group.ACT, "Do again what was last taken back.", blocked=_writable),
    _action(
        "reindex", "r", "reindex", Group.ACT, "Bring the search index up to date now.", blocked=_not_indexing
    ),
    _action(
        "mark",
        "space",
        "mark",
        Group.MARK,
        "Mark the entry and move down; actions apply to all marks.",
        blocked=_markable,
        hint=20,
    ),
    _action(
        "mark_all",
        "asterisk",
        "mark all",
        Group.MARK,
        "Mark every entry shown in this list, or none.",
        blocked=_has_row,
    ),
    _action("search", "slash", "search", Group.SEARCH, "Search everything as you type.", hint=30),
    _action(
        "switch",
        "tab shift+tab",
        "words or hits",
        Group.SEARCH,
        "Between the words and the hits; on the hits p, d, space and the others work.",
        places=_SEARCH,
        hint=35,
        palette=False,
    ),
    _action(
        "next_hit",
        "n",
        "next hit",
        Group.SEARCH,
        "Go to the next hit of the last search.",
        places=_PANE,
        blocked=_has_hits,
    ),
    _action(
        "previous_hit",
        "N",
        "previous hit",
        Group.SEARCH,
        "Go to the previous hit.",
        places=_PANE,
        blocked=_has_hits,
    ),
    _action(
        "open",
        "enter",
        "open",
        Group.MOVE,
        "Unfold a row, read an entry in full, or go to a hit.",
        places=_TYPING,
        blocked=_has_row,
        hint=40,
    ),
    _action("down", "j down", "down", Group.MOVE, "One row down.", places=_TYPING, palette=False),
    _action("up", "k up", "up", Group.MOVE, "One row up.", places=_TYPING, palette=False),
    _action("top", "g home", "top", Group.MOVE, "To the first row.", palette=False),
    _action("bottom", "G end", "bottom", Group.MOVE, "To the last row.", palette=False),
    _action("half_down", "ctrl+d", "half a page down", Group.MOVE, "Half a page down.", palette=False),
    _action("half_up", "ctrl+u", "half a page up", Group.MOVE, "Half a page up.", palette=False),
    _action(
        "page_down", "pagedown", "page down", Group.MOVE, "One page down.", places=_TYPING, palette=False
    ),
    _action("page_up", "pageup", "page up", Group.MOVE, "One page up.", places=_TYPING, palette=False),
    _action("unfold", "right", "unfold", Group.MOVE, "Show what is under the row.", palette=False),
    _action(
        "fold",
        "left",
        "fold",
        Group.MOVE,
        "Hide what is under the row, or go to the row above it.",
        palette=False,
    ),
    _action("pane_logs", "1", "logs", Group.PANES, "To the daily logs, notes and context.", places=_PANE),
    _action("pane_memory", "2", "memory", Group.PANES, "To long-term memory.", places=_PANE),
    _action("pane_episodes", "3", "episodes", Group.PANES, "To the queue of episodes.", places=_PANE),
    _action("pane_graph", "4", "graph", Group.PANES, "To the people, projects and todos.", places=_PANE),
    _action("next_pane", "tab l", "next pane", Group.PANES, "To the next pane.", places=_PANE, palette=False),
    _action(
        "previous_pane",
        "shift+tab h",
        "previous pane",
        Group.PANES,
        "To the previous pane.",
        places=_PANE,
        palette=False,
    ),
    _action(
        "zoom_in", "plus", "zoom", Group.PANES, "Give this pane more room, then all of it.", places=_PANE
    ),
    _action("zoom_out", "underscore", "zoom out", Group.PANES, "Give this pane less room.", places=_PANE),
    _action("zoom_reset", "equals_sign", "reset", Group.PANES, "All panes the same again.", places=_PANE),
    _action(
        "preview_down",
        "J",
        "preview down",
        Group.PREVIEW,
        "Scroll the preview; the list keeps its place.",
        palette=False,
    ),
    _action("preview_up", "K", "preview up", Group.PREVIEW, "Scroll the preview back.", palette=False),
    _action(
        "copy_entry",
        "y",
        "copy",
        Group.COPY,
        "Copy the entry's text, through ssh and tmux too.",
        blocked=_has_path,
    ),
    _action("copy_path", "Y", "copy path", Group.COPY, "Copy the entry's path and line.", blocked=_has_path),
    _action(
        "confirm",
        "y enter",
        "do it",
        Group.CONFIRM,
        "Do what was shown, as one operation.",
        places=_CONFIRM,
        hint=1,
        palette=False,
    ),
    _action(
        "decline",
        "n escape",
        "leave it",
        Group.CONFIRM,
        "Do nothing.",
        places=_CONFIRM,
        hint=2,
        palette=False,
    ),
    _action(
        "help",
        "question_mark f1",
        "help",
        Group.LEAVE,
        "Every key and what it does.",
        places=_TYPING,
        hint=90,
    ),
    _action(
        "palette",
        "colon ctrl+p",
        "commands",
        Group.LEAVE,
        "Everything that can be done, by name.",
        places=_TYPING,
        hint=80,
    ),
    _action(
        "back",
        "escape",
        "back",
        Group.LEAVE,
        "One level back: search, reading, marks, zoom.",
        places=_TYPING,
        blocked=_has_way_back,
        hint=50,
        palette=False,
    ),
    _action("quit", "q", "quit", Group.LEAVE, "Leave. ctrl+c twice leaves from anywhere."),
)


@cache
def by_id() -> dict[str, Action]:
    """The actions by their ids."""
    return {action.id: action for action in ACTIONS}


def bindings(*places: Place) -> list[Binding]:
    """The key bindings of all actions of these places; each key performs its action by id.

    They take precedence over widgets, so that a burst of keys is done in its order: what is typed right
    after ``/`` is text, never a command to the list that had the focus a moment ago.
    """
    wanted = frozenset(places)
    return [
        Binding(key, f"perform('{action.id}', '{key}')", action.label, show=False, priority=True)
        for action in ACTIONS
        if action.places & wanted
        for key in action.keys
    ]


def is_bound(action_id: str, key: str, place: Place) -> bool:
    """Whether ``key`` performs the action in ``place``; while typing, keys that are text do not."""
    typed = place is Place.QUERY and types_a_character(key)
    return place in by_id()[action_id].places and not typed


def hints(context: Context) -> list[tuple[str, str]]:
    """Key and label of what can be done now, the most useful first."""
    usable = [
        action
        for action in ACTIONS
        if action.hint and context.place in action.places and action.blocked(context) is None
    ]
    return [
        (key_name(_key_here(action, context.place)), action.label)
        for action in sorted(usable, key=lambda action: action.hint)
    ]


def _key_here(action: Action, place: Place) -> str:
    """The first key that means the action here."""
    return next((key for key in action.keys if is_bound(action.id, key, place)), action.keys[0])


def grouped_actions() -> Sequence[tuple[Group, list[Action]]]:
    """All actions under their groups, in the order of the help."""
    return [(group, [a for a in ACTIONS if a.group is group]) for group in Group]


def key_table() -> str:
    """Every action as a Markdown table, for the README."""
    lines = ["| keys | what they do |", "| --- | --- |"]
    for group, actions in grouped_actions():
        lines.append(f"| **{group}** | |")
        for action in actions:
            keys = " ".join(f"`{name}`" for name in key_names(action.keys).split(" "))
            lines.append(f"| {keys} | {action.help} |")
    return "\n".join(lines) + "\n"
