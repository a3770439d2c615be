"""What can be done there; a part of the registry in ``screens.actions``."""

from __future__ import annotations

from screens.actions.action import HEALTH, LISTS, SCREENS, Action, Group, define
from screens.actions.context import always, has_row

HEALTH_ACTIONS: tuple[Action, ...] = (
    define(
        "health",
        "H",
        "health",
        Group.ROOMS,
        "Freshness, growth, decay, duplicates, secrets, backup: each finding leads to its entry and its fix.",
        places=LISTS | SCREENS,
    ),
    define(
        "health_fix",
        "f",
        "fix",
        Group.HEALTH,
        "Mend the finding: shows the ways there are, and what each would change.",
        places=HEALTH,
        blocked=has_row,
        hint=5,
        palette=False,
    ),
    define(
        "health_entry",
        "o",
        "its entry",
        Group.HEALTH,
        "Leave for the entry that the finding is about; enter does the same.",
        places=HEALTH,
        blocked=has_row,
        hint=6,
        palette=False,
    ),
    define(
        "health_other",
        "O",
        "the other entry",
        Group.HEALTH,
        "Leave for the other entry of a pair.",
        places=HEALTH,
        blocked=has_row,
        palette=False,
    ),
    define(
        "health_again",
        "r",
        "look again",
        Group.HEALTH,
        "Look at everything again.",
        places=HEALTH,
        blocked=always,
        hint=7,
        palette=False,
    ),
    define(
        "health_stop",
        "c",
        "stop looking",
        Group.HEALTH,
        "End the look that is under way; what was found so far stays.",
        places=HEALTH,
        blocked=always,
        hint=4,
        palette=False,
    ),
    define(
        "health_read",
        "tab",
        "read",
        Group.HEALTH,
        "Give what is behind the row most of the room, or take it back.",
        places=HEALTH,
        blocked=has_row,
        palette=False,
    ),
)
