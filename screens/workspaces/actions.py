"""What can be done about several workspaces; a part of the registry in ``screens.actions``."""

from __future__ import annotations

from screens.actions.action import LISTS, SEARCH, Action, Group, define

WORKSPACE_ACTIONS: tuple[Action, ...] = (
    define(
        "workspaces",
        "O",
        "workspaces",
        Group.ROOMS,
        "Workspaces: switch to another one, or add this one to the list.",
        places=LISTS,
    ),
    define(
        "everywhere",
        "ctrl+o f4",
        "all workspaces",
        Group.SEARCH,
        "Search all your workspaces, or this one again; enter on a hit opens its workspace.",
        places=SEARCH,
        palette=False,
    ),
)
