"""How a registered workspace is doing: whether it is there, and how far its index follows the files."""

from __future__ import annotations

from dataclasses import dataclass

from indexing.sync.freshness import freshness
from workbench.errors import WorkbenchError
from workbench.format import FORMAT
from workbench.workspace.format import format_of
from workbench.workspace.registry import Registered
from workbench.workspace.workspace import Workspace

GONE = "gone"
REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class WorkspaceStatus:
    """One workspace. ``entries`` are those of its index.

    ``state`` is that of its index (fresh, stale, missing, damaged, unreadable), ``gone`` where the folder is
    not there, ``refused`` where it cannot be opened. ``newer`` is its format where a newer program wrote it.
    """

    workspace: Registered
    state: str
    summary: str
    files: int = 0
    entries: int = 0
    newer: int = 0

    @property
    def usable(self) -> bool:
        """Whether it can be opened."""
        return self.state not in (GONE, REFUSED)

    @property
    def needs_a_look(self) -> bool:
        """Whether a person has to do something before it is fully used."""
        return not self.usable or self.newer > 0

    def as_json(self) -> dict[str, object]:
        """For programs."""
        return {
            "name": self.workspace.name,
            "path": str(self.workspace.root),
            "state": self.state,
            "summary": self.summary,
            "files": self.files,
            "entries": self.entries,
            "newer_format": self.newer or None,
        }


def standing(one: Registered) -> WorkspaceStatus:
    """How it is doing. Never raises: what is wrong is told."""
    if not one.there:
        return WorkspaceStatus(one, GONE, "the folder is gone")
    try:
        place = Workspace.open(one.root)
        try:
            found = freshness(place)
        finally:
            place.close()
        newer = written if (written := format_of(one.root)) > FORMAT else 0
    except WorkbenchError as error:
        return WorkspaceStatus(one, REFUSED, error.message)
    except OSError as error:
        return WorkspaceStatus(one, REFUSED, f"it cannot be read: {error.strerror or error}")
    summary = found.summary
    if newer:
        summary = f"{summary}; a newer program wrote it (format {newer}): it can only be read"
    return WorkspaceStatus(one, found.state, summary, found.files, found.entries, newer)
