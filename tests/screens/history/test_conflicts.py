"""Kept texts of other writers, however they are: too long, not readable, gone meanwhile."""

from __future__ import annotations

import pytest

from screens.drawing.safe_text import Row
from screens.history import conflicts
from screens.history.conflicts import ConflictsScreen, text_rows
from tests.screens.history.test_browsing import browse, conflict
from tests.screens.interface import opened
from tests.support.workspaces import LOG_TEXT, Sandbox
from workbench.errors import WriteFailedError
from workbench.workspace.late_writes import Conflict


def test_a_text_of_many_lines_is_cut_and_says_so() -> None:
    rows = text_rows(b"\n" * 500_000, b"")
    assert len(rows) < 6_000
    assert "more lines" in rows[-1].text


async def test_where_they_cannot_be_read_it_is_said_and_no_key_breaks(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    conflict(sandbox, LOG_TEXT.encode() + b"- theirs\n")

    def fails(conflict: Conflict) -> Row:
        raise WriteFailedError("the disk [/] is gone")

    async with opened(sandbox.workspace) as interface:
        await interface.until(lambda: interface.main.operations.conflicts, "it is counted")
        monkeypatch.setattr(conflicts, "_row", fails)
        await interface.press("C")
        await interface.until_shown("the disk [/] is gone")
        await interface.press("d", "enter", "j", "d")
        assert isinstance(interface.app.screen, ConflictsScreen)
        monkeypatch.undo()
        browse(interface).reload()
        await interface.until_shown("- theirs")
