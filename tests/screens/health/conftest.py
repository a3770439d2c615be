"""The checks without a process of its own, where what the screen does with it is looked at."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Mapping
from typing import Any

import pytest

from screens.health import check_job
from workbench.health.checks import CHECKS, run
from workbench.workspace.task_context import TaskContext

WANTED: set[str] = set()
"""The checks that a test is about; the others are not looked at there, which takes less time."""


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same lines, from a thread."""
    WANTED.clear()

    async def ask(job: check_job.CheckJob, wish: Mapping[str, Any], of: str = "") -> str:
        every = [check.name for check in CHECKS]
        names = [name for name in wish.get("checks") or every if not WANTED or name in WANTED]
        for name in [""] if of else names:
            out = io.StringIO()
            one = {"checks": [name]} if name else wish
            await asyncio.to_thread(run, job._root, one, TaskContext("the look", out))
            for line in out.getvalue().splitlines():
                if (message := check_job.message_of({**json.loads(line), "check": of})) is not None:
                    job._post(message)
            if job._stopped:
                break
        return ""

    monkeypatch.setattr(check_job.CheckJob, "_ask", ask)
