"""What can be done there; a part of the registry in ``screens.actions``."""

from __future__ import annotations

from screens.actions.action import (
    ENTERING,
    GRAPH,
    LISTS,
    SCREENS,
    SETTINGS,
    Action,
    Group,
    ScreenActions,
    define,
)

_in_settings = ScreenActions(Group.SETTINGS, SETTINGS)

SETTINGS_ACTIONS: tuple[Action, ...] = (
    define(
        "settings",
        "S",
        "settings",
        Group.ROOMS,
        "Settings: every setting with its value and origin; the keys and their profiles.",
        places=LISTS | (SCREENS - GRAPH),
    ),
    _in_settings(
        "settings_page", "tab shift+tab", "settings or keys", "Between the settings and the keys.", hint=3
    ),
    _in_settings(
        "settings_filter",
        "slash",
        "filter",
        "Show only settings or keys that contain the words typed.",
        hint=4,
    ),
    _in_settings(
        "change_setting",
        "e",
        "change",
        "Change the setting here: the next choice, or a line to type in; keys open in your editor.",
        hint=1,
    ),
    _in_settings(
        "change_shared",
        "w",
        "in workbench.yaml",
        "Change it in the workspace's file, as an operation: for everybody who uses this memory.",
        hint=5,
    ),
    _in_settings(
        "reset_setting",
        "r",
        "reset",
        "Remove it from its file; then the other file or the default counts.",
        hint=2,
    ),
    define(
        "edit_keys",
        "",
        "edit your keys",
        Group.SETTINGS,
        "Open keys.toml in the program that $VISUAL or $EDITOR names; a new file lists every action.",
        places=LISTS | SETTINGS,
    ),
    _in_settings(
        "key_profile",
        "p",
        "profile",
        "Next profile of keys: default or vim; your own keys take precedence.",
        hint=6,
    ),
    _in_settings(
        "enter_setting",
        "enter",
        "take it",
        "Save what you typed if it is valid; in the filter: to the list.",
        places=ENTERING,
        hint=1,
    ),
    _in_settings(
        "leave_setting", "escape", "leave it", "Leave the line without a change.", places=ENTERING, hint=2
    ),
)
