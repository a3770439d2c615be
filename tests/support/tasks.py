"""Programs of tests in the place of tasks of the worker."""

from __future__ import annotations

import pytest

from screens.jobs import worker_client


def replace_task(monkeypatch: pytest.MonkeyPatch, *tasks: str, by: str) -> None:
    """Have the module ``by`` be run as the program that does ``tasks``; others are done as ever."""
    real = worker_client.program

    def program(task: str) -> list[str]:
        return ["-m", by, task] if task in tasks else real(task)

    monkeypatch.setattr(worker_client, "program", program)
