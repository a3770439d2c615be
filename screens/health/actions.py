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
        "Health: index, budget, decay, duplicates, secrets, backup; go from a finding to its entry and fix.",
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
        "Go to the entry that the finding is about; the same as enter.",
        blocked=has_row,
        hint=6,
    ),
    _in_health("health_other", "O", "the other entry", "Go to the other entry of a pair.", blocked=has_row),
    _in_health("health_again", "r", "look again", "Run all checks again.", hint=7),
    _in_health(
        "health_stop",
        "c",
        "stop",
        "Stop the running backup, index run or check; finished parts are kept.",
        hint=4,
    ),
    _in_health(
        "back_up",
        "b",
        "back up",
        "Back up to the last place and verify it; the first time, asks for a place.",
        blocked=writable,
        hint=8,
    ),
    _in_health(
        "run_tests",
        "t",
        "recall tests",
        "Run all recall tests now.",
        hint=9,
    ),
    _in_health(
        "migrate",
        "m",
        "migrate",
        "Upgrade memory of an older version to the current format, after showing the change.",
        blocked=writable,
    ),
    _in_health(
        "health_read",
        "tab",
        "read",
        "Enlarge the details of the row, or shrink them again.",
        blocked=has_row,
    ),
)
