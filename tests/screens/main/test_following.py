"""Files change below; the panes follow and the cursor stays where the person is."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.screens.interface import opened
from tests.support.workspaces import LOG, LOG_TEXT, Sandbox


async def test_the_cursor_stays_on_its_entry_when_the_agent_writes_above_it(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("We decided")
        sandbox.write(LOG, LOG_TEXT.replace("- **Sarah:**", "- New first\n- New second\n- **Sarah:**"))
        await interface.until(lambda: (row := interface.main.here.row) and row.line == 9, "two lines below")
        row = interface.main.here.row
        assert row is not None
        assert "We decided" in row.text


async def test_the_cursor_stays_on_an_entry_whose_own_words_change(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("staging port")
        reworded = LOG_TEXT.replace("The staging port is 8443", "The staging port is 9443 since today")
        sandbox.write(LOG, reworded.replace("- **Sarah:**", "- New first\n- **Sarah:**"))
        await interface.until(
            lambda: (row := interface.main.here.row) and "9443 since today" in row.text, "the cursor on it"
        )


async def test_what_an_agent_appends_appears(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.until_shown("staging port")
        with (sandbox.root / LOG).open("a") as log:
            log.write("- Appended just now\n")
        rows = interface.main.pane.list
        await interface.until(lambda: any("Appended" in row.text for row in rows.rows), "in the list")


@pytest.mark.promise("Two writers", "late lines exist, and somebody reads before the next action")
async def test_what_an_agent_writes_into_the_replaced_log_appears(sandbox: Sandbox) -> None:
    with (sandbox.root / LOG).open("ab", buffering=0) as log:
        async with opened(sandbox.workspace) as interface:
            await interface.go_to("weather")
            await interface.press("d")
            await interface.until(lambda: b"weather" not in sandbox.read(LOG), "forgotten")
            for number in range(2):
                line = b"- Written into the old file %d\n" % number
                log.write(line)
                written = time.monotonic()
                await interface.until(lambda: line in sandbox.read(LOG), "in the log")  # noqa: B023
                assert time.monotonic() - written < 4 * 2.0  # within two seconds on a machine of one's own
            rows = interface.main.pane.list
            await interface.until(lambda: any("old file 1" in row.text for row in rows.rows), "in the list")


async def test_new_and_removed_files_come_and_go(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        sandbox.write("memory/2026-03-20.md", "# Later\n\n- A later day\n")
        await interface.until_shown("Fri 20 Mar")
        (sandbox.root / "memory/2026-03-20.md").unlink()
        await interface.until(lambda: "Fri 20 Mar" not in interface.text, "gone again")


async def test_memory_follows_and_the_meter_with_it(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        sandbox.write("MEMORY.md", "# Memory\n\n## Only\n\n- " + "x" * 9_500 + "\n")
        await interface.until_shown("nearly full")


async def test_marks_stay_through_a_change(sandbox: Sandbox) -> None:
    async with opened(sandbox.workspace) as interface:
        await interface.go_to("staging port")
        await interface.press("space")
        sandbox.write(LOG, LOG_TEXT + "- One more\n")
        await interface.until_shown("One more")
        assert "1 marked" in interface.text


async def test_the_index_is_followed_by_a_process_of_its_own(sandbox: Sandbox, person: Path) -> None:
    (person / "settings.yaml").write_text("model: none\n")
    async with opened(sandbox.workspace, engines=True) as interface:
        current = sandbox.root / ".workbench" / "index" / "current"
        await interface.until(current.exists, "an index")
        await interface.press("slash")
        await interface.type("staging")
        await interface.until(lambda: len(interface.main.overlay.hits.rows) > 0, "hits")
