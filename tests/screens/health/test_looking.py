"""The checks in their process: they come one by one, can be stopped, and says when it broke off."""

from __future__ import annotations

from pathlib import Path

import pytest

from screens.drawing.safe_text import sentence
from screens.health.check_job import ChecksEnded
from screens.health.overview import HealthScreen
from tests.screens.health.test_health import choose, health, opens
from tests.screens.interface import opened
from tests.support.tasks import replace_task
from tests.support.workspaces import MEMORY_TEXT, Sandbox
from workbench.health.checks import CHECKS

SECRET = "AKIAQ7LMNO5P2RSTUVWX"


async def test_all_sections_come_and_a_secret_is_nowhere_on_the_screen(sandbox: Sandbox) -> None:
    sandbox.write("MEMORY.md", MEMORY_TEXT + f"- The key is {SECRET}\n")
    async with opened(sandbox.workspace) as interface:
        screen = await opens(interface)
        await interface.until(lambda: not screen.job.running, "it is over")
        for section in screen.sections.values():
            assert any(row.text == sentence(section.name) for row in screen.list.rows)
        await choose(interface, "AWS access key")
        await interface.until_shown("Why it matters: everybody who reads memory")
        await interface.until_shown("The key is AKIA…")
        assert SECRET not in interface.text
        await choose(interface, "Budget")
        await interface.until_shown("of 10,000 characters")
        await interface.press("c")
        await interface.until_said("No check and no long job")


async def test_the_doctor_repairs_with_a_key(sandbox: Sandbox) -> None:
    note = sandbox.workspace.state_dir() / "journal.refused"
    note.touch(0o600)
    async with opened(sandbox.workspace) as interface:
        screen = await opens(interface)
        await choose(interface, "journal.refused")
        await interface.press("f")
        await interface.until_said("moved to")
        gone = lambda: "journal.refused" not in str(screen.list.rows)  # noqa: E731
        await interface.until(gone, "looked at again")


async def test_a_look_can_be_stopped_and_begun_again(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(sandbox.workspace) as interface:
        with monkeypatch.context() as patch:
            replace_task(patch, "health", by="tests.screens.jobs.slow_work")
            await interface.press("H")
            await interface.until(lambda: isinstance(interface.app.screen, HealthScreen), "it is open")
            screen = health(interface)
            await interface.until(lambda: screen.job._client is not None, "a check is running")
            assert screen.job.running
            await interface.press("c")
            await interface.until(lambda: not screen.job.running, "it stopped")
        assert screen.results == {}
        assert "status" not in interface.text
        await interface.press("r")
        await interface.until(lambda: len(screen.results) == len(CHECKS), "all was looked at")


@pytest.mark.usefixtures("in_process")
async def test_a_look_that_fails_says_so_and_what_to_do(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        screen = await opens(interface, "backup")
        await interface.until(lambda: not screen.job.running, "it is over")
        screen.post_message(ChecksEnded("[/] \x1b[2J it broke"))
        await interface.until_shown("The check failed; r runs it again: [/]")
        assert "\x1b" not in interface.text


async def test_a_workspace_that_vanished_is_said(sandbox: Sandbox, tmp_path: Path) -> None:
    async with opened(sandbox.workspace) as interface:
        screen = await opens(interface)
        await interface.until(lambda: not screen.job.running, "it is over")
        sandbox.root.rename(tmp_path / "away")
        await interface.press("r")
        await interface.until_shown("The check failed; r runs it again:")
        await interface.press("g")
        await interface.until(lambda: "is not a folder" in screen.list.rows[0].text, "why, in the first row")
        await interface.until_shown("r looks again.")
        (tmp_path / "away").rename(sandbox.root)
