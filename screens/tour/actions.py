"""What can be done about the tour; a part of the registry in ``screens.actions``."""

from __future__ import annotations

from screens.actions.action import PANE, Action, Group, define

TOUR_ACTIONS: tuple[Action, ...] = (
    define(
        "tour",
        "",
        "tour",
        Group.LEAVE,
        "Five short steps: read, search, promote, undo, dream. Each goes on when it was done.",
        places=PANE,
    ),
)
