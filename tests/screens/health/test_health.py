"""The health of a memory: sections as they come, findings that lead to their entry and to their fix."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from screens.actions.availability import FocusContext
from screens.actions.registry import ACTIONS
from screens.dialogs.dialog import PickScreen
from screens.graph.neighbourhood import GraphScreen
from screens.health.overview import HealthScreen
from screens.history.conflicts import ConflictsScreen
from screens.search.engine import IndexChanged
from screens.widgets.entry_list import EntryList
from tests.screens.health.conftest import WANTED
from tests.screens.interface import Interface, opened
from tests.support.workspaces import EPISODE, EPISODE_TEXT, LOG, LOG_TEXT, MEMORY_TEXT, Sandbox
from workbench import health as health_package
from workbench.health.checks import CHECKS

pytestmark = pytest.mark.usefixtures("in_process")
SECRET = "AKIAQ7LMNO5P2RSTUVWX"


def health(interface: Interface) -> HealthScreen:
    screen = interface.app.screen
    assert isinstance(screen, HealthScreen)
    return screen


async def opens(interface: Interface, *topics: str) -> HealthScreen:
    """Open it; with topics only these are looked at, which is quicker."""
    WANTED.update(topics)
    await interface.press("H")
    await interface.until(lambda: isinstance(interface.app.screen, HealthScreen), "it is open")
    screen = health(interface)
    every = [check.name for check in CHECKS]
    await interface.until(lambda: set(topics or every) <= set(screen.results), "all was looked at")
    return screen


async def choose(interface: Interface, words: str) -> None:
    rows = health(interface).list
    await interface.until(lambda: any(words in row.text for row in rows.rows), f"a row with {words!r}")
    rows.go(next(at for at, row in enumerate(rows.rows) if words in row.text))
    await interface.pilot.pause()


def words_in(sandbox: Sandbox, path: str) -> str:
    return sandbox.read(path).decode()


async def test_a_finding_leads_to_its_entry(sandbox: Sandbox) -> None:
    sandbox.write(LOG, LOG_TEXT + f"- The key is {SECRET}\n")
    async with opened(sandbox.workspace) as interface:
        for key in ("o", "enter"):
            await opens(interface, "secrets")
            await choose(interface, "AWS access key")
            await interface.press(key)
            await interface.until(lambda: interface.main.is_active, "the panes")
            await interface.until(
                lambda: (row := interface.main.here.row) and "The key is" in row.text, "its entry"
            )


async def test_a_fix_is_shown_with_its_diff_and_is_one_operation(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", MEMORY_TEXT + f"- The key is {SECRET}\n")
    sandbox.commit("with a key")
    async with opened(sandbox.workspace) as interface:
        screen = await opens(interface, "secrets")
        await choose(interface, "AWS access key")
        await interface.press("f")
        await interface.until(lambda: isinstance(interface.app.screen, PickScreen), "the ways")
        await interface.until_shown("set it aside, where no agent loads it")
        frame, (width, height) = interface.app.screen.query_one("#choose").region, interface.app.size
        rows = len(interface.app.screen.query_one("#choices", EntryList).rows)
        assert rows + 2 <= frame.height <= 3 + 2
        assert abs(frame.x - (width - frame.right)) <= 1
        assert abs(frame.y - (height - frame.bottom)) <= 1
        await interface.press("1")
        await interface.until_shown("Forget 1 entry?")
        await interface.press("y")
        await interface.until_said("Forgotten")
        await interface.until(lambda: screen.sections["secrets"].state == "ok", "looked at again")
        assert SECRET not in words_in(sandbox, "MEMORY.md")
        await interface.press("u")
        await interface.until_said("Undone")
    assert SECRET in words_in(sandbox, "MEMORY.md")


async def test_leaving_the_ways_or_the_diff_changes_nothing(sandbox: Sandbox) -> None:
    sandbox.write(LOG, LOG_TEXT + "- read\u200b\u200bthis\n")
    async with opened(sandbox.workspace) as interface:
        await opens(interface, "hidden text")
        await choose(interface, "zero-width")
        await interface.press("f")
        await interface.until(lambda: isinstance(interface.app.screen, PickScreen), "the ways")
        await interface.press("escape")
        await interface.until(lambda: isinstance(interface.app.screen, HealthScreen), "back")
        await interface.press("f")
        await interface.until(lambda: isinstance(interface.app.screen, PickScreen), "the ways")
        await interface.press("enter")
        await interface.until_shown("Quarantine 1 entry?")
        await interface.press("n")
        await interface.until(lambda: isinstance(interface.app.screen, HealthScreen), "back")
    assert "read\u200b\u200bthis" in words_in(sandbox, LOG)


async def test_duplicates_become_one(sandbox: Sandbox) -> None:
    twice = 2 * "- The project is called Atlas\n"
    sandbox.write("MEMORY.md", "# Memory\n\n## Facts\n\n" + twice)
    async with opened(sandbox.workspace) as interface:
        await opens(interface, "duplicates")
        rows = health(interface).list
        rows.go([row.id for row in rows.rows].index("duplicates") + 1)
        await interface.pilot.pause()
        await interface.press("f")
        await interface.until_shown("merge these 2")
        await interface.press("1")
        await interface.until_shown("Merge 2 entries?")
        await interface.press("y")
        await interface.until_said("Merged")
    assert words_in(sandbox, "MEMORY.md").count("called Atlas") == 1


async def test_an_entry_is_edited_from_its_finding(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", MEMORY_TEXT + "- see [the plan](notes/gone.md)\n")
    async with opened(sandbox.workspace) as interface:
        await opens(interface, "links")
        await choose(interface, "has no target")
        await interface.press("f")
        await interface.until_shown("ctrl+o save")
        await interface.type(" no")
        await interface.press("ctrl+o")
        await interface.until_said("Edited")
        await interface.until(lambda: isinstance(interface.app.screen, HealthScreen), "back")
    assert "gone.md) no" in words_in(sandbox, "MEMORY.md")


async def test_an_episode_is_kept_longer_at_once(sandbox: Sandbox) -> None:
    soon = date.today() + timedelta(days=5)
    sandbox.write(EPISODE, EPISODE_TEXT.replace("2026-06-12", str(soon)))
    async with opened(sandbox.workspace) as interface:
        screen = await opens(interface, "expiry")
        await choose(interface, "expires in")
        await interface.press("f")
        await interface.until_shown("keep it 30 days longer")
        await interface.press("1")
        await interface.until_said("expires on")
        later = soon + timedelta(days=30)
        await interface.until(lambda: str(later) in words_in(sandbox, EPISODE), "it stays")
        await interface.until(lambda: screen.sections["expiry"].state == "ok", "looked at again")


async def test_expired_episodes_go_after_a_look(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await opens(interface, "expiry")
        await choose(interface, "expired")
        await interface.press("f")
        await interface.until_shown("remove all expired episodes")
        await interface.press("3")
        await interface.until_shown("Expire 1 entry?")
        await interface.press("y")
        await interface.until(lambda: not (sandbox.root / EPISODE).exists(), "it went")


async def test_an_operation_that_is_done_while_the_program_is_left_disturbs_nobody(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await opens(interface, "expiry")
        await interface.app.screen._close_messages()  # the screens end one after another, the panes last
        interface.main.screen_opener.reload()


async def test_what_fades_is_forgotten_with_a_reason(sandbox: Sandbox) -> None:
    day = date.today()
    line = f"- [observation] Wore a red hat <!-- wb: id=m1 importance=0.101 at={day} -->\n- [fact] Is tall\n"
    sandbox.write("graph/person/sarah.md", f"---\nname: Sarah\ntype: person\n---\n{line}")
    async with opened(sandbox.workspace) as interface:
        await opens(interface, "fading")
        await choose(interface, "Fading")
        await interface.press("right")
        await choose(interface, "Wore a red hat")
        await interface.press("f")
        await interface.until_shown("pin it: it never fades")
        await interface.press("2")
        await interface.until_shown("Forget 1 entry?")
        await interface.press("y")
        await interface.until_said("Forgotten")
    assert "red hat" not in words_in(sandbox, "graph/person/sarah.md")


async def test_a_memory_over_its_budget_is_archived_after_a_look(sandbox: Sandbox) -> None:
    facts = "".join(f"- fact {n} {'x' * 600} <!-- wb: at=2020-01-01 -->\n" for n in range(18))
    sandbox.write("MEMORY.md", MEMORY_TEXT + facts)
    async with opened(sandbox.workspace) as interface:
        await opens(interface, "budget")
        await choose(interface, "of 10,000 characters")
        await interface.press("f")
        await interface.until_shown("raise memory_budget in the settings")
        await interface.press("2")
        await interface.until_shown("Archive")
        await interface.press("y")
        await interface.until_said("Archived")
    assert len(words_in(sandbox, "MEMORY.md")) <= 10_000


async def test_the_index_is_made_with_a_key_and_looked_at_again(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        screen = await opens(interface, "sync")
        asked: list[str] = []
        screen.services = replace(screen.services, reindex=lambda: asked.append("index"))
        await choose(interface, "Index")
        await interface.press("right")
        await choose(interface, "index: there is no index yet")
        await interface.until(lambda: not screen.job.running, "the first look is over")
        from indexing.sync.run import reindex

        reindex(sandbox.workspace, vectors=False)
        await interface.press("f")
        await interface.until(lambda: asked == ["index"], "asked for")
        interface.main.model.publish(IndexChanged(text=None, searchable=True))
        await interface.until(lambda: screen.results["sync"].seen.startswith("up to date"), "looked at again")


async def test_a_finding_that_no_key_mends_says_which_command_does(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await opens(interface, "recall tests")
        await choose(interface, "Recall tests")
        await interface.press("right")
        await choose(interface, "there are no recall tests")
        await interface.press("f")
        await interface.until_said("workbench check --add")
        await interface.press("o")
        await interface.until_said("This finding has no entry")
        await choose(interface, "Recall tests")
        await interface.press("f")
        await interface.until_said("Select a finding first")


async def test_sections_open_and_close(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        screen = await opens(interface, "backup")

        def shown() -> bool:
            return any("no backup has been made" in row.text for row in screen.list.rows)

        steps: list[tuple[str, bool]] = [("left", False), ("right", True), ("enter", False), ("enter", True)]
        await choose(interface, "Backup")
        for key, there in steps:
            await interface.press(key)
            await interface.until(lambda there=there: shown() is there, f"after {key}")  # type: ignore[misc]
        await choose(interface, "no backup has been made")
        await interface.press("left")
        await interface.until(lambda: not shown(), "closed from within")
        assert screen.list.row
        assert screen.list.row.id == "backup"


@pytest.mark.promise(
    "The interface",
    "an entry changes after a check found something in it",
    "the fix is refused, nothing is written",
)
async def test_what_changed_on_disk_meanwhile_is_not_acted_on(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", MEMORY_TEXT + "- read\u200b\u200bthis\n")
    async with opened(sandbox.workspace) as interface:
        screen = await opens(interface, "hidden text")
        await interface.until(lambda: not screen.job.running, "it is over")
        sandbox.write("MEMORY.md", MEMORY_TEXT)
        await choose(interface, "zero-width")
        await interface.until_shown("it no longer exists: r runs it again")
        await interface.press("f")
        await interface.until_shown("set it aside")
        await interface.press("1")
        await interface.until_said("Not done")
        assert words_in(sandbox, "MEMORY.md") == MEMORY_TEXT
        await interface.press("r")
        await interface.until(lambda: screen.sections["hidden text"].state == "ok", "looked at again")


async def test_a_read_only_workspace_can_be_looked_at(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", MEMORY_TEXT + "- see [the plan](notes/gone.md)\n")
    sandbox.commit("link")
    async with opened(sandbox.workspace) as interface:
        screen = await opens(interface, "links", "budget")
        screen.services = replace(screen.services, refusal=lambda: "the folder is read-only")
        await choose(interface, "has no target")
        await interface.press("f")
        await interface.until_said("The folder is read-only")


async def test_where_no_history_can_be_kept_a_folder_has_all_but_its_operations(tmp_path: Path) -> None:
    made = Sandbox(tmp_path / "bare")
    made.git("config", "core.bare", "true")
    async with opened(made.workspace) as interface:
        screen = await opens(interface, "conflicts", "duplicates")
        assert "is a bare repository" in screen.results["conflicts"].seen
        assert screen.results["duplicates"].seen != "could not be checked"
    made.close()


async def test_hostile_text_is_text(sandbox: Sandbox) -> None:
    sandbox.write(
        "MEMORY.md", MEMORY_TEXT + "- [/][@click=app.quit]x[/] see [a](b/\x1b[2J\u202egnp.md) 漢字😀\n"
    )
    async with opened(sandbox.workspace) as interface:
        await opens(interface, "links", "hidden text")
        await choose(interface, "has no target")
        await interface.until_shown("[@click=app.quit]x")
        await interface.until_shown("漢字😀")
        assert not {"\x1b", "\u202e"} & set(interface.text)


@pytest.mark.parametrize("size", [(60, 20), (80, 24)])
async def test_it_can_be_used_in_a_small_terminal(size: tuple[int, int], sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace, size) as interface:
        screen = await opens(interface, "backup")
        await interface.until_shown("! warn")
        await choose(interface, "no backup has been made")
        await interface.until_shown("Why it matters:")
        await interface.press("tab")
        await interface.until(lambda: screen.has_class("-reading"), "more room to read")
        await interface.until_shown("What to do: `workbench backup TARGET`")
        await interface.press("escape")
        await interface.until(lambda: not screen.has_class("-reading"), "less again")
        assert isinstance(interface.app.screen, HealthScreen)


async def test_another_writers_text_is_told_of(sandbox: Sandbox) -> None:
    folder = sandbox.workspace.state_dir() / "conflicts"
    folder.mkdir(mode=0o700)
    (folder / "ab-log.md").write_bytes(b"text")
    (folder / "ab-log.md.json").write_text(json.dumps({"path": LOG, "since": 1_700_000_000}))
    async with opened(sandbox.workspace) as interface:
        await opens(interface, "conflicts")
        await choose(interface, "ab-log.md contains text of another writer")
        await interface.until_shown("compare it with its file")
        await interface.press("f")
        await interface.until(lambda: isinstance(interface.app.screen, ConflictsScreen), "where it is shown")
        await interface.press("escape")
        await interface.until(lambda: isinstance(interface.app.screen, HealthScreen), "back")


async def test_a_contradiction_is_answered_here_or_where_both_stand_beside_each_other(
    sandbox: Sandbox,
) -> None:
    homes = (("Lisbon", "2026-01-01"), ("Oslo", "2026-02-01"))
    lines = "".join(f"- [fact] Lives in {home} <!-- wb: at={day} -->\n" for home, day in homes)
    sandbox.write("graph/person/sarah.md", f"---\nname: Sarah\ntype: person\n---\n{lines}")
    sandbox.commit("two homes")
    async with opened(sandbox.workspace) as interface:
        screen = await opens(interface, "contradictions")
        await choose(interface, "Sarah, lives in")
        await interface.press("f")
        await interface.until(lambda: isinstance(interface.app.screen, PickScreen), "the ways")
        await interface.press("5")
        await interface.until(lambda: isinstance(interface.app.screen, GraphScreen), "the graph")
        graph = interface.app.screen
        assert isinstance(graph, GraphScreen)
        await interface.until(lambda: graph.place is FocusContext.CLAIMS, "its contradictions")
        await interface.press("escape")
        await interface.until(lambda: interface.app.screen is screen, "back where one was")
        await choose(interface, "Sarah, lives in")
        await interface.press("f")
        await interface.until(lambda: isinstance(interface.app.screen, PickScreen), "the ways")
        await interface.press("2")
        await interface.until(lambda: screen.sections["contradictions"].state == "ok", "answered")
        await interface.press("u")
        await interface.until_said("Undone")


def test_what_the_checks_say_names_no_key() -> None:
    """A key in it would be wrong on the command line, and for whoever has other keys."""
    keys = "|".join(sorted(key for action in ACTIONS for key in action.keys if len(key) == 1))
    named = re.compile(
        rf"(?:^|[ ;,(])(?:{keys})(?= (?:opens|shows|and its|answers|looks|stops|in the panes)\b)"
    )
    texts = [
        node.value
        for file in Path(health_package.__file__).parent.glob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    assert len(texts) > 100
    assert [text for text in texts if named.search(text)] == []
