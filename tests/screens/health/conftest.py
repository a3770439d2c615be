"""The survey without a process of its own, where what the screen does with it is looked at."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Mapping
from typing import Any

import pytest

from screens.health import report_job
from workbench.health.report.health_task import run
from workbench.workspace.task_context import TaskContext

WANTED: set[str] = set()
"""The topics that a test is about; the others are not looked at there, which takes less time."""


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same lines, from a thread."""
    WANTED.clear()

    async def ask(surveyor: report_job.Surveyor, wish: Mapping[str, Any], of: str = "") -> str:
        for topic in wish.get("topics", [""]):
            if WANTED and topic and topic not in WANTED:
                continue
            out = io.StringIO()
            one = {**wish, "topics": [topic]} if topic else wish
            await asyncio.to_thread(run, surveyor._root, one, TaskContext("the look", out))
            for line in out.getvalue().splitlines():
                if (message := report_job._message(json.loads(line), of)) is not None:
                    surveyor._post(message)
            if surveyor._stopped:
                break
        return ""

    monkeypatch.setattr(report_job.Surveyor, "_ask", ask)
