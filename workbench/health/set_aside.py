"""Where repairs put what they take out of the way: nothing is deleted that was not made to be thrown away."""

from __future__ import annotations

import os
import time
from pathlib import Path

from indexing.storage import not_a_link
from workbench.errors import disk_error
from workbench.health.subject import CheckSubject

FOLDER = "set-aside"


def put_aside(place: CheckSubject, path: Path) -> Path:
    """Move ``path`` into ``.workbench/set-aside/``; where it is now. Raises WorkbenchError."""
    return put_into(place.workspace.state_dir() / FOLDER, path)


def put_into(folder: Path, path: Path) -> Path:
    """Move ``path`` into ``folder`` under a name that nothing there has. Raises WorkbenchError."""
    not_a_link(folder)
    target = folder / f"{time.time_ns()}-{path.name}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        os.rename(path, target)
    except OSError as error:
        raise disk_error(error) from error
    return target
