"""Searching all workspaces from the interface, and a team leader's memory after one's own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexing.sync.run import reindex
from tests.screens.interface import Interface, opened
from tests.screens.workspaces.test_switching import arrived
from tests.support.workspaces import LOG, Sandbox
from workbench.workspace.registry import register
from workbench.workspace.workspace import Workspace


@pytest.fixture(autouse=True)
def no_model(person: Path) -> None:
    (person / "settings.yaml").write_text("model: none\n")


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Sandbox]:
    """A second workspace, registered and indexed."""
    made = Sandbox(tmp_path / "other")
    made.write(LOG, "# 2026-03-14\n\n- The staging port is 8443\n- The broker is called Rosa\n")
    made.commit("its own")
    reindex(made.workspace, vectors=False)
    register(made.root)
    yield made
    made.close()


@pytest.fixture
def here_indexed(sandbox: Sandbox) -> Sandbox:
    reindex(sandbox.workspace, vectors=False)
    return sandbox


async def search(here: Interface, words: str) -> None:
    await here.press("slash")
    await here.type(words)
    await here.until(
        lambda: here.main.live_search.settled and here.main.live_search.count, f"hits for {words}"
    )


async def everywhere(here: Interface, words: str) -> None:
    await here.press("slash", "ctrl+o")
    await here.until_shown("Search in all workspaces")
    await here.type(words)
    await here.until(lambda: any(row.workspace for row in here.main.overlay.hits.rows), "hits of another one")


async def test_each_hit_names_its_workspace(here_indexed: Sandbox, other: Sandbox) -> None:
    async with opened(here_indexed.workspace) as here:
        await everywhere(here, "staging port")
        shown = [line for line in here.text.splitlines() if "staging port is 8443" in line]
        assert any("other" in line for line in shown)
        assert any("workspace" in line for line in shown)
        own = [row for row in here.main.overlay.hits.rows if not row.workspace]
        assert own, "hits of the workspace that is shown are rows like any other"
        assert len({row.id for row in here.main.overlay.hits.rows}) == len(here.main.overlay.hits.rows)


async def test_the_key_turns_it_on_and_off_for_the_words_in_the_box(
    here_indexed: Sandbox, other: Sandbox
) -> None:
    async with opened(here_indexed.workspace) as here:
        await search(here, "port")
        assert not any(row.workspace for row in here.main.overlay.hits.rows)
        await here.press("ctrl+o")
        await here.until(lambda: any(row.workspace for row in here.main.overlay.hits.rows), "those of others")
        await here.press("f4")
        await here.until(
            lambda: (
                here.main.overlay.hits.rows and not any(row.workspace for row in here.main.overlay.hits.rows)
            ),
            "its own alone",
        )
        assert "all workspaces" not in str(here.main.overlay.border_title)


async def test_enter_goes_to_the_entry_in_its_workspace(here_indexed: Sandbox, other: Sandbox) -> None:
    async with opened(here_indexed.workspace) as here:
        await everywhere(here, "broker Rosa")
        await here.press("enter")
        await arrived(here, other.root)
        await here.until(
            lambda: here.main.pane.list.row is not None and "Rosa" in here.main.pane.list.row.text,
            "the entry",
        )
        assert " other · " in here.text


async def test_the_preview_shows_the_other_workspaces_file(here_indexed: Sandbox, other: Sandbox) -> None:
    async with opened(here_indexed.workspace) as here:
        await everywhere(here, "broker Rosa")
        await here.until_shown(f"{LOG}")
        await here.until_shown("in other")


@pytest.mark.promise(
    "Several workspaces",
    "two workspaces have an entry with the same address",
    "no action changes the entry in the other workspace",
    by="equal logs",
)
@pytest.mark.parametrize("key", ["p", "d", "x", "P", "b"])
async def test_no_action_reaches_the_entry_of_another_workspace(
    here_indexed: Sandbox, other: Sandbox, key: str
) -> None:
    """Even where this workspace has the very same entry at the very same address."""
    first, second = here_indexed.snapshot(), other.snapshot()
    async with opened(here_indexed.workspace) as here:
        await everywhere(here, "staging port")
        await here.press("tab")
        rows = here.main.overlay.hits
        rows.go(next(at for at, row in enumerate(rows.rows) if row.workspace))
        await here.press(key)
        await here.until_said("is in the workspace other")
    assert here_indexed.snapshot() == first
    assert other.snapshot() == second


async def test_one_that_is_gone_is_named_and_the_rest_answers(here_indexed: Sandbox, other: Sandbox) -> None:
    register(here_indexed.root)
    shutil.rmtree(other.root)
    async with opened(here_indexed.workspace) as here:
        await here.press("slash", "ctrl+o")
        await here.type("staging port")
        await here.until_shown("its folder no longer exists")
        await here.until(lambda: here.main.overlay.hits.rows, "hits")


async def test_explaining_is_refused_with_the_reason(here_indexed: Sandbox, other: Sandbox) -> None:
    async with opened(here_indexed.workspace) as here:
        await everywhere(here, "staging port")
        await here.press("f3")
        await here.until_said("have no single explanation")


async def test_a_leaders_memory_is_found_beside_ones_own_and_only_read(
    here_indexed: Sandbox, other: Sandbox, person: Path
) -> None:
    (person / "settings.yaml").write_text(f"model: none\nteam_leader: {other.root}\n")
    member = Workspace.open(here_indexed.root)
    before = other.snapshot()
    async with opened(member) as here:
        await search(here, "broker Rosa staging")
        await here.until(
            lambda: any(row.workspace == "leader" for row in here.main.overlay.hits.rows), "theirs"
        )
        assert {row.workspace for row in here.main.overlay.hits.rows} == {"", "leader"}
        await here.press("tab")
        rows = here.main.overlay.hits
        rows.go(next(at for at, row in enumerate(rows.rows) if "Rosa" in row.text))
        await here.until_shown("in leader")
        await here.press("p")
        await here.until_said("read-only for team members")
        await here.press("enter")
        await here.until(lambda: here.main.pane_layout.reading, "it is read where it is")
        assert here.main.workspace.root == here_indexed.root
    member.close()
    assert other.snapshot() == before
