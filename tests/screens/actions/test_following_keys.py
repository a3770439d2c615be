"""The interface goes by the person's keys: bindings, hints, help, palette and reasons follow them."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len

from screens.actions.key_file import key_file_path
from screens.actions.registry import Context, FocusContext, hints
from screens.dialogs.dialog import HelpScreen
from screens.drawing.safe_text import Row
from screens.widgets.entry_list import GUTTER
from tests.screens.interface import Interface, opened
from tests.support.workspaces import LOG, Sandbox

STAGING = b"- The staging port is 8443\n"


@pytest.fixture
def file() -> Path:
    return key_file_path()


def help_of(interface: Interface) -> HelpScreen:
    screen = interface.app.screen
    assert isinstance(screen, HelpScreen)
    return screen


def is_open(interface: Interface) -> bool:
    row = interface.main.here.row
    return row is not None and row.fold is True


def rows_of(screen: HelpScreen) -> list[Row]:
    return list(screen._list.rows)


async def test_a_new_key_does_it_and_the_old_one_does_not(sandbox: Sandbox, file: Path) -> None:
    file.write_text('[keys]\nforget = ["Z"]\nundo = ["ctrl+z"]\nhelp = ["ctrl+g"]\nsearch = ["ctrl+x"]\n')
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("staging port")
        await interface.until(lambda: ("Z", "forget") in interface.main.hint_line.hints, "the hint follows")
        await interface.press("d")
        await interface.press("Z")
        await interface.until_said("Forgotten")
        assert STAGING not in sandbox.read(LOG)
        await interface.press("ctrl+z")
        await interface.until_said("Undone")
        assert STAGING in sandbox.read(LOG)
        await interface.press("n")
        await interface.until_said("Search first: ctrl+x")
        await interface.press("ctrl+g")
        await interface.until_shown("type to filter")
        lead = {row.id: row.lead[0].text.strip() for row in rows_of(help_of(interface)) if row.lead}
        assert (lead["forget"], lead["undo"], lead["help"]) == ("Z", "ctrl+z", "ctrl+g")
        await interface.press("ctrl+g")
        await interface.until(lambda: interface.main.is_active, "the key that opened it closes it")
        await interface.press("colon")
        await interface.type("forget")
        await interface.until_shown("Forget  ·  Z")


async def test_the_vim_profile_works_in_the_panes_and_over_them(sandbox: Sandbox, file: Path) -> None:
    file.write_text('profile = "vim"\n')
    async with opened(sandbox.workspace) as interface:
        await interface.until(lambda: is_open(interface), "the first day stands open")
        await interface.press("h")
        await interface.until(lambda: not is_open(interface), "folded")
        await interface.press("l")
        await interface.until(lambda: is_open(interface), "unfolded")
        await interface.press("ctrl+w")
        await interface.until(lambda: interface.main.current == 1, "the next pane")
        await interface.press("at")
        await interface.until_shown("esc back")
        await interface.press("ctrl+f", "ctrl+b", "at")
        await interface.until(lambda: interface.main.is_active, "closed")


async def test_two_interfaces_in_one_process_go_by_their_own_keys(sandbox: Sandbox, file: Path) -> None:
    file.write_text('[keys]\nundo = ["ctrl+z"]\n')
    async with opened(sandbox.workspace) as first:
        file.write_text('[keys]\nundo = ["ctrl+x"]\n')
        async with opened(sandbox.workspace) as second:
            await second.until(lambda: ("ctrl+x", "undo") in second.main.hint_line.hints, "its own")
            first.main.call_later(first.main.show_hints)
            await first.until(lambda: ("ctrl+z", "undo") in first.main.hint_line.hints, "still its own")
    file.unlink()
    async with opened(sandbox.workspace) as third:
        await third.until(lambda: ("u", "undo") in third.main.hint_line.hints, "the default")


@pytest.mark.promise("The interface", "`keys.toml` has any content")
async def test_what_does_not_count_is_said_at_the_start_and_the_rest_counts(
    sandbox: Sandbox, file: Path
) -> None:
    file.write_text('[keys]\nundo = ["ctrl+z"]\n"[/] [@click=app.quit]" = ["x"]\npromote = ["d"]\n')
    async with opened(sandbox.workspace) as interface:
        await interface.until_said("Some of your keys were skipped")
        assert "keys.toml:3: there is no action “[/] [@click=app.quit]”" in interface.toasts
        assert "S shows the keys" in interface.toasts
        await interface.until(lambda: ("ctrl+z", "undo") in interface.main.hint_line.hints, "the good one")


async def test_help_begins_with_what_can_be_done_here_and_why_not(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.press("question_mark")
        await interface.until_shown("Here: in the panes")
        rows = rows_of(help_of(interface))
        assert rows[0].text == "Here: in the panes"
        found = {row.id: row.text for row in rows}
        assert "(not now: search first: /)" in found["next_hit"]
        await interface.press("escape")
        await interface.until(lambda: interface.main.is_active, "closed")
        await interface.press("at")
        await interface.until_shown("esc back")
        await interface.press("question_mark")
        await interface.until_shown("Here: in the history")
        ids = [row.id for row in rows_of(help_of(interface)) if not row.inert]
        assert ids.index("undo") < ids.index("forget")
        await interface.type("no such thing at all")
        await interface.until_shown("no action matches")


@pytest.mark.parametrize("size", [(60, 20), (100, 30), (140, 40)])
async def test_help_is_whole_at_every_width(sandbox: Sandbox, size: tuple[int, int]) -> None:
    async with opened(sandbox.workspace, size) as interface:
        await interface.press("question_mark")
        await interface.until_shown("Here: in the panes")
        screen = help_of(interface)
        room = screen._list.scrollable_content_region.width
        for row in rows_of(screen):
            lead = sum(cell_len(part.text) + 1 for part in row.lead)
            assert GUTTER + 2 * row.depth + lead + cell_len(row.text) < room, row.text
        told = " ".join(row.text for row in rows_of(screen))
        assert "whoever did it; in the history, the selected one." in told


def test_outside_of_an_interface_the_default_keys_are_told() -> None:
    assert ("?", "help") in hints(Context(place=FocusContext.PANE))
