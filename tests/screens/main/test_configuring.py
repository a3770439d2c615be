"""Settings that change while the interface is open count at once, whoever changed them and in which file."""

from __future__ import annotations

from pathlib import Path

from screens.settings.overview import SettingsScreen
from tests.screens.interface import opened
from tests.support.workspaces import LOG, Sandbox
from workbench.workspace.workspace import Workspace


async def test_a_budget_written_by_anybody_is_that_of_the_meter(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.until_shown("/ 10,000")
        sandbox.write("workbench.yaml", "memory_budget: 9000\n")
        await interface.until_shown("/ 9,000")
        await interface.until_said("Settings reloaded: memory_budget")
        there = await interface.main.screen_opener.services.history_reader.run(lambda place: place.settings)
        assert there.memory_budget == 9_000


async def test_a_budget_of_the_settings_screen_counts_in_the_panes_and_is_undone_there(
    sandbox: Sandbox,
) -> None:
    sandbox.write("workbench.yaml", "memory_budget: 700\n")
    sandbox.commit("settings")
    async with opened(Workspace.open(sandbox.root)) as interface:
        await interface.press("S")
        await interface.until(lambda: isinstance(interface.app.screen, SettingsScreen), "it is open")
        screen = interface.app.screen
        assert isinstance(screen, SettingsScreen)
        await interface.until(lambda: "setting:memory_budget" in [row.id for row in screen.list.rows], "read")
        screen.list.go([row.id for row in screen.list.rows].index("setting:memory_budget"))
        await interface.pilot.pause()
        await interface.press("e", "0", "enter")
        await interface.until_said("memory_budget is 7,000")
        memory = interface.main.memory
        await interface.until(lambda: memory.view.limit == 7_000, "it counts in the panes")
        await interface.press("u")
        await interface.until(lambda: memory.view.limit == 700, "and is taken back here")
        await interface.press("U")
        await interface.until(lambda: memory.view.limit == 7_000, "and done again")


async def test_the_persons_own_file_is_followed_too(sandbox: Sandbox, person: Path) -> None:
    async with opened(sandbox.workspace) as interface:
        (person / "settings.yaml").write_text("theme: light\nmemory_budget: 8000\n")
        await interface.until(lambda: interface.app.theme == "light", "the theme")
        await interface.until_shown("/ 8,000")


async def test_what_is_left_out_leaves_the_panes_and_the_search(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        logs = interface.main.logs
        await interface.until(lambda: LOG in logs.files, "it is there")
        sandbox.write("workbench.yaml", f"exclude: [{LOG}]\nsearch_preset: keyword\n")
        await interface.until(lambda: LOG not in logs.files, "it is left out")
        engine = interface.main.index_monitor.engine
        assert engine._by_words().index.weights.vector == 0.2


async def test_settings_that_cannot_be_read_are_told_of_and_those_before_go_on(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.until(lambda: interface.main.settings_watch._seen, "looked at once")
        sandbox.write("workbench.yaml", "memory_budget: plenty\n")
        await interface.until_said("The previous settings stay in use")
        assert interface.main.workspace.settings.memory_budget == 10_000
        sandbox.write("workbench.yaml", "memory_budget: 6000\n")
        await interface.until_shown("/ 6,000")
