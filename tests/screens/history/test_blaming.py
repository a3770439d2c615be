"""Each line leads to its operation, to where it came from, and to the file as it was before."""

from __future__ import annotations

from screens.history.operations import OperationsScreen
from tests.screens.history.test_browsing import browse, choose, promote
from tests.screens.interface import Interface, opened
from tests.support.workspaces import LOG, LOG_TEXT, Sandbox


def lines(interface: Interface) -> str:
    return "\n".join(row.text for row in browse(interface).list.rows)


async def blamed(interface: Interface, words: str) -> None:
    """Blame the current pane's entry with these words, and wait for its line."""
    await interface.go_to(words)
    await interface.press("b")
    await interface.until(lambda: words in lines(interface), "the lines")
    await choose(interface, words)


async def test_a_line_opens_its_operation(sandbox: Sandbox) -> None:
    operation = promote(sandbox, "staging port")
    promote(sandbox, "tantivy")
    async with opened(sandbox.workspace) as interface:
        await interface.press("2")
        await blamed(interface, "staging port")
        await interface.press("enter")
        await interface.until(lambda: isinstance(interface.app.screen, OperationsScreen), "operations")
        rows = browse(interface).list
        await interface.until(lambda: rows.row and rows.row.id == operation.commit, "its own")
        await interface.press("u")
        await interface.until_said("Undone")
        await interface.press("escape")
        await interface.until(lambda: not isinstance(interface.app.screen, OperationsScreen), "blame again")
        await interface.until(lambda: "staging port" not in lines(interface), "it is read again")
    assert b"staging port" not in sandbox.read("MEMORY.md")


async def test_a_line_leads_to_where_it_came_from(sandbox: Sandbox) -> None:
    promote(sandbox, "staging port")
    async with opened(sandbox.workspace) as interface:
        await interface.press("2")
        await blamed(interface, "staging port")
        await interface.press("y")
        await interface.until_said("Copied")
        await interface.press("o")
        await interface.until(lambda: interface.main.is_active, "the panes")


async def test_lines_are_narrowed_by_words_and_by_whom(sandbox: Sandbox) -> None:
    sandbox.write(LOG, LOG_TEXT + "- [/] written later\n")
    sandbox.commit("later")
    async with opened(sandbox.workspace, (60, 20)) as interface:
        await blamed(interface, "staging port")
        await interface.press("slash")
        await interface.type("written")
        await interface.until(lambda: lines(interface) == "- [/] written later", "one line")
        await interface.press("enter", "escape")
        await interface.until(lambda: "staging port" in lines(interface), "all of them")


async def test_the_file_is_blamed_as_it_was_before_a_change_and_back(sandbox: Sandbox) -> None:
    sandbox.write(LOG, LOG_TEXT.replace("8443", "9443"))
    sandbox.commit("another port")
    sandbox.git("mv", LOG, "memory/2026-03-13.md")
    sandbox.commit("the right day")
    async with opened(sandbox.workspace) as interface:
        await blamed(interface, "9443")
        await interface.press("right_square_bracket")
        await interface.until_said("the version that you came from")
        await interface.press("left_square_bracket")
        await interface.until(lambda: "8443" in lines(interface), "before the port changed")
        await interface.until_shown(f"{LOG} · before")  # under the name that it had then
        await choose(interface, "8443")
        await interface.press("left_square_bracket")
        await interface.until_said("no earlier version")
        await interface.press("right_square_bracket")
        await interface.until(lambda: "9443" in lines(interface), "after it")


async def test_blame_in_the_past_is_that_of_then(sandbox: Sandbox) -> None:
    sandbox.write(LOG, LOG_TEXT.replace("8443", "9443"))
    sandbox.commit("another port")
    async with opened(sandbox.workspace) as interface:
        await interface.press("left_square_bracket")
        await interface.until(lambda: "8443" in str(interface.main.here.rows), "then")
        await blamed(interface, "8443")
        assert "9443" not in lines(interface)
