"""Where to, and what would it do: chosen from what there is, shown before many, done in one commit."""

from __future__ import annotations

from screens.widgets.entry_list import EntryList
from tests.screens.interface import opened
from tests.support.workspaces import LOG, LOG_TEXT, MEMORY_TEXT, Sandbox

PORT = "- The staging port is 8443\n"


def actions(sandbox: Sandbox) -> list[str]:
    return [subject.partition(":")[0] for subject in sandbox.git("log", "--format=%s").strip().split("\n")]


async def test_promote_to_a_heading_that_is_there(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("staging port")
        await interface.press("t")
        await interface.until_shown("Promote 1 entry to")
        await interface.type("user pref")
        await interface.press("enter")
        await interface.until_said("Promoted")
    memory = sandbox.read("MEMORY.md").decode()
    assert memory.index("User Preferences") < memory.index("staging port") < memory.index("Project Facts")


async def test_promote_into_an_entry(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("staging port")
        await interface.press("t")
        await interface.until_shown("Promote 1 entry to")
        await interface.type("called Atlas")
        await interface.press("enter")
        await interface.until_said("Promoted")
    memory = sandbox.read("MEMORY.md").decode()
    assert memory.count("\n- ") == 2
    assert "called Atlas" in memory
    assert "staging port is 8443" in memory


async def test_move_under_a_heading_that_is_typed(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.press("2")
        await interface.go_to("Likes tea")
        await interface.press("M")
        await interface.until_shown("Move 1 entry to")
        await interface.until_shown("type to narrow, or a new name")
        await interface.type("Drinks")
        await interface.until_shown("new heading")
        await interface.press("enter")
        await interface.until_said("Moved")
    memory = sandbox.read("MEMORY.md").decode()
    assert memory.index("## Drinks") < memory.index("Likes tea")
    assert actions(sandbox) == ["move", "start"]


async def test_many_move_to_a_file_after_a_look_and_back_with_one_key(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("staging port")
        await interface.press("space", "space", "M")
        await interface.until_shown("Move 2 entries to")
        await interface.type("memory/projects.md")
        await interface.press("enter")
        await interface.until_shown("Move 2 entries?")
        await interface.until_shown("+++ b/memory/projects.md")
        assert sandbox.read(LOG) == LOG_TEXT.encode()
        await interface.press("y")
        await interface.until_said("Moved")
        assert b"staging port" in sandbox.read("memory/projects.md")
        assert PORT.encode() not in sandbox.read(LOG)
        await interface.press("u")
        await interface.until_said("Undone")
    assert sandbox.read(LOG) == LOG_TEXT.encode()
    assert not (sandbox.root / "memory/projects.md").exists()


async def test_escape_chooses_nothing(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("staging port")
        await interface.press("t")
        await interface.until_shown("Promote 1 entry to")
        await interface.press("escape")
        await interface.until(lambda: interface.main.is_active, "closed")
    assert sandbox.read("MEMORY.md") == MEMORY_TEXT.encode()


async def test_a_look_shows_the_change_and_does_nothing_without_a_yes(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("staging port")
        await interface.press("full_stop")
        await interface.until_shown("Preview which action?")
        await interface.press("d")
        await interface.until_shown("Forget 1 entry?")
        await interface.until_shown("-- The staging port is 8443")
        await interface.press("n")
        await interface.until(lambda: interface.main.is_active, "closed")
        assert sandbox.read(LOG) == LOG_TEXT.encode()
        await interface.press("full_stop", "d", "y")  # typed ahead, each key waits for what it means
        await interface.until_said("Forgotten")
    assert sandbox.read(LOG) == LOG_TEXT.replace(PORT, "").encode()
    assert actions(sandbox) == ["forget", "start"]


async def test_a_look_says_why_an_action_is_not_possible(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.press("2")
        await interface.go_to("Likes tea")
        await interface.press("full_stop")
        await interface.until_shown("Preview which action?")
        await interface.until_shown("already in long-term memory")
        await interface.press("p")
        await interface.press("escape")
        await interface.until(lambda: interface.main.is_active, "closed")
    assert actions(sandbox) == ["start"]


async def test_a_range_follows_the_cursor_and_actions_apply_to_it(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("async reviews")
        await interface.press("v", "j", "j", "k")
        await interface.until_shown("2 marked")
        await interface.press("escape")
        await interface.until(lambda: not interface.main.here.marked, "as before the range")
        await interface.press("v", "k", "d")  # in one burst
        await interface.until_shown("Forget 2 entries?")
        await interface.press("y")
        await interface.until_said("Forgotten")
        assert not interface.main.here.ranging
    text = sandbox.read(LOG).decode()
    assert "async reviews" not in text
    assert PORT not in text
    assert "tantivy" in text


async def test_a_range_that_is_ended_stays_marked(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("async reviews")
        await interface.press("v", "j", "v", "j", "j")
        await interface.until_shown("2 marked")


async def test_a_heading_that_is_there_is_not_offered_as_a_new_one(sandbox: Sandbox) -> None:
    heading = MEMORY_TEXT.partition("## ")[2].split("\n")[0]
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("staging port")
        await interface.press("t")
        await interface.until_shown("Promote 1 entry to")
        await interface.type(heading.lower())
        await interface.until(lambda: "into" not in interface.text, "nothing else matches")
        assert heading in interface.text
        assert "new heading" not in interface.text
        await interface.type("s")
        await interface.until_shown("new heading")


async def test_headings_are_offered_first_then_the_newest_files(sandbox: Sandbox) -> None:
    for day in ("2025-12-31", "2026-03-15", "2026-01-02"):
        sandbox.write(f"memory/{day}.md", "- something\n")
    sandbox.write("memory/projects.md", "- a note, written now\n")
    async with opened(sandbox.workspace) as interface:
        await interface.press("2")
        await interface.go_to("Likes tea")
        await interface.press("M")
        await interface.until_shown("Move 1 entry to")
        offered = [row.text for row in interface.app.screen.query_one("#choices", EntryList).rows]
        assert offered == [
            "User Preferences", "Project Facts", "memory/projects.md", "memory/2026-03-15.md", LOG,
            "memory/2026-01-02.md", "memory/2025-12-31.md",
        ]  # fmt: skip
