"""From where something was said, or what an operation did, to where it stands in memory now."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence

from screens.drawing.safe_text import row_text
from screens.frames.overlay_screen import OverScreen
from workbench.errors import WorkbenchError
from workbench.memory.address import entry_at_line
from workbench.memory.entry import Entry
from workbench.workspace.workspace import Workspace


def go_to_first(screen: OverScreen, places: Sequence[str], gone: str, *, line: str = "") -> None:
    """Leave for the first of these places that is there now, or say that it is ``gone``; see ``standing``."""

    async def find() -> str | None:
        return await screen.desk.historian.run(lambda workspace: standing(workspace, places, line))

    def arrive(address: str | None) -> None:
        if address is None:
            screen.desk.say(row_text(gone), "warning")
        else:
            screen.desk.go_to(address)

    screen.load(find, arrive, "going", failed=screen.say_failure)


def standing(workspace: Workspace, places: Iterable[str], line: str = "") -> str | None:
    """The first of these addresses, paths and lines (``path#L12``) that is there now; None where none is.

    Where ``line`` is given, the entry of a file that has this line is preferred to the file.
    """
    for place in places:
        path, _, at = place.rpartition("#")
        number = at.removeprefix("L").partition("-")[0]
        with contextlib.suppress(WorkbenchError, FileNotFoundError):
            if path and at.startswith("L") and number.isdecimal() and workspace.layout.holds(path):
                there = entry_at_line(workspace.document(path), int(number))
                return there.address if there else path
            if path and not workspace.layout.may_curate(place):
                return workspace.find(place).address
            entry = _with_line(workspace.document(place).entries, line.strip())
            return entry.address if entry else place
    return None


def _with_line(entries: Iterable[Entry], line: str) -> Entry | None:
    if not line:
        return None
    bare = line.lstrip("-*+ ")
    return next((entry for entry in entries if bare and bare in entry.text), None)
