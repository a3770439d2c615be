"""An indexed workspace, and small processes in the place of those that search by meaning."""

from __future__ import annotations

import sys
from asyncio import create_subprocess_exec
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from indexing.sync.run import reindex
from tests.support.workspaces import Sandbox

Answering = Callable[[str], list[Process]]
_SILENT = "import sys; sys.stdin.read()"


@pytest.fixture
def indexed(sandbox: Sandbox) -> Sandbox:
    """A workspace whose words can be searched."""
    reindex(sandbox.workspace, vectors=False)
    return sandbox


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Answering:
    """Has semantic search be a process that runs the given code; returns those that were started."""

    def use(code: str) -> list[Process]:
        started: list[Process] = []

        async def start(task: str, root: Path, parameters: Mapping[str, object]) -> Process:
            asked = task == "search"
            command = (sys.executable, "-c", code if asked else _SILENT)
            child = await create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
            if asked:
                started.append(child)
            return child

        monkeypatch.setattr("screens.jobs.worker_client.start", start)
        return started

    return use
