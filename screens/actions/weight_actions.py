"""What can be done where weights are tried; a part of the registry in ``actions``."""

from __future__ import annotations

from screens.actions.action import WEIGHING, Action, Group, define

TURNS: tuple[Action, ...] = (
    define(
        "turn_up",
        "right l plus",
        "more",
        Group.WEIGH,
        "More of the weight under the cursor; the next preset.",
        places=WEIGHING,
        hint=2,
        palette=False,
    ),
    define(
        "turn_down",
        "left h minus",
        "less",
        Group.WEIGH,
        "Less of it; the preset before.",
        places=WEIGHING,
        hint=1,
        palette=False,
    ),
    define(
        "number",
        "0 1 2 3 4 5 6 7 8 9 full_stop",
        "a number",
        Group.WEIGH,
        "Type what it shall be.",
        places=WEIGHING,
        palette=False,
    ),
    define(
        "set_number",
        "enter",
        "set",
        Group.WEIGH,
        "Take the number that was typed.",
        places=WEIGHING,
        palette=False,
    ),
    define(
        "preset",
        "p",
        "preset",
        Group.WEIGH,
        "The weights of another system, or mostly of words or of meaning.",
        places=WEIGHING,
        hint=3,
        palette=False,
    ),
    define(
        "turn_back",
        "r",
        "reset",
        Group.WEIGH,
        "All weights as they are set.",
        places=WEIGHING,
        hint=4,
        palette=False,
    ),
    define(
        "copy_weights",
        "y",
        "copy settings",
        Group.WEIGH,
        "Copy the lines of workbench.yaml that keep these weights.",
        places=WEIGHING,
        hint=5,
        palette=False,
    ),
)
