"""The ways out of a screen over the panes: to another one, to all commands, and out of the program."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, cast

from textual.screen import Screen

from screens.main.movement import Command

if TYPE_CHECKING:
    from screens.app import WorkbenchApp

SCREEN_NAMES = {
    "review": "Inbox", "graph_view": "Graph", "agent_view": "Context", "operations": "History",
    "health": "Health", "settings": "Settings",
}  # fmt: skip
"""The actions that open a screen of their own, wherever the cursor is, and the names of these screens."""


def ways(screen: Screen[Any]) -> dict[str, Command]:
    """The commands by action id, for a screen that lies over the panes."""
    return {
        **{room: partial(go, screen, room) for room in (*SCREEN_NAMES, "recent")},
        "palette": lambda: screen.app.action_command_palette(),  # noqa: PLW0108 - it has no app yet
        "quit": lambda: screen.app.exit(),  # noqa: PLW0108
    }


def go(screen: Screen[Any], room: str) -> None:
    """Open a room over ``screen``; back to it where it is open below already, so that none is open twice."""
    from screens.frames.overlay_screen import OverScreen  # noqa: PLC0415 - it is built on this module

    app = cast("WorkbenchApp", screen.app)
    known = [one for one in app.screen_stack if isinstance(one, OverScreen) and room == one.LEAVES]
    if not known:
        app.main.action_perform(room)
        return
    for above in reversed(app.screen_stack):
        if above is known[-1]:
            break
        above.dismiss()
