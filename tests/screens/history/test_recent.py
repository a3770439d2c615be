"""What was written since yesterday is listed, and promoted, set aside and undone from there."""

from __future__ import annotations

from datetime import date

import pytest

from tests.screens.history.test_browsing import browse
from tests.screens.interface import Interface, opened
from tests.support.workspaces import LOG, LOG_TEXT, Sandbox


@pytest.fixture(autouse=True)
def _today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_TODAY", date.today().isoformat())


async def go_to(interface: Interface, words: str) -> None:
    """Put the cursor on the entry with these words."""
    rows = browse(interface).list
    await interface.until(lambda: any(words in row.text for row in rows.rows), f"a row with {words}")
    rows.go(next(at for at, row in enumerate(rows.rows) if words in row.text and row.path == LOG))


async def test_an_entry_is_promoted_and_set_aside_from_the_list(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.press("L")
        await go_to(interface, "staging port")
        await interface.press("p")
        await interface.until_said("Promoted")
        await go_to(interface, "tantivy")
        await interface.press("x")
        await interface.until_said("Set aside")
    assert b"8443" in sandbox.read("MEMORY.md")
    assert b"tantivy" not in sandbox.read(LOG)


async def test_a_commit_of_somebody_else_is_undone_after_a_look(sandbox: Sandbox) -> None:
    sandbox.write(LOG, LOG_TEXT + "\n- The lamp was cleaned\n")
    sandbox.commit("log")
    async with opened(sandbox.workspace) as interface:
        await interface.press("L")
        await go_to(interface, "lamp")
        await interface.press("u")
        await interface.until_shown("Undo")
        await interface.press("y")
        await interface.until_said("Undone")
    assert sandbox.read(LOG) == LOG_TEXT.encode()


async def test_what_no_commit_has_yet_says_so(sandbox: Sandbox) -> None:
    sandbox.write(LOG, LOG_TEXT + "\n- The lens was cleaned\n")
    async with opened(sandbox.workspace) as interface:
        await interface.press("L")
        await go_to(interface, "lens")
        await interface.until_shown("in no commit yet")
        await interface.press("u")
        await interface.until_said("Not committed yet")


async def test_to_undo_what_an_undo_brought_back_asks_whether_to_redo(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("staging port")
        await interface.press("d")
        await interface.until_said("Forgotten")
        await interface.press("u")
        await interface.until_said("Undone")
        await interface.press("L")
        await go_to(interface, "staging port")
        await interface.press("u")
        await interface.until_shown("Redo “forget: The staging port is 8443”?")
        await interface.press("y")
        await interface.until_said("Redone")
    assert b"staging port" not in sandbox.read(LOG)
