"""The other screens are named over the panes with what waits in them, and reached by key and mouse."""

from __future__ import annotations

from functools import partial

import pytest
from textual.screen import Screen

from screens.health.overview import HealthScreen
from screens.review.review import ReviewScreen
from tests.screens.interface import Interface, opened
from tests.support.proposals import of_log, put
from tests.support.workspaces import Sandbox


def line(interface: Interface) -> str:
    return interface.text.split("\n")[1]


def is_open(interface: Interface, screen: type[Screen[None]]) -> bool:
    return isinstance(interface.app.screen, screen)


async def click(interface: Interface, name: str) -> None:
    await interface.pilot.click("#screens", offset=(line(interface).index(name), 0))


async def test_screens_are_named_with_what_waits_and_opened_by_mouse_and_key(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", "# Memory\n\n" + "- many words that nobody needs\n" * 400)
    put(sandbox, of_log(sandbox, "staging port"), of_log(sandbox, "tantivy"))
    async with opened(sandbox.workspace) as interface:
        await interface.until(lambda: "D Inbox 2  R Graph" in line(interface), "two proposals wait")
        assert "H Health 1 " in line(interface), "memory is over its budget"
        for name, screen in (("Inbox", ReviewScreen), ("Health", HealthScreen)):
            await click(interface, name)
            await interface.until(partial(is_open, interface, screen), name)
            await interface.press("escape")
            await interface.until(lambda: interface.app.screen is interface.main, "back")
        await interface.press("D")
        await interface.until_shown("staging port")
        await interface.press("a", "escape")
        await interface.until(lambda: interface.app.screen is interface.main, "back")
        await interface.until(lambda: "D Inbox 1 " in line(interface), "one is left")
        await interface.press("slash")
        await interface.until(
            lambda: " Inbox 1 " in line(interface) and "D Inbox" not in line(interface), "D is text"
        )


@pytest.mark.parametrize(("size", "shown"), [((60, 20), True), ((59, 20), False), ((60, 19), False)])
async def test_small_terminals_keep_the_line_for_the_panes(
    sandbox: Sandbox, size: tuple[int, int], shown: bool
) -> None:
    async with opened(sandbox.workspace, size) as interface:
        await interface.until_shown("Logs")
        assert ("Inbox" in interface.text) is shown


async def test_the_title_says_how_the_memory_stands(sandbox: Sandbox) -> None:
    branch = sandbox.git("branch", "--show-current").strip()
    async with opened(sandbox.workspace, (160, 40)) as interface:
        await interface.until(
            lambda: f"3 files · 1 % of budget · {branch} · index" in interface.text, "the facts"
        )
        sandbox.write("memory/2026-03-15.md", "# Day\n\n- a new line\n")
        sandbox.write("MEMORY.md", "# Memory\n\n" + "- many words that nobody needs\n" * 400)
        interface.main.refresh_files()
        await interface.until(
            lambda: f"4 files · 124 % of budget · {branch} · 2 uncommitted · index" in interface.text,
            "what is new",
        )
        await interface.pilot.resize_terminal(110, 40)
        await interface.until(
            lambda: "4 files · 124" in interface.text and "uncommitted" not in interface.text, "as fits"
        )
        sandbox.commit("all of it")
        interface.main.status_monitor.look()
        await interface.pilot.resize_terminal(160, 40)
        await interface.until(lambda: f"{branch} · index" in interface.text, "all is in a commit")
