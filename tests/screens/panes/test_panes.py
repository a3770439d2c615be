"""Every pane fills with what the workspace holds, and says what matters in words."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from screens.actions.registry import by_id
from screens.drawing.clock import today
from tests.screens.interface import opened
from tests.support.agent_memories import OBSIDIAN, write_agent_memory
from tests.support.workspaces import EPISODE_TEXT, Sandbox
from workbench.workspace.workspace import Workspace

PERSON = """---
id: ent-1
name: Sarah Chen
type: person
---
- [preference] Prefers async reviews <!-- wb: id=m1 occurred_at=2026-03-02 trust=owner -->
- [todo] Send the contract <!-- wb: id=m2 happens_at={due} -->
- works_on [[Project Atlas]] <!-- wb: id=r1 -->
"""


def episode(name: str, days: int, *, more: str = "") -> str:
    text = EPISODE_TEXT.replace("id: e1", f"id: {name}").replace("Planned the Atlas", f"{name} planned the")
    expires = today() + timedelta(days=days)
    text = text.replace("expires_at: 2026-06-12", f"expires_at: {expires}")
    return text.replace("trust: agent", f"{more}trust: agent")


@pytest.fixture
def full(sandbox: Sandbox) -> Sandbox:
    sandbox.write("graph/person/sarah.md", PERSON.format(due=date(2026, 1, 1)))
    sandbox.write("episodes/2026/03/e1.md", episode("late", 60))
    sandbox.write("episodes/2026/03/e2.md", episode("soon", 1, more="recall_count: 3\n"))
    sandbox.write("episodes/2026/03/e3.md", episode("kept", 2, more="pinned: true\n"))
    sandbox.write("episodes/2026/03/e4.md", episode("done", 2, more="promoted_at: 2026-03-20\n"))
    sandbox.write("USER.md", "# User\n\n- Lives in Lisbon\n")
    sandbox.write("memory/projects/atlas.md", "# Atlas\n\nA note about Atlas.\n")
    sandbox.write("workspace-context.md", "# Now\n\n- reviewing\n")
    sandbox.write("DREAMS.md", "# Dreams\n\nNothing much.\n")
    sandbox.write("memory/2026-03-15_broker_drill.md", "# Drill\n\n- The broker fell over\n")
    sandbox.commit("more")
    return sandbox


async def test_all_four_panes_fill(full: Sandbox) -> None:
    async with opened(full.workspace, (200, 50)) as interface:
        for words in (
            "Likes tea", "ok", "soon planned", "expires tomorrow", "pinned", "✓ promoted", "Sarah Chen",
            "1 overdue", "Send the contract", "overdue", "Sun 15 Mar broker drill", "The broker fell over",
            "Sat 14 Mar", "Notes", "Context", "Bootstrap", "Dreams",
        ):  # fmt: skip
            await interface.until_shown(words)


async def test_a_session_named_by_its_hour_is_an_episode_and_one_with_underscores_a_log(
    sandbox: Sandbox,
) -> None:
    session = "# Session: 2026-03-16\n\n- **Session Key**: agent:main:main\n\nuser: The broker fell over\n"
    sandbox.write("memory/2026-03-16-2012.md", session)
    sandbox.write("memory/2026-03-17_BROKER_DRILL.md", "# Drill\n\n- The drill went well\n")
    async with opened(sandbox.workspace, (200, 50)) as interface:
        await interface.until_shown("Mon 16 Mar 2026 20:12")
        await interface.until_shown("The broker fell")
        await interface.until_shown("Tue 17 Mar BROKER DRILL")


async def test_a_row_of_code_shows_the_code_and_not_its_fence(sandbox: Sandbox) -> None:
    sandbox.write("memory/2026-03-20.md", "# Day\n\n```sh\nmake all\n```\n\n~~~\n\nthe second block\n~~~\n")
    sandbox.write("memory/2026-03-21.md", "# Day\n\n```\n```\n")
    async with opened(sandbox.workspace) as interface:
        await interface.until_shown("Fri 20 Mar make all")
        await interface.go_to("make all")
        await interface.press("right")
        await interface.until_shown("    make all")
        await interface.until_shown("    the second block")
        await interface.until_shown("    ```")  # of nothing but fences there is nothing else to show


async def test_episodes_wait_in_the_order_they_expire(full: Sandbox) -> None:
    async with opened(full.workspace) as interface:
        rows = interface.main.panes[2].list
        await interface.until(lambda: len(rows.rows) == 6, "two groups and four episodes")
        assert [row.text.split(" ")[0] for row in rows.rows] == [
            "Waiting,", "soon", "late", "kept", "Promoted", "done"
        ]  # fmt: skip


async def test_a_day_unfolds_to_its_entries_under_their_headings(full: Sandbox) -> None:
    async with opened(full.workspace) as interface:
        await interface.go_to("Sarah: I prefer")
        await interface.press("enter")
        await interface.until_shown("10:00 planning with Sarah")
        await interface.until_shown("The staging port is 8443")
        await interface.press("left")
        await interface.until(lambda: "staging" not in str(interface.main.here.rows), "folded again")


async def test_the_newest_day_is_open_from_the_start(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.until_shown("The staging port is 8443")


async def test_a_folded_day_says_that_something_in_it_came_from_outside(sandbox: Sandbox) -> None:
    outside = "- Read on a page <!-- wb: id=m1 trust=external -->\n"
    sandbox.write("memory/2026-03-12.md", "# Day\n\n- One\n" + outside)
    sandbox.write("memory/2026-03-13.md", "# Day\n\n- One\n- Two\n")
    async with opened(sandbox.workspace) as interface:
        rows = interface.main.panes[0].list

        def said(day: str) -> list[str]:
            return next([part.text for part in row.tail] for row in rows.rows if row.id == day)

        await interface.until(lambda: "external" in said("memory/2026-03-12.md"), "the word")
        await interface.until(lambda: said("memory/2026-03-13.md") == ["2"], "no word")
        rows.go(next(at for at, row in enumerate(rows.rows) if row.id == "memory/2026-03-12.md"))
        await interface.pilot.pause()
        await interface.press("right")
        await interface.until_shown("Read on a page")
        assert "external" not in said("memory/2026-03-12.md")  # its entry says it now


async def test_an_open_episode_says_its_topics_and_recalls_where_its_row_has_no_room(full: Sandbox) -> None:
    async with opened(full.workspace) as interface:
        await interface.press("3")
        await interface.go_to("soon planned")
        assert "3 recalls" not in interface.text
        await interface.press("right")
        await interface.until_shown("3 recalls")
        await interface.until_shown("Atlas, Sarah")


async def test_notes_unfold_from_their_group(full: Sandbox) -> None:
    async with opened(full.workspace) as interface:
        await interface.go_to("Notes")
        await interface.press("right", "j", "right")
        await interface.until_shown("A note about Atlas.")


async def test_typed_memories_unfold_under_their_entity(full: Sandbox) -> None:
    async with opened(full.workspace, (200, 40)) as interface:
        await interface.press("4")
        await interface.go_to("Sarah Chen")
        await interface.press("right")
        await interface.until_shown("preference Prefers async reviews")
        await interface.until_shown("→ works on Project Atlas")


async def test_what_is_in_long_term_memory_is_marked_where_it_came_from(sandbox: Sandbox) -> None:
    memory = sandbox.read("MEMORY.md").decode()
    sandbox.write("MEMORY.md", memory + "- The port is 8443 <!-- wb: id=m1 src=memory/2026-03-14.md#L6 -->\n")
    async with opened(sandbox.workspace) as interface:
        await interface.until_shown("✓1")
        line = next(line for line in interface.text.split("\n") if "The staging port is 8443" in line)
        assert "✓" in line


async def test_the_meter_says_when_memory_is_over_its_budget(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", "# Memory\n\n" + "- word word word\n" * 700)
    async with opened(sandbox.workspace) as interface:
        await interface.until_shown("11,910 / 10,000 over")


async def test_an_unreadable_header_is_said_and_the_page_still_listed(sandbox: Sandbox) -> None:
    sandbox.write("episodes/2026/03/e9.md", "---\nid: [\n---\n- Something happened\n")
    async with opened(sandbox.workspace, (200, 40)) as interface:
        await interface.until_shown("unreadable header")
        await interface.until_shown("Something happened")


async def test_a_huge_day_is_shown_in_part_and_says_so(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("screens.loading.reader.READ_LIMIT", 20_000)
    monkeypatch.setattr("screens.loading.reader.Store.contents.__defaults__", (20_000,), raising=False)
    sandbox.write("memory/2026-03-16.md", "# Long\n\n" + "- one more line\n" * 5_000)
    async with opened(sandbox.workspace) as interface:
        await interface.press("1", "G")
        await interface.go_to("more bytes are not shown")


async def test_an_empty_workspace_says_what_would_be_there(tmp_path_factory: pytest.TempPathFactory) -> None:
    made = Sandbox(tmp_path_factory.mktemp("empty") / "w")
    for path in (made.root / "memory" / "2026-03-14.md", made.root / "MEMORY.md"):
        path.unlink()
    (made.root / "episodes/2026/03/e1.md").unlink()
    made.commit("all gone")
    async with opened(made.workspace, (200, 40)) as interface:
        for words in ("no logs yet", "MEMORY.md is empty", "no episodes yet", "no entities yet"):
            await interface.until_shown(words)


async def test_a_graph_without_entities_says_where_they_are_looked_for(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace, (200, 40)) as interface:
        await interface.until_shown("look for")


async def test_deleted_memory_is_not_called_empty_and_comes_back(sandbox: Sandbox) -> None:
    memory = sandbox.read("MEMORY.md")
    (sandbox.root / "MEMORY.md").unlink()
    async with opened(sandbox.workspace) as interface:
        await interface.until_shown("MEMORY.md was deleted")
        assert interface.main.panes[1].list.empty.endswith("`workbench restore MEMORY.md --at today`")
        await interface.press("colon")
        await interface.type("restore long")
        await interface.until_shown("Restore a deleted MEMORY.md")
        await interface.press("enter")
        await interface.until_said("Brought back")
        await interface.until_shown("Likes tea")
        reason = by_id()["restore_memory"].reason(interface.main.context())
        assert reason == "long-term memory was not deleted"
    assert sandbox.read("MEMORY.md") == memory


async def test_what_expired_is_one_folded_group_that_a_key_clears_away(full: Sandbox) -> None:
    for number in range(4):
        full.write(f"episodes/2026/01/old{number}.md", episode(f"old{number}", -10 - number))
    async with opened(full.workspace, (200, 50)) as interface:
        await interface.until_shown("X removes them")
        assert "old1 planned" not in interface.text
        await interface.press("3", "X")
        await interface.until_shown("Expire 4 entries?")
        await interface.press("y")
        await interface.until_said("Cleared away")
    assert not list((full.root / "episodes/2026/01").glob("*.md"))
    assert (full.root / "episodes/2026/03/e2.md").exists()


async def test_whoever_moved_on_is_not_taken_back_to_what_was_edited(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("staging port")
        pane = interface.main.pane
        pane.follow("memory/2026-03-14.md#its-new-name")
        await interface.press("j")
        rows = [replace(row, id="memory/2026-03-14.md#its-new-name") if "staging" in row.text else row
                for row in pane.list.rows]  # fmt: skip
        pane.build = lambda: rows  # type: ignore[method-assign]
        pane.rebuild()
        assert pane.list.row is not None
        assert "We decided" in pane.list.row.text


async def test_where_no_agent_loads_a_file_the_pane_says_how_to_get_one(tmp_path: Path) -> None:
    root = write_agent_memory(OBSIDIAN, tmp_path / "vault")
    async with opened(Workspace.open(root)) as interface:
        await interface.until_shown("no agent loads a file here")
        await interface.until_shown("workbench init")
