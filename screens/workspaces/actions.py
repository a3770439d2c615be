"""What can be done about several workspaces; a part of the registry in ``screens.actions``."""

from __future__ import annotations

from screens.actions.action import LISTS, SEARCH, Action, Group, define

WORKSPACE_ACTIONS: tuple[Action, ...] = (
    define(
        "workspaces",
        "O",
        "workspaces",
        Group.ROOMS,
        "Your workspaces by name: show another one here, or put this one on the list.",
        places=LISTS,
    ),
    define(
        "everywhere",
        "ctrl+o f4",
        "all workspaces",
        Group.SEARCH,
        "Search all of your workspaces, or this one again; enter on a hit goes to its workspace.",
        places=SEARCH,
        palette=False,
    ),
)
