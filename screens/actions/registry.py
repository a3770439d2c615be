"""The registry of all actions of the interface.

Key bindings, the command palette, the help screen, the hint line and docs/keys.md are all generated from
``ACTIONS``, with the keys of the key map that is ``active``.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from textual.binding import Binding

from screens.actions.action import Action, Group, operation
from screens.actions.availability import ON_TARGETS, Context, FocusContext
from screens.actions.keymap import KeyMap, is_reachable
from screens.actions.keys import active, key_name, key_names, keys_of
from screens.actions.main_actions import ENTRY_ACTIONS, MOVES
from screens.actions.screen_actions import SCREEN_ACTIONS
from screens.widgets.lines import BAR
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
_PLACED = (*ENTRY_ACTIONS, *SCREEN_ACTIONS, *MOVES)


def declared_beside(placed: Sequence[Action]) -> tuple[Action, ...]:
    """The declared operations that have a key and are not among these actions: they are done to entries."""
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
    keys that actions have by themselves; ``main.key_bindings`` exchanges those of a screen for the person's.
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
    takes_marks = context.marked and action.needs in ON_TARGETS
    return f"{action.label} {len(context.marked)}" if takes_marks else action.label


def _key_here(action: Action, place: FocusContext) -> str:
    """The first key that means the action here."""
    keys = keys_of(action.id)
    return next((key for key in keys if is_bound(action.id, key, place)), keys[0])


# -- lists of the keys, for the help, the documentation and the command line ---------------------


def grouped_actions() -> Sequence[tuple[Group, list[Action]]]:
    """All actions under their groups, in the order of the help."""
    return [(group, [a for a in ACTIONS if a.group is group]) for group in Group]


def key_table(keys: KeyMap | None = None) -> str:
    """Every action as a Markdown table; with the keys of the default profile unless others are given."""
    lines = ["| keys | what they do |", "| --- | --- |"]
    for group, actions in grouped_actions():
        lines.append(f"| **{group}** | |")
        for action in actions:
            names = key_names(keys.of(action.id) if keys else action.keys).split(" ")
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
