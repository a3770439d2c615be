"""From what an operation did to where it stands in memory now."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

from workbench.errors import WorkbenchError
from workbench.memory.entry import Entry
from workbench.workspace.workspace import Workspace


def standing(workspace: Workspace, places: Iterable[str], line: str = "") -> str | None:
    """The first of these addresses and paths that is there now; None where none is.

    Where ``line`` is given, the entry of a file that has this line is preferred to the file.
    """
    for place in places:
        with contextlib.suppress(WorkbenchError, FileNotFoundError):
            if "#" in place and not workspace.layout.may_curate(place):
                return workspace.find(place).address
            document = workspace.document(place)
            entry = _with_line(document.entries, line.strip())
            return entry.address if entry else place
    return None


def _with_line(entries: Iterable[Entry], line: str) -> Entry | None:
    if not line:
        return None
    bare = line.lstrip("-*+ ")
    return next((entry for entry in entries if bare and bare in entry.text), None)
