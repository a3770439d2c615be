"""The thread that reads history: stopped in the middle of whatever it reads."""

from __future__ import annotations

import asyncio
import threading

import pytest

from screens.history.history_reader import Historian
from tests.support.workspaces import LOG, Sandbox
from workbench.errors import StoppedError
from workbench.memory.names import RelPath
from workbench.workspace.workspace import Workspace


async def test_a_long_reading_ends_when_the_interface_does(sandbox: Sandbox) -> None:
    began = threading.Event()

    def read_on(workspace: Workspace) -> None:
        head = workspace.history.head()
        assert head is not None
        while True:
            workspace.history.blob(head, RelPath(LOG))
            began.set()

    historian = Historian(sandbox.root)
    reading = asyncio.ensure_future(historian.run(read_on))
    waiting = asyncio.ensure_future(historian.run(lambda workspace: workspace.root))
    await asyncio.to_thread(began.wait)
    await asyncio.to_thread(historian.close)
    with pytest.raises(StoppedError):
        await reading
    with pytest.raises(asyncio.CancelledError):
        await waiting
    with pytest.raises(asyncio.CancelledError):
        await historian.run(lambda workspace: workspace.root)
