"""The mouse: arrows fold, hints are keys, the wheel scrolls, two clicks open."""

from __future__ import annotations

from textual.events import MouseScrollDown

from tests.screens.interface import Interface, opened
from tests.support.workspaces import Sandbox


async def click_hint(interface: Interface, key: str) -> None:
    """Click on the hint of a key."""
    at = f" {interface.main.hint_line.render().plain}".find(f" {key} ")
    assert at >= 0, interface.text
    await interface.pilot.click("#hints", offset=(at, 0))
    await interface.pilot.pause()


async def test_a_click_on_an_arrow_folds_and_one_beside_it_does_not(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        rows = interface.main.pane.list
        await interface.until_shown("We decided")
        for at, is_open in ((2, False), (3, True), (8, True), (4, True)):
            await interface.pilot.click("#logs-list", offset=(at, 0))
            await interface.pilot.pause()
            assert rows.rows[0].fold is is_open, at


async def test_a_click_on_a_hint_does_what_its_key_does(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await click_hint(interface, "/")
        await interface.until(lambda: interface.main.overlay.is_open, "the search")
        await click_hint(interface, "esc")
        await interface.until(lambda: not interface.main.overlay.is_open, "the panes")
        await interface.go_to("staging port")
        await click_hint(interface, "space")
        assert [row.text for row in interface.main.here.marked_rows()] == ["The staging port is 8443"]
        await click_hint(interface, "?")
        await interface.until(lambda: interface.app.screen is not interface.main, "the help")


async def test_the_wheel_scrolls_and_two_clicks_read(sandbox: Sandbox) -> None:
    sandbox.write("memory/2026-03-15.md", "# Day\n\n" + "".join(f"- entry {n}\n" for n in range(80)))
    async with opened(sandbox.workspace) as interface:
        rows = interface.main.pane.list
        await interface.until_shown("entry 9")
        await interface.until(lambda: rows.max_scroll_y > 0, "there is more than fits")
        await interface.until(lambda: rows.show_vertical_scrollbar, "it can be scrolled")
        rows.post_message(MouseScrollDown(rows, 1, 1, 0, 1, 0, False, False, False))
        await interface.until(lambda: rows.scroll_offset.y > 0, "it scrolled")
        await interface.pilot.click("#logs-list", offset=(12, 3), times=2)
        await interface.until(lambda: interface.main.pane_layout.reading, "it is read")


async def test_what_the_wheel_scrolled_to_stays_when_files_change(sandbox: Sandbox) -> None:
    sandbox.write("memory/2026-03-15.md", "# Day\n\n" + "".join(f"- entry {n}\n" for n in range(80)))
    async with opened(sandbox.workspace) as interface:
        rows = interface.main.pane.list
        await interface.until_shown("entry 9")
        await interface.until(lambda: rows.show_vertical_scrollbar, "it can be scrolled")
        while rows.scroll_offset.y < 20:
            rows.post_message(MouseScrollDown(rows, 1, 1, 0, 1, 0, False, False, False))
            await interface.pilot.pause()
        first, before = rows.rows[rows.scroll_offset.y].text, len(rows.rows)
        sandbox.write("memory/2026-03-16.md", "# Day\n\n- a day later\n- and more of it\n")
        await interface.until(lambda: len(rows.rows) > before, "the new day")
        assert rows.rows[rows.scroll_offset.y].text == first
        await interface.pilot.resize_terminal(140, 36)
        await interface.until(lambda: rows.size.height < 24, "the list is lower")
        assert rows.rows[rows.scroll_offset.y].text == first
