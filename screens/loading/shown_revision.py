"""Whether the memory that is shown is today's, or as it was at some moment."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from datetime import date
from pathlib import Path

from screens.drawing.clock import today
from workbench.errors import ReadOnlyError, WorkbenchError
from workbench.workspace.registry import read_registry
from workbench.workspace.revisions import local_day
from workbench.workspace.snapshot import PastWorkspace
from workbench.workspace.workspace import Workspace


def moment_of(workspace: Workspace) -> str:
    """The moment as people say it: ``2026-03-14 10:00``; empty for today's memory."""
    return workspace.moment.partition(" (")[0] if isinstance(workspace, PastWorkspace) else ""


def day_shown(workspace: Workspace) -> Callable[[], date]:
    """Answers the day from which ages count: that of the moment, else today."""
    if not isinstance(workspace, PastWorkspace):
        return today
    day = local_day(workspace.history.commit(workspace.commit).when)
    return lambda: day


def place_of(workspace: Workspace) -> Path:
    """The person's own folder, also where the past lies below it."""
    return workspace.today if isinstance(workspace, PastWorkspace) else workspace.root


def require_today(workspace: Workspace) -> None:
    """Raises ReadOnlyError for the past, which can only be looked at."""
    if moment := moment_of(workspace):
        raise ReadOnlyError(
            f"the memory as of {moment} can only be read",
            hint="start without --as-of for today's",
        )


def home_relative(path: Path) -> str:
    """A path as people say it: ``~/notes`` below their home."""
    try:
        return f"~/{path.relative_to(Path.home())}"
    except (ValueError, RuntimeError):  # elsewhere, or a person without a home
        return str(path)


def titled(workspace: Workspace) -> str:
    """Whose memory it is by its name, and where; of the past first as of when, since the end is cut off."""
    root, moment = place_of(workspace), moment_of(workspace)
    place = home_relative(root)
    with contextlib.suppress(WorkbenchError):  # the list cannot be read: it is a workspace all the same
        if known := read_registry().at(root):
            place = f"{known.name} · {place}"
    return f"as of {moment} · {place}" if moment else place
