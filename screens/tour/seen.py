"""What a person has been shown once and is not shown again; remembered with their own state."""

from __future__ import annotations

import contextlib
from pathlib import Path

import platformdirs

from workbench.config.user_files import read_own, replace_own
from workbench.errors import WorkbenchError

TOUR = "tour"


def seen_path() -> Path:
    """One name a line."""
    return platformdirs.user_state_path("memory-workbench") / "seen"


def was_seen(name: str) -> bool:
    """Whether it was shown before; where that cannot be known, it was: nobody is shown it at every start."""
    try:
        return name in (read_own(seen_path()) or b"").decode("utf-8", "replace").split("\n")
    except WorkbenchError:
        return True


def remember(name: str) -> None:
    """It was shown. Where that cannot be kept it may be shown once more."""
    with contextlib.suppress(WorkbenchError):
        before = read_own(seen_path())
        replace_own(seen_path(), before, (before or b"") + f"{name}\n".encode())
