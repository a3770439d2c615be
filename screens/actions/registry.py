"""The one registry of what a person can do.

Key bindings, the command palette, the help screen, the hint line and the table in docs/keys.md are all
generated from ``ACTIONS``; there is no second list to forget. Which keys they are on says ``active``.

The keys as a table: for the documentation, and for people who read them on the command line.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from textual.binding import Binding

from screens.actions import availability as when
from screens.actions.action import (
    AGENT,
    CONFIRM,
    GRAPH,
    HEALTH,
    LISTS,
    MESSAGE,
    NARROW,
    OPERATIONS,
    PANE,
    RECENT,
    REVIEW,
    SCREENS,
    SETTINGS,
    TYPING,
    WARNING,
    WRITING,
    Action,
    Group,
    ScreenActions,
    define,
    operation,
)
from screens.actions.active import active, keys_of
from screens.actions.availability import Context, FocusContext
from screens.actions.keymap import DEFAULT, KeyMap, is_reachable, key_map
from screens.actions.keys import key_name, key_names
from screens.context.actions import AGENT_ACTIONS
from screens.graph.actions import GRAPH_ACTIONS
from screens.health.actions import HEALTH_ACTIONS
from screens.history.actions import HISTORY_ACTIONS
from screens.jobs.actions import WORK_ACTIONS
from screens.panes.actions import PANE_ACTIONS
from screens.review.actions import REVIEW_ACTIONS
from screens.search.actions import SEARCH_ACTIONS
from screens.settings.actions import SETTINGS_ACTIONS
from screens.widgets.lines import BAR
from screens.workspaces.actions import WORKSPACE_ACTIONS
from workbench.operations import registry as operations

__all__ = [
    "ACTIONS",
    "SCREEN_NAMES",
    "Action",
    "Context",
    "FocusContext",
    "Group",
    "action_at",
    "bindings",
    "bindings_of",
    "by_id",
    "grouped_actions",
    "hints",
    "is_bound",
]

SCREEN_NAMES = {
    "review": "Inbox", "graph_view": "Graph", "agent_view": "Context", "operations": "History",
    "health": "Health", "settings": "Settings",
}  # fmt: skip
"""The actions that open a screen of their own, wherever the cursor is, and the names of these screens."""
_STEPPED = TYPING | SCREENS | NARROW
_PAGED = _STEPPED | WRITING
_FOLDED = LISTS | GRAPH | REVIEW | HEALTH
_moves = ScreenActions(Group.MOVE, LISTS | SCREENS)
_scrolls = ScreenActions(Group.PREVIEW, LISTS | SCREENS)
_writes = ScreenActions(Group.WRITE, WRITING)
_answers = ScreenActions(Group.CONFIRM, CONFIRM)
_PLACED: tuple[Action, ...] = (
    operation("promote", blocked=when.can_promote, hint=10, places=LISTS | AGENT | RECENT),
    define(
        "promote_to",
        "t",
        "promote to …",
        Group.ACT,
        "Choose the heading to promote to, or the entry to merge it into.",
        blocked=when.can_promote,
    ),
    operation("forget", hint=11, places=LISTS | AGENT | RECENT),
    operation(
        "edit", help="Edit the entry here, with the change shown beneath.", blocked=when.has_one, hint=13
    ),
    define(
        "edit_outside",
        "e",
        "edit in $EDITOR",
        Group.ACT,
        "Edit the entry in the program that $VISUAL or $EDITOR names.",
        blocked=when.has_one,
    ),
    operation("merge", blocked=when.can_merge, hint=14),
    operation("move"),
    operation(
        "pin",
        help="Pin the entry, so that nothing automatic removes it, or unpin it.",
        places=LISTS | AGENT,
    ),
    operation(
        "quarantine",
        help="Move the entry to quarantine, where no agent loads it, or release it.",
        places=LISTS | AGENT | RECENT,
    ),
    operation(
        "archive",
        help="Bring MEMORY.md within its budget; first shows what would be archived, and why.",
        blocked=when.writable,
    ),
    define(
        "restore_memory",
        "",
        "restore long-term memory",
        Group.ACT,
        "Restore a deleted MEMORY.md from the newest commit.",
        blocked=when.can_restore_memory,
    ),
    define(
        "look",
        "full_stop",
        "look first",
        Group.ACT,
        "Preview an action (dry run); nothing is done until you confirm.",
        blocked=when.writable,
    ),
    operation(
        "undo",
        help="Undo the last operation, whoever did it; in the history, the selected one.",
        blocked=when.writable,
        hint=12,
        places=LISTS | OPERATIONS | RECENT | GRAPH | REVIEW | HEALTH | AGENT | SETTINGS,
    ),
    operation(
        "redo",
        help="Redo what was undone last; in the history, the selected one.",
        blocked=when.writable,
        places=LISTS | OPERATIONS | GRAPH | REVIEW | HEALTH | AGENT | SETTINGS,
    ),
    define(
        "reindex",
        "r ctrl+r",
        "reindex",
        Group.ACT,
        "Update the search index now, and restart background work that stopped.",
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
        places=LISTS | REVIEW,
    ),
    define(
        "range",
        "v",
        "range",
        Group.MARK,
        "Mark a range: from here to wherever the cursor goes; press it again to end.",
        blocked=when.markable,
        places=LISTS | REVIEW,
    ),
    define(
        "mark_all",
        "asterisk",
        "mark all",
        Group.MARK,
        "Mark all entries shown in this list, or none.",
        blocked=when.has_row,
        places=LISTS | REVIEW,
    ),
    *WORK_ACTIONS,
    *SEARCH_ACTIONS,
    *PANE_ACTIONS,
    *HISTORY_ACTIONS,
    *REVIEW_ACTIONS,
    *GRAPH_ACTIONS,
    *AGENT_ACTIONS,
    *HEALTH_ACTIONS,
    *SETTINGS_ACTIONS,
    *WORKSPACE_ACTIONS,
    define(
        "open",
        "enter",
        "open",
        Group.MOVE,
        "Unfold a row, read an entry in full, or go to a search hit.",
        places=TYPING | SCREENS,
        blocked=when.has_row,
        hint=40,
    ),
    _moves(
        "down",
        "j down",
        "down",
        "One row down; when finding in the preview: the next match.",
        places=_STEPPED,
    ),
    _moves(
        "up", "k up", "up", "One row up; when finding in the preview: the previous match.", places=_STEPPED
    ),
    _moves("top", "g home", "top", "To the first row."),
    _moves("bottom", "G end", "bottom", "To the last row."),
    _moves("half_down", "ctrl+d", "half a page down", "Half a page down."),
    _moves("half_up", "ctrl+u", "half a page up", "Half a page up."),
    _moves("page_down", "pagedown", "page down", "One page down.", places=_PAGED),
    _moves("page_up", "pageup", "page up", "One page up.", places=_PAGED),
    _moves("unfold", "right", "unfold", "Unfold the row.", places=_FOLDED),
    _moves("fold", "left", "fold", "Fold the row, or go to its parent row.", places=_FOLDED),
    define("pane_logs", "1", "logs", Group.PANES, "To the daily logs, notes and context.", places=PANE),
    define("pane_memory", "2", "memory", Group.PANES, "To long-term memory.", places=PANE),
    define(
        "pane_episodes", "3", "episodes", Group.PANES, "To the episodes (session summaries).", places=PANE
    ),
    define("pane_graph", "4", "graph", Group.PANES, "To the graph: people, projects, todos.", places=PANE),
    define("next_pane", "tab l", "next pane", Group.PANES, "To the next pane.", places=PANE, palette=False),
    define(
        "previous_pane",
        "shift+tab h",
        "previous pane",
        Group.PANES,
        "To the previous pane.",
        places=PANE,
        palette=False,
    ),
    define(
        "zoom_in",
        "plus",
        "zoom",
        Group.PANES,
        "Enlarge this pane, then zoom it to the whole screen.",
        places=PANE,
    ),
    define("zoom_out", "underscore", "zoom out", Group.PANES, "Shrink this pane.", places=PANE),
    define("zoom_reset", "equals_sign", "reset", Group.PANES, "Reset the sizes of all panes.", places=PANE),
    _scrolls("preview_down", "J", "preview down", "Scroll the preview; the list keeps its place."),
    _scrolls("preview_up", "K", "preview up", "Scroll the preview back."),
    define(
        "copy_entry",
        "y",
        "copy",
        Group.COPY,
        "Copy the entry's text, through ssh and tmux too.",
        blocked=when.can_copy,
        places=LISTS | REVIEW,
    ),
    define(
        "copy_path", "Y", "copy path", Group.COPY, "Copy the entry's path and line.", blocked=when.has_path
    ),
    _writes("save", "ctrl+o f2", "save", "Save it as one operation.", hint=1),
    _writes(
        "leave_text", "escape", "leave", "Close without saving; asks first if you changed something.", hint=2
    ),
    _answers("confirm", "y enter", "do it", "Apply what is shown, as one operation.", hint=1),
    _answers(
        "anyway",
        "exclamation_mark",
        "do it anyway",
        "Do it despite the warning. This key is separate, so that nothing is confirmed by mistake.",
        places=WARNING,
        hint=1,
    ),
    _answers("decline", "n escape", "leave it", "Do nothing.", places=CONFIRM | WARNING, hint=2),
    define(
        "help",
        "question_mark f1",
        "help",
        Group.LEAVE,
        "Every key and what it does.",
        places=TYPING | SCREENS | MESSAGE | NARROW,
        hint=90,
    ),
    define(
        "palette",
        "colon ctrl+p",
        "commands",
        Group.LEAVE,
        "Command palette: every action by name.",
        places=TYPING | SCREENS | MESSAGE | NARROW,
        hint=80,
    ),
    define(
        "back",
        "escape",
        "back",
        Group.LEAVE,
        "One level back: leaves search, find, reading, marks, filter, zoom.",
        places=TYPING | SCREENS | NARROW,
        blocked=when.has_way_back,
        hint=50,
        palette=False,
    ),
    define(
        "quit",
        "q",
        "quit",
        Group.LEAVE,
        "Quit. ctrl+c twice quits from anywhere.",
        places=LISTS | SCREENS,
    ),
)


def declared_beside(placed: Sequence[Action]) -> tuple[Action, ...]:
    """The operations with a key that stand not among these actions: they are done to entries."""
    known = {action.id for action in placed}
    return tuple(
        operation(name) for name, one in operations.OPERATIONS.items() if one.key and name not in known
    )


ACTIONS = (*_PLACED, *declared_beside(_PLACED))


@cache
def by_id() -> dict[str, Action]:
    """The actions by their ids."""
    return {known.id: known for known in ACTIONS}


def bindings(*places: FocusContext) -> list[Binding]:
    """The key bindings of all actions of these places; each key performs its action by id.

    They take precedence over widgets, so that a burst of keys is done in its order: what is typed right
    after ``/`` is text, never a command to the list that had the focus a moment ago. A class has them by the
    keys that actions have by themselves; ``binding.follow`` exchanges those of a screen for the person's.
    """
    wanted = frozenset(places)
    return [
        bound for action in ACTIONS if action.places & wanted for bound in bindings_of(action, action.keys)
    ]


def bindings_of(action: Action, keys: Sequence[str]) -> list[Binding]:
    """The bindings of one action to these keys."""
    return [
        Binding(
            key, f"perform('{action.id}', '{key}')", action.label, show=False, priority=True, id=action.id
        )
        for key in keys
    ]


def is_bound(action_id: str, key: str, place: FocusContext) -> bool:
    """Whether ``key``, one of the action's, performs it in ``place``; while typing, text does not."""
    return place in by_id()[action_id].places and is_reachable(key, place)


def action_at(key: str, place: FocusContext) -> str | None:
    """The action that a key means in a place."""
    return next((name for name in _meanings(active()).get(key, ()) if is_bound(name, key, place)), None)


@lru_cache(4)
def _meanings(key_map: KeyMap | None) -> dict[str, list[str]]:
    """The actions of each key, in their order."""
    found: dict[str, list[str]] = {}
    for action in ACTIONS:
        for key in action.keys if key_map is None else key_map.of(action.id):
            found.setdefault(key, []).append(action.id)
    return found


_GROUPS = (10, 30, 60, 80)
"""The hints with which another group begins."""


def hints(context: Context) -> list[tuple[str, str]]:
    """Key and label of what can be done now: to act, to find, of time, and elsewhere, with a bar between."""
    usable = [
        action
        for action in ACTIONS
        if action.hint
        and context.place in action.places
        and keys_of(action.id)
        and action.reason(context) is None
    ]
    found: list[tuple[str, str]] = []
    before = None
    for action in sorted(usable, key=lambda action: action.hint):
        group = bisect(_GROUPS, action.hint)
        if before not in (None, group):
            found.append(BAR)
        before = group
        found.append((key_name(_key_here(action, context.place)), _label(action, context)))
    return found


def _label(action: Action, context: Context) -> str:
    """What the action is called, and to how many it would be done where marks go before the cursor."""
    takes_marks = context.marked and action.blocked in when.ON_TARGETS
    return f"{action.label} {len(context.marked)}" if takes_marks else action.label


def _key_here(action: Action, place: FocusContext) -> str:
    """The first key that means the action here."""
    keys = keys_of(action.id)
    return next((key for key in keys if is_bound(action.id, key, place)), keys[0])


def grouped_actions() -> Sequence[tuple[Group, list[Action]]]:
    """All actions under their groups, in the order of the help."""
    return [(group, [a for a in ACTIONS if a.group is group]) for group in Group]


def key_table(keys: KeyMap | None = None) -> str:
    """Every action as a Markdown table; with the keys of the default profile unless others are given."""
    chosen = keys or key_map(ACTIONS, DEFAULT)[0]
    lines = ["| keys | what they do |", "| --- | --- |"]
    for group, actions in grouped_actions():
        lines.append(f"| **{group}** | |")
        for action in actions:
            names = key_names(chosen.of(action.id)).split(" ")
            shown = " ".join(f"`{name}`" for name in names if name) or "none"
            lines.append(f"| {shown} | {action.help} |")
    return "\n".join(lines) + "\n"


def keys_json(keys: KeyMap) -> list[Mapping[str, Any]]:
    """Every action with its keys, as they are written, and where they count."""
    return [
        {
            "action": action.id,
            "label": action.label,
            "keys": key_names(keys.of(action.id)).split(),
            "group": str(action.group),
            "places": sorted(action.places),
            "help": action.help,
        }
        for _, actions in grouped_actions()
        for action in actions
    ]
