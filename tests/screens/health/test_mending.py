"""What a finding of health leads to that takes a process of its own: a backup, a migration, recall tests."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from indexing.sync.run import reindex
from screens.dialogs.dialog import PickScreen
from screens.health.overview import HealthScreen
from screens.jobs import user_jobs
from screens.jobs.user_jobs import PathScreen
from screens.settings.overview import SettingsScreen
from tests.screens.health.conftest import WANTED
from tests.screens.interface import Interface, opened
from tests.support.tasks import replace_task
from tests.support.workspaces import MEMORY_TEXT, Sandbox
from workbench.format_version import FORMAT

pytestmark = pytest.mark.usefixtures("in_process")
PERSON = "graph/person/sarah.md"
PAGE = "---\nname: Sarah\n---\n- works_on [[Atlas]] <!-- wb: id=r1 -->\n"


async def opens(interface: Interface, topic: str) -> HealthScreen:
    """Open it; only this topic is looked at."""
    WANTED.add(topic)
    await interface.press("H")
    await interface.until(lambda: isinstance(interface.app.screen, HealthScreen), "it is open")
    screen = interface.app.screen
    assert isinstance(screen, HealthScreen)
    await interface.until(lambda: topic in screen.results and not screen.job.running, "it was looked at")
    return screen


async def choose(interface: Interface, screen: HealthScreen, words: str) -> None:
    rows = screen.list
    await interface.until(lambda: any(words in row.text for row in rows.rows), f"a row with {words!r}")
    rows.go(next(at for at, row in enumerate(rows.rows) if words in row.text))
    await interface.pilot.pause()


async def test_a_backup_is_made_from_its_finding_and_again_with_a_key(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened(sandbox.workspace) as interface:
        screen = await opens(interface, "backup")
        await choose(interface, screen, "no backup has been made")
        await interface.press("f")
        await interface.until(lambda: isinstance(interface.app.screen, PathScreen), "a place is asked for")
        await interface.type("workspace/x")
        await interface.until_shown("this is inside the memory")
        await interface.press("enter", *["backspace"] * len("workspace/x"))
        await interface.type("disk")
        await interface.until_shown("a new folder")
        await interface.press("enter")
        await interface.until_said("restored and compared: ")
        await interface.until(lambda: screen.sections["backup"].state == "ok", "looked at again")
        assert len(list((tmp_path / "disk").glob("*.bundle"))) == 1
        await interface.press("b")
        await interface.until_said("Nothing new: ")


@pytest.mark.promise("The interface", "indexing, ingest or a backup is stopped from the interface")
async def test_a_backup_under_way_is_seen_and_stopped(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_task(monkeypatch, "backup", by="tests.screens.jobs.slow_work")
    async with opened(sandbox.workspace) as interface:
        screen = await opens(interface, "backup")
        await interface.press("c")
        await interface.until_said("No check and no long job")
        await interface.press("b")
        await interface.until(lambda: isinstance(interface.app.screen, PathScreen), "a place is asked for")
        await interface.type("disk")
        await interface.press("enter")
        await interface.until_shown("Backing up: words")
        await interface.until_shown("2,400 of 4,800")
        assert interface.app.screen is screen
        await interface.press("b")
        await interface.until_said("A backup is being made: c stops it")
        await interface.press("c")
        await interface.until_said("The backup was stopped; the previous one is kept")
        assert not screen.work_line.display


async def test_a_backup_that_is_killed_says_what_counts_and_how_to_make_one(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_task(monkeypatch, "backup", by="tests.screens.jobs.slow_work")
    async with opened(sandbox.workspace) as interface:
        await opens(interface, "backup")
        await interface.press("b")
        await interface.until(lambda: isinstance(interface.app.screen, PathScreen), "a place is asked for")
        await interface.type("disk")
        await interface.press("enter")
        await interface.until_shown("2,400 of 4,800")
        work = user_jobs.BackupJob.of(interface.main.screen_opener.services)._client
        assert work is not None
        assert work.child is not None
        os.kill(work.child.pid, signal.SIGKILL)
        await interface.until_said("No backup\nbacking up was ended by SIGKILL")
        await interface.until_said(
            "the incomplete backup is ignored, the one before it is kept; b starts a new one"
        )


async def test_older_forms_are_migrated_after_a_look_and_taken_back(sandbox: Sandbox) -> None:
    sandbox.write(PERSON, PAGE)
    sandbox.commit("as an older version wrote it")
    async with opened(sandbox.workspace) as interface:
        screen = await opens(interface, "format")
        await choose(interface, screen, "Workspace")
        await interface.press("right")
        await choose(interface, screen, "comments of the workbench prevent")
        await interface.press("f")
        await interface.until_shown("+  <!-- wb: id=r1 -->")
        await interface.press("y")
        await interface.until_said(f"format 0 to {FORMAT}, 1 file rewritten")
        assert b"- works_on [[Atlas]]\n  <!-- wb: id=r1 -->\n" in sandbox.read(PERSON)
        await interface.press("m")
        await interface.until_said("nothing to migrate")
        await interface.press("u")
        await interface.until_shown("Undo “")
        await interface.press("y")
        await interface.until_said("Undone")
    assert sandbox.read(PERSON).decode() == PAGE


async def test_recall_tests_are_run_again_from_the_one_that_fails(sandbox: Sandbox) -> None:
    sandbox.write("recall-tests.yaml", "- question: teapot\n  finds: Likes teapots\n  mode: lexical\n")
    reindex(sandbox.workspace, vectors=False)
    async with opened(sandbox.workspace) as interface:
        screen = await opens(interface, "recall tests")
        assert screen.results["recall tests"].seen.startswith("0 of 1 pass")
        await choose(interface, screen, "teapot: ")
        sandbox.write("MEMORY.md", MEMORY_TEXT.replace("Likes tea", "Likes teapots"))
        reindex(sandbox.workspace, vectors=False)
        await interface.press("f")
        if isinstance(interface.app.screen, PickScreen):
            await interface.press("enter")
        await interface.until(
            lambda: screen.results["recall tests"].seen.startswith("1 of 1 pass"), "run again"
        )
        sandbox.write("recall-tests.yaml", "- question: teapot\n  finds: Nothing\n  mode: lexical\n")
        await interface.press("t")
        await interface.until(
            lambda: screen.results["recall tests"].seen.startswith("0 of 1 pass"), "and again"
        )
        row = screen.list.row
        assert row is not None
        assert row.id.startswith("recall tests")


async def test_a_setting_that_does_not_count_leads_to_the_settings(sandbox: Sandbox) -> None:
    sandbox.write("workbench.yaml", "memory_budget: much\n")
    async with opened(sandbox.workspace) as interface:
        screen = await opens(interface, "settings")
        await choose(interface, screen, "memory_budget must be a positive whole number")
        await interface.press("f")
        await interface.until(lambda: isinstance(interface.app.screen, SettingsScreen), "the settings")
