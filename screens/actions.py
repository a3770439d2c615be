"""The one registry of what a person can do.

Key bindings, the command palette, the help screen, the hint line and the key table of the README are all
generated from ``ACTIONS``; there is no second list to forget.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from textual.binding import Binding

from screens import context as when
from screens.action import (
    BLAME,
    BROWSE,
    CONFIRM,
    CONFLICTS,
    LISTS,
    OPERATIONS,
    PANE,
    SCREENS,
    SEARCH,
    TYPING,
    WARNING,
    WEIGHING,
    WRITING,
    Action,
    Group,
    define,
)
from screens.context import Context, Place
from screens.keys import key_name, key_names, types_a_character
from screens.movements import MOVEMENTS
from screens.turns import TURNS

__all__ = [
    "ACTIONS",
    "Action",
    "Context",
    "Group",
    "Place",
    "bindings",
    "by_id",
    "grouped_actions",
    "hints",
    "is_bound",
    "key_table",
]

ACTIONS: tuple[Action, ...] = (
    define(
        "promote",
        "p",
        "promote",
        Group.ACT,
        "Copy the entry into MEMORY.md, with where it came from.",
        blocked=when.can_promote,
        hint=10,
    ),
    define(
        "promote_to",
        "t",
        "promote to …",
        Group.ACT,
        "Choose the heading to promote to, or the entry to merge it into.",
        blocked=when.can_promote,
    ),
    define(
        "forget",
        "d",
        "forget",
        Group.ACT,
        "Take the entry out of its file; git keeps it.",
        blocked=when.has_targets,
        hint=11,
    ),
    define(
        "edit",
        "i",
        "edit",
        Group.ACT,
        "Edit the entry here, with the change shown beneath.",
        blocked=when.has_one,
        hint=13,
    ),
    define(
        "edit_outside",
        "e",
        "edit in $EDITOR",
        Group.ACT,
        "Edit the entry in the program that $VISUAL or $EDITOR names.",
        blocked=when.has_one,
    ),
    define(
        "merge",
        "m",
        "merge",
        Group.ACT,
        "Make one entry of those that are marked.",
        blocked=when.can_merge,
        hint=14,
    ),
    define(
        "move",
        "M",
        "move",
        Group.ACT,
        "Move the entry under another heading, or to another file.",
        blocked=when.has_targets,
    ),
    define(
        "pin",
        "P",
        "pin",
        Group.ACT,
        "Pin the entry, so that nothing automatic removes it; a pinned one: unpin it.",
        blocked=when.has_targets,
    ),
    define(
        "quarantine",
        "x",
        "quarantine",
        Group.ACT,
        "Set the entry aside where no agent loads it; one that is set aside: release it.",
        blocked=when.has_targets,
    ),
    define(
        "archive",
        "A",
        "archive",
        Group.ACT,
        "Bring MEMORY.md within its budget: shows what would leave it, and why.",
        blocked=when.writable,
    ),
    define(
        "look",
        "full_stop",
        "look first",
        Group.ACT,
        "Show what an action would do, and do it only on a yes.",
        blocked=when.writable,
    ),
    define(
        "undo",
        "u",
        "undo",
        Group.ACT,
        "Take the last action back, whoever did it; among the operations, the one under the cursor.",
        blocked=when.writable,
        hint=12,
        places=LISTS | OPERATIONS,
    ),
    define(
        "redo",
        "U",
        "redo",
        Group.ACT,
        "Do again what was last taken back.",
        blocked=when.writable,
        places=LISTS | OPERATIONS,
    ),
    define(
        "reindex",
        "r ctrl+r",
        "reindex",
        Group.ACT,
        "Bring the search index up to date now, and start again what stopped.",
        blocked=when.not_indexing,
        places=TYPING,
    ),
    define(
        "mark",
        "space",
        "mark",
        Group.MARK,
        "Mark the entry and move down; actions apply to all marks.",
        blocked=when.markable,
        hint=20,
    ),
    define(
        "range",
        "v",
        "range",
        Group.MARK,
        "Mark from here to wherever the cursor goes; again ends it.",
        blocked=when.markable,
    ),
    define(
        "mark_all",
        "asterisk",
        "mark all",
        Group.MARK,
        "Mark every entry shown in this list, or none.",
        blocked=when.has_row,
    ),
    define("search", "slash", "search", Group.SEARCH, "Search everything as you type.", hint=30),
    define(
        "switch",
        "tab shift+tab",
        "words or hits",
        Group.SEARCH,
        "Between the words and the hits; on the hits p, d, space and the others work.",
        places=SEARCH,
        hint=35,
        palette=False,
    ),
    define(
        "next_hit",
        "n",
        "next hit",
        Group.SEARCH,
        "Go to the next hit of the last search.",
        places=PANE,
        blocked=when.has_hits,
    ),
    define(
        "previous_hit",
        "N",
        "previous hit",
        Group.SEARCH,
        "Go to the previous hit.",
        places=PANE,
        blocked=when.has_hits,
    ),
    define(
        "weigh",
        "w f3",
        "why, what if",
        Group.SEARCH,
        "The parts of each hit's score, and weights to try: the hits are ranked anew at once.",
        places=SEARCH | WEIGHING,
        blocked=when.has_hits,
        hint=36,
    ),
    *TURNS,
    define(
        "operations",
        "at",
        "operations",
        Group.HISTORY,
        "Everything that was ever done, each to look at and to undo.",
        places=LISTS | OPERATIONS,
    ),
    define(
        "blame",
        "b",
        "blame",
        Group.HISTORY,
        "The file line by line: when each was written, by whom, in which operation.",
        blocked=when.has_file,
        places=LISTS | BLAME,
    ),
    define(
        "origin",
        "o",
        "origin",
        Group.HISTORY,
        "From a promoted entry to the line it came from, and from there to its copy.",
        places=PANE,
        blocked=when.has_entry,
    ),
    define(
        "conflicts",
        "C",
        "conflicts",
        Group.HISTORY,
        "What another writer wrote that is in no memory file, beside what is there.",
        blocked=when.has_conflicts,
        places=LISTS | CONFLICTS,
    ),
    define(
        "discard",
        "d",
        "off the list",
        Group.HISTORY,
        "Take a conflict off the list; git keeps its text.",
        places=CONFLICTS,
        hint=10,
        palette=False,
    ),
    define(
        "open",
        "enter",
        "open",
        Group.MOVE,
        "Unfold a row, read an entry in full, or go to a hit.",
        places=TYPING | BROWSE,
        blocked=when.has_row,
        hint=40,
    ),
    *MOVEMENTS,
    define(
        "preview_down",
        "J",
        "preview down",
        Group.PREVIEW,
        "Scroll the preview; the list keeps its place.",
        palette=False,
        places=LISTS | SCREENS,
    ),
    define(
        "preview_up",
        "K",
        "preview up",
        Group.PREVIEW,
        "Scroll the preview back.",
        palette=False,
        places=LISTS | SCREENS,
    ),
    define(
        "copy_entry",
        "y",
        "copy",
        Group.COPY,
        "Copy the entry's text, through ssh and tmux too.",
        blocked=when.has_path,
    ),
    define(
        "copy_path", "Y", "copy path", Group.COPY, "Copy the entry's path and line.", blocked=when.has_path
    ),
    define(
        "save",
        "ctrl+o f2",
        "save",
        Group.WRITE,
        "Write it, as one operation.",
        places=WRITING,
        hint=1,
        palette=False,
    ),
    define(
        "leave_text",
        "escape",
        "leave",
        Group.WRITE,
        "Leave without writing; asks when something was typed.",
        places=WRITING,
        hint=2,
        palette=False,
    ),
    define(
        "confirm",
        "y enter",
        "do it",
        Group.CONFIRM,
        "Do what was shown, as one operation.",
        places=CONFIRM,
        hint=1,
        palette=False,
    ),
    define(
        "anyway",
        "exclamation_mark",
        "do it all the same",
        Group.CONFIRM,
        "Do it in spite of the warning: a key of its own, so that no other is taken for a yes.",
        places=WARNING,
        hint=1,
        palette=False,
    ),
    define(
        "decline",
        "n escape",
        "leave it",
        Group.CONFIRM,
        "Do nothing.",
        places=CONFIRM | WARNING,
        hint=2,
        palette=False,
    ),
    define(
        "help",
        "question_mark f1",
        "help",
        Group.LEAVE,
        "Every key and what it does.",
        places=TYPING | SCREENS,
        hint=90,
    ),
    define(
        "palette",
        "colon ctrl+p",
        "commands",
        Group.LEAVE,
        "Everything that can be done, by name.",
        places=TYPING,
        hint=80,
    ),
    define(
        "back",
        "escape",
        "back",
        Group.LEAVE,
        "One level back: search, reading, marks, zoom.",
        places=TYPING | SCREENS,
        blocked=when.has_way_back,
        hint=50,
        palette=False,
    ),
    define("quit", "q", "quit", Group.LEAVE, "Leave. ctrl+c twice leaves from anywhere."),
)


@cache
def by_id() -> dict[str, Action]:
    """The actions by their ids."""
    return {known.id: known for known in ACTIONS}


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
