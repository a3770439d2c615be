"""Whoever travels here does not rest for long."""

from __future__ import annotations

import pytest

from screens.history import time_travel


@pytest.fixture(autouse=True)
def in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """A moment is laid out sooner than for a person."""
    monkeypatch.setattr(time_travel, "REST_SECONDS", 0.03)
