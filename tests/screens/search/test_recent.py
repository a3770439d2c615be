"""What was searched for before can be searched for again, in this run and in the next."""

from __future__ import annotations

import os
from pathlib import Path

from indexing.sync.run import reindex
from screens.search.recent import RecentSearches
from tests.screens.interface import Interface, opened
from tests.support.workspaces import Sandbox
from workbench.workspace.state_files import searches


async def search(interface: Interface, text: str) -> None:
    """Search for ``text`` and leave again."""
    await interface.press("slash")
    await interface.type(text)
    await interface.until(lambda: interface.main.live_search.settled, "it was answered")
    await interface.press("escape")


def remembered(sandbox: Sandbox) -> tuple[str, ...]:
    return searches(sandbox.root / ".workbench")


async def test_searches_are_offered_where_nothing_is_typed_and_made_again(sandbox: Sandbox) -> None:
    reindex(sandbox.workspace, vectors=False)
    async with opened(sandbox.workspace) as interface:
        await search(interface, "staging port")
        await interface.until(lambda: remembered(sandbox) == ("staging port",), "it is remembered")
        await search(interface, "tantivy")
        await interface.until(lambda: len(remembered(sandbox)) == 2, "both are")
    async with opened(sandbox.workspace) as interface:
        await interface.press("slash")
        await interface.until_shown("↺ tantivy")
        await interface.press("down", "enter")
        assert interface.main.overlay.input.value == "staging port"
        await interface.until(lambda: interface.main.overlay.hits.rows, "hits")
        await interface.until_shown("The staging port is 8443")


async def test_the_line_walks_back_and_forth_to_what_was_being_typed(sandbox: Sandbox) -> None:
    reindex(sandbox.workspace, vectors=False)
    async with opened(sandbox.workspace) as interface:
        await search(interface, "staging port")
        await search(interface, "tantivy")
        await interface.until(lambda: len(remembered(sandbox)) == 2, "both are")
        box = interface.main.overlay.input
        await interface.press("slash")
        await interface.type("new words")
        seen = []
        for key in ("ctrl+up", "ctrl+up", "ctrl+up", "ctrl+down", "ctrl+down", "ctrl+down"):
            await interface.press(key)
            seen.append(box.value)
        assert seen == ["tantivy", "staging port", "staging port", "tantivy", "new words", "new words"]


async def test_a_remembered_search_is_no_entry(sandbox: Sandbox) -> None:
    reindex(sandbox.workspace, vectors=False)
    before = sandbox.read("MEMORY.md")
    async with opened(sandbox.workspace) as interface:
        await search(interface, "port [/] [@click=app.quit]")
        await interface.until(lambda: remembered(sandbox), "it is remembered")
        await interface.press("slash")
        await interface.press("delete")
        await interface.until_shown("↺ port [/] [@click=app.quit]")
        await interface.press("tab", "p")
        await interface.until_said("Select an entry first")
        assert interface.main.live_search.count == 0
    assert sandbox.read("MEMORY.md") == before


def test_where_nothing_can_be_written_this_run_remembers(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        (tmp_path / ".workbench").write_text("a file where the folder should be")
    else:
        tmp_path.chmod(0o500)
    from workbench.workspace.workspace import Workspace

    recent = RecentSearches(Workspace.open(tmp_path))
    recent.load()
    recent.add("port")
    assert recent.texts == ("port",)
