"""The thread that reads history: stopped in the middle of whatever it reads."""

from __future__ import annotations

import asyncio
import threading
from datetime import datetime

import pytest

from screens.history.history_reader import HistoryReader, day_or_time
from tests.support.workspaces import LOG, Sandbox
from workbench.errors import StoppedError
from workbench.memory.entry import RelPath
from workbench.workspace.workspace import Workspace


def test_what_was_done_today_has_its_time_and_what_was_done_before_its_day(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WORKBENCH_TODAY", "2026-03-20")
    then = [datetime(2026, 3, 20, 15, 13), datetime(2026, 3, 9, 8), datetime(2024, 3, 9, 8)]
    assert [day_or_time(one) for one in (*then, None)] == ["15:13", "9 Mar", "2024-03", "now"]


async def test_a_long_reading_ends_when_the_interface_does(sandbox: Sandbox) -> None:
    began = threading.Event()

    def read_on(workspace: Workspace) -> None:
        head = workspace.history.head()
        assert head is not None
        while True:
            workspace.history.blob(head, RelPath(LOG))
            began.set()

    history_reader = HistoryReader(sandbox.root)
    reading = asyncio.ensure_future(history_reader.run(read_on))
    waiting = asyncio.ensure_future(history_reader.run(lambda workspace: workspace.root))
    await asyncio.to_thread(began.wait)
    await asyncio.to_thread(history_reader.close)
    with pytest.raises(StoppedError):
        await reading
    with pytest.raises(asyncio.CancelledError):
        await waiting
    with pytest.raises(asyncio.CancelledError):
        await history_reader.run(lambda workspace: workspace.root)
