"""The actions that change where a person is and nothing else; a part of the registry in ``actions``."""

from __future__ import annotations

from screens.action import LISTS, PANE, SCREENS, TYPING, WRITING, Action, Group, define

MOVEMENTS: tuple[Action, ...] = (
    define("down", "j down", "down", Group.MOVE, "One row down.", places=TYPING | SCREENS, palette=False),
    define("up", "k up", "up", Group.MOVE, "One row up.", places=TYPING | SCREENS, palette=False),
    define("top", "g home", "top", Group.MOVE, "To the first row.", palette=False, places=LISTS | SCREENS),
    define(
        "bottom", "G end", "bottom", Group.MOVE, "To the last row.", palette=False, places=LISTS | SCREENS
    ),
    define(
        "half_down",
        "ctrl+d",
        "half a page down",
        Group.MOVE,
        "Half a page down.",
        palette=False,
        places=LISTS | SCREENS,
    ),
    define(
        "half_up",
        "ctrl+u",
        "half a page up",
        Group.MOVE,
        "Half a page up.",
        palette=False,
        places=LISTS | SCREENS,
    ),
    define(
        "page_down",
        "pagedown",
        "page down",
        Group.MOVE,
        "One page down.",
        places=TYPING | SCREENS | WRITING,
        palette=False,
    ),
    define(
        "page_up",
        "pageup",
        "page up",
        Group.MOVE,
        "One page up.",
        places=TYPING | SCREENS | WRITING,
        palette=False,
    ),
    define("unfold", "right", "unfold", Group.MOVE, "Show what is under the row.", palette=False),
    define(
        "fold",
        "left",
        "fold",
        Group.MOVE,
        "Hide what is under the row, or go to the row above it.",
        palette=False,
    ),
    define("pane_logs", "1", "logs", Group.PANES, "To the daily logs, notes and context.", places=PANE),
    define("pane_memory", "2", "memory", Group.PANES, "To long-term memory.", places=PANE),
    define("pane_episodes", "3", "episodes", Group.PANES, "To the queue of episodes.", places=PANE),
    define("pane_graph", "4", "graph", Group.PANES, "To the people, projects and todos.", places=PANE),
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
    define("zoom_in", "plus", "zoom", Group.PANES, "Give this pane more room, then all of it.", places=PANE),
    define("zoom_out", "underscore", "zoom out", Group.PANES, "Give this pane less room.", places=PANE),
    define("zoom_reset", "equals_sign", "reset", Group.PANES, "All panes the same again.", places=PANE),
)
