"""Memory as it was, asked for in the box: found, read as it was, and never acted upon."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexing.sync.run import reindex
from tests.screens.interface import Interface, opened
from tests.support.workspaces import LOG, LOG_TEXT, Sandbox


@pytest.fixture
def changed(sandbox: Sandbox, person: Path, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    """A workspace whose log said something else in its first commit; no model."""
    settings = person / "settings.yaml"
    settings.write_text("model: none\n")
    monkeypatch.setenv("WORKBENCH_CONFIG", str(settings))
    sandbox.write(LOG, LOG_TEXT.replace("8443", "9443"))
    sandbox.commit("another port")
    sandbox.workspace.close()
    sandbox.workspace = type(sandbox.workspace).open(sandbox.root)
    reindex(sandbox.workspace, vectors=False)
    return sandbox


def first(interface: Interface) -> str:
    rows = interface.main.overlay.hits.rows
    return rows[0].text if rows else ""


@pytest.mark.promise(
    "The search in the interface",
    "an action on memory of the past",
    "refused, with the reason",
)
async def test_the_past_is_found_and_read_as_it_was_and_nothing_can_be_done_to_it(changed: Sandbox) -> None:
    commit = changed.git("rev-list", "--max-parents=0", "HEAD").strip()[:12]
    before = changed.read(LOG)
    async with opened(changed.workspace, engines=True) as interface:
        await interface.press("slash")
        await interface.type("staging")
        await interface.until(lambda: "9443" in first(interface), "today's port")
        await interface.until(lambda: interface.main.index_monitor.engine.alive, "the other half")
        await interface.type(f" as-of:{commit}")
        await interface.until(lambda: "8443" in first(interface), "the port then")
        await interface.until_shown("memory as of 20")
        await interface.press("tab", "p")
        await interface.until_said("it is read-only")
        await interface.press("d")
        await interface.press("enter")
        await interface.until(lambda: interface.main.pane_layout.reading, "reading")
        await interface.until_shown("- The staging port is 8443")
        assert interface.main.overlay.is_open
        await interface.press("escape")
        assert interface.main.overlay.is_open
        await interface.press("escape", "n")
        await interface.until_said("/ shows it")
    assert changed.read(LOG) == before
    assert b"8443" not in changed.read("MEMORY.md")


async def test_a_search_while_travelling_is_about_that_moment(changed: Sandbox) -> None:
    async with opened(changed.workspace, engines=True) as interface:
        await interface.press("left_square_bracket")
        await interface.until_shown("as of")
        await interface.press("slash")
        await interface.type("staging")
        await interface.until(lambda: "8443" in first(interface), "the port then")
        await interface.until_shown("memory as of 20")


@pytest.mark.promise(
    "The search in the interface",
    "a moment in the search box that never existed",
    "an error, never an answer about today",
)
async def test_a_moment_that_nobody_knows_is_a_failure_and_not_an_answer_about_today(
    changed: Sandbox,
) -> None:
    async with opened(changed.workspace, engines=True) as interface:
        await interface.until(lambda: interface.main.index_monitor.engine.alive, "the other half")
        await interface.press("slash")
        await interface.type("staging as-of:ffffffffffff")
        await interface.until_shown("✗ the search failed: there is no operation ffffffffffff")
        assert first(interface) == ""


async def test_without_the_other_half_the_past_is_a_failure_that_says_why(changed: Sandbox) -> None:
    async with opened(changed.workspace) as interface:
        await interface.press("slash")
        await interface.type("staging as-of:2026-03-01 ")
        await interface.until_shown("the process that searches the past is not running")
