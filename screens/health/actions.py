"""What can be done there; a part of the registry in ``screens.actions``."""

from __future__ import annotations

from screens.actions.action import HEALTH, LISTS, SCREENS, Action, Group, ScreenActions, define
from screens.actions.availability import has_row, writable

_in_health = ScreenActions(Group.HEALTH, HEALTH)

HEALTH_ACTIONS: tuple[Action, ...] = (
    define(
        "health",
        "H",
        "health",
        Group.ROOMS,
        "Freshness, budget, decay, duplicates, secrets, backup; each finding leads to its entry and its fix.",
        places=LISTS | SCREENS,
    ),
    _in_health(
        "health_fix",
        "f",
        "fix",
        "Fix the finding: shows the possible fixes and what each would change.",
        blocked=has_row,
        hint=5,
    ),
    _in_health(
        "health_entry",
        "o",
        "its entry",
        "Leave for the entry that the finding is about; enter does the same.",
        blocked=has_row,
        hint=6,
    ),
    _in_health(
        "health_other", "O", "the other entry", "Leave for the other entry of a pair.", blocked=has_row
    ),
    _in_health("health_again", "r", "look again", "Run all checks again.", hint=7),
    _in_health(
        "health_stop",
        "c",
        "stop",
        "Stop the running backup, index run or check; what was done or found stays.",
        hint=4,
    ),
    _in_health(
        "back_up",
        "b",
        "back up",
        "Make a backup where the last one is, and prove it; the first time it asks for a place.",
        blocked=writable,
        hint=8,
    ),
    _in_health(
        "run_tests",
        "t",
        "recall tests",
        "Run all recall tests now: does memory find what it must?",
        hint=9,
    ),
    _in_health(
        "migrate",
        "m",
        "migrate",
        "Bring memory that an older version wrote to today's format, after a look at the change.",
        blocked=writable,
    ),
    _in_health(
        "health_read",
        "tab",
        "read",
        "Give what is behind the row most of the room, or take it back.",
        blocked=has_row,
    ),
)
