"""How far the index is behind the files, by content; reads only what a time stamp cannot vouch for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from indexing.changes import find_changes
from indexing.engines import RefusedError
from indexing.generations import Generations
from workbench.workspace.layout import STATE_DIR, MemoryFile
from workbench.workspace.workspace import Workspace

State = Literal["fresh", "stale", "missing", "damaged", "unreadable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Freshness:
    """``added``, ``changed``, ``removed`` count files; ``pending`` counts entries without a vector."""

    state: State
    added: int = 0
    changed: int = 0
    removed: int = 0
    unreadable: int = 0
    files: int = 0
    entries: int = 0
    pending: int = 0
    interrupted: bool = False
    generation: str = ""

    @property
    def summary(self) -> str:
        """One line for a person."""
        if self.state == "missing":
            return "there is no index yet"
        if self.state == "unreadable":
            return "the index cannot be read: permission denied"
        if self.state == "damaged":
            return "the index is damaged; the next reindex makes it again"
        parts = [
            f"{count} {word}"
            for count, word in (
                (self.added, "added"),
                (self.changed, "changed"),
                (self.removed, "removed"),
                (self.unreadable, "unreadable"),
            )
            if count
        ]
        if self.interrupted:
            parts.append("the last reindex was interrupted")
        said = ", ".join(parts) or "up to date"
        return f"{said}; {self.pending} entries without vectors" if self.pending else said

    def as_json(self) -> dict[str, object]:
        """The same for programs."""
        return {
            "state": self.state,
            "files": {
                "total": self.files,
                "added": self.added,
                "changed": self.changed,
                "removed": self.removed,
                "unreadable": self.unreadable,
            },
            "entries": self.entries,
            "pending": self.pending,
            "interrupted": self.interrupted,
            "generation": self.generation,
            "summary": self.summary,
        }


def freshness(workspace: Workspace) -> Freshness:
    """Compare the files with the index. Writes nothing, takes no lock, imports nothing heavy."""
    files = workspace.scan()
    try:
        return _compared(workspace, files)
    except RefusedError:
        return Freshness(state="unreadable", files=len(files))


def _compared(workspace: Workspace, files: list[MemoryFile]) -> Freshness:
    generation = Generations(workspace.root / STATE_DIR).current()
    if generation is None:
        return Freshness(state="missing", added=len(files), files=len(files))
    manifest = generation.manifest()
    if manifest is None or generation.suspected():
        return Freshness(state="damaged", files=len(files), generation=generation.name)
    changes = find_changes(files, manifest, workspace.read)
    interrupted = generation.pending() is not None
    return Freshness(
        state="stale" if changes or interrupted else "fresh",
        added=len(changes.added),
        changed=len(changes.changed),
        removed=len(changes.removed),
        unreadable=len(changes.failed),
        files=len(files),
        entries=manifest.entries,
        pending=manifest.pending,
        interrupted=interrupted,
        generation=generation.name,
    )
