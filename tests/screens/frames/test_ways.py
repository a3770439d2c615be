"""From every screen over the panes to another one, to all commands, and out."""

from __future__ import annotations

import pytest
from textual.command import CommandPalette

from screens.actions.action import SCREENS
from screens.actions.availability import FocusContext
from screens.actions.registry import SCREEN_NAMES, action_at, by_id
from screens.context.screen import AgentScreen
from screens.frames.overlay_screen import OverlayScreen
from screens.health.overview import HealthScreen
from screens.review.review import ReviewScreen
from screens.settings.overview import SettingsScreen
from tests.screens.interface import Interface, opened
from tests.support.workspaces import Sandbox

KEYS = {key: room for room in SCREEN_NAMES for key in by_id()[room].keys}
OWN = {
    "review": {"W", "R"},
    "graph": {"D", "S"},
    "pairs": {"D", "S"},
    "claims": {"D", "S"},
    "due": {"D", "S"},
}
"""Keys that mean something of the screen itself; from there the palette leads to those rooms."""


def over(interface: Interface) -> list[str]:
    """The screens over the panes, by the actions that open them."""
    return [one.LEAVES for one in interface.app.screen_stack if isinstance(one, OverlayScreen)]


@pytest.mark.parametrize("place", sorted(SCREENS))
def test_every_screen_over_the_panes_has_all_commands_and_the_way_out(place: FocusContext) -> None:
    assert (action_at("colon", place), action_at("ctrl+p", place), action_at("q", place)) == (
        "palette",
        "palette",
        "quit",
    )
    closed = {key for key, room in KEYS.items() if action_at(key, place) != room}
    assert closed == OWN.get(place, set())


def test_a_screen_is_called_the_same_everywhere() -> None:
    rooms = set(SCREEN_NAMES) - {"review"}
    assert {room: by_id()[room].label for room in rooms} == {
        room: SCREEN_NAMES[room].lower() for room in rooms
    }


async def test_from_screen_to_screen_and_back_each_is_open_once(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        for key, room in (("S", "settings"), ("D", "review"), ("at", "operations"), ("R", "graph_view")):
            await interface.press(key)
            await interface.until(lambda room=room: over(interface)[-1:] == [room], room)  # type: ignore[misc]
        assert over(interface) == ["settings", "review", "operations", "graph_view"]
        await interface.press("escape")
        await interface.until(lambda: over(interface)[-1] == "operations", "one level back")
        await interface.press("S")
        await interface.until(lambda: over(interface) == ["settings"], "back to the one that is open")
        await interface.press("escape")
        await interface.until(lambda: interface.main.is_active, "the panes")


@pytest.mark.parametrize("room", [*SCREEN_NAMES])
async def test_what_was_written_lately_opens_over_every_screen(sandbox: Sandbox, room: str) -> None:
    async with opened(sandbox.workspace) as interface:
        interface.main.action_perform(room)
        await interface.until(lambda: over(interface) == [room], "the screen")
        if room == "agent_view":
            await interface.press("enter")  # out of the line that one types in
        await interface.press("L")
        await interface.until(lambda: over(interface) == [room, "recent"], "recent logs")


async def test_the_palette_offers_what_the_screen_can_do_and_the_other_screens(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.press("D")
        await interface.until(lambda: isinstance(interface.app.screen, ReviewScreen), "the review")
        await interface.press("colon")
        await interface.until(lambda: isinstance(interface.app.screen, CommandPalette), "the palette")
        await interface.type("reject because")
        await interface.until_shown("record why")
        await interface.press("escape")
        await interface.until(lambda: isinstance(interface.app.screen, ReviewScreen), "the review again")
        await interface.press("ctrl+p")
        await interface.until(lambda: isinstance(interface.app.screen, CommandPalette), "the palette")
        await interface.type("settings")
        await interface.until_shown("every setting with its value")
        await interface.press("enter")
        await interface.until(lambda: isinstance(interface.app.screen, SettingsScreen), "the settings")
        assert over(interface) == ["review", "settings"]


async def test_the_palette_writes_names_as_they_are_written(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.press("colon")
        await interface.until(lambda: isinstance(interface.app.screen, CommandPalette), "the palette")
        await interface.type("editor")
        await interface.until_shown("Edit in $EDITOR")


async def test_letters_are_text_where_one_types(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.press("W")
        await interface.until(lambda: isinstance(interface.app.screen, AgentScreen), "what the agent sees")
        screen = interface.app.screen
        assert isinstance(screen, AgentScreen)
        await interface.type("q:DRH")
        assert screen.input.value == "q:DRH"
        assert interface.app.screen is screen
        await interface.press("escape")
        await interface.press("H")
        await interface.until(lambda: isinstance(interface.app.screen, HealthScreen), "health")
        await interface.press("q")
        await interface.until(lambda: interface.app._exit, "it ends")
