"""The keys as a table: for the documentation, and for people who read them on the command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from screens.actions.keymap import DEFAULT, KeyMap, key_map
from screens.actions.keys import key_names
from screens.actions.registry import ACTIONS, grouped_actions


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
