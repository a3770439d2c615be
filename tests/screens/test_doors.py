"""Every screen over the panes opens by its key, closes by it and by escape, and shows its keys."""

from __future__ import annotations

import pytest
from textual.widgets import Input

from screens.actions.action import ROOMS
from screens.actions.registry import ACTIONS
from screens.frames.overlay_screen import OverlayScreen
from tests.screens.interface import opened
from tests.support.workspaces import Sandbox

DOORS = [action for action in ACTIONS if action.group == "Other screens" and action.places & ROOMS]


@pytest.mark.parametrize("door", DOORS, ids=lambda action: action.id)
async def test_a_screen_opens_and_closes_by_its_key_and_by_escape(door, sandbox: Sandbox) -> None:  # type: ignore[no-untyped-def]
    async with opened(sandbox.workspace) as interface:
        for leaves in (door.keys[0], "escape"):
            await interface.press(door.keys[0])
            await interface.until(lambda: isinstance(interface.app.screen, OverlayScreen), "it is open")
            if isinstance(interface.app.focused, Input):  # there one begins by typing: a key is text
                await interface.press("escape")
            await interface.until_shown("esc back")
            await interface.press(leaves)
            await interface.until(lambda: interface.main.is_active, "it is closed")
