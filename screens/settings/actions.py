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
        "Every setting with its value and where it comes from; the keys, and profiles of them.",
        places=LISTS | (SCREENS - GRAPH),
    ),
    _in_settings(
        "settings_page", "tab shift+tab", "settings or keys", "Between the settings and the keys.", hint=3
    ),
    _in_settings("settings_filter", "slash", "filter", "Show only what holds the words typed.", hint=4),
    _in_settings(
        "change_setting",
        "e",
        "change",
        "Change it in place: the next of a few words, or a line to type in; keys in your editor.",
        hint=1,
    ),
    _in_settings(
        "change_shared",
        "w",
        "in workbench.yaml",
        "Change it in the workspace's own file, as an operation: for everybody who works with this memory.",
        hint=5,
    ),
    _in_settings(
        "reset_setting",
        "r",
        "reset",
        "Take it out of the file that says it: what is behind it counts.",
        hint=2,
    ),
    define(
        "edit_keys",
        "",
        "edit your keys",
        Group.SETTINGS,
        "Open keys.toml in the program that $VISUAL or $EDITOR names; a new one holds every action.",
        places=LISTS | SETTINGS,
    ),
    _in_settings(
        "key_profile",
        "p",
        "profile",
        "The next profile of keys: default or vim; your own keys stay over it.",
        hint=6,
    ),
    _in_settings(
        "enter_setting",
        "enter",
        "take it",
        "Write what was typed, once it is valid; from the filter to the list.",
        places=ENTERING,
        hint=1,
    ),
    _in_settings(
        "leave_setting", "escape", "leave it", "Leave the line; nothing is changed.", places=ENTERING, hint=2
    ),
)
