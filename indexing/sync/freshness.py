"""How far the index is behind the files, by content; reads only what a time stamp cannot vouch for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from indexing.engines import RefusedError, SpecialInIndexError
from indexing.sync.changes import find_changes
from indexing.sync.generations import Generations
from indexing.sync.manifest import Manifest
from indexing.sync.sources import Sources, SourceScan
from workbench.memory.names import is_outside
from workbench.workspace.layout import STATE_DIR
from workbench.workspace.workspace import Workspace

State = Literal["fresh", "stale", "missing", "damaged", "unreadable"]
Level = Literal["fine", "info", "warning", "error"]

NO_INDEX = "there is no index yet"
NO_VECTORS = "there are no vectors yet"


def without_vector(count: int) -> str:
    """How many entries are found by keyword only."""
    return "1 entry has no vector yet" if count == 1 else f"{count:,} entries have no vector yet"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceState:
    """One place beside the workspace: how many files are there, how many indexed, and why it is absent."""

    name: str
    sort: str
    files: int
    indexed: int
    absent: str = ""

    def as_json(self) -> dict[str, object]:
        """The same for programs."""
        return {
            "source": self.name,
            "sort": self.sort,
            "files": self.files,
            "indexed": self.indexed,
            "absent": self.absent or None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Freshness:
    """``added``, ``changed``, ``removed`` count files; ``pending`` counts entries without a vector.

    ``waiting`` counts transcripts that grew too little to be indexed again: they do not make the index stale.
    ``keywords_only``: it was made without an embedding model.
    ``blocked`` says which special file stands in its way.
    ``outside`` says how many of the differences are in files beside the workspace.
    """

    state: State
    added: int = 0
    changed: int = 0
    removed: int = 0
    unreadable: int = 0
    waiting: int = 0
    outside: int = 0
    files: int = 0
    entries: int = 0
    pending: int = 0
    keywords_only: bool = False
    interrupted: bool = False
    generation: str = ""
    blocked: str = ""
    sources: tuple[SourceState, ...] = ()

    @property
    def level(self) -> Level:
        """How bad that is."""
        if self.state in ("missing", "damaged", "unreadable"):
            return "error"
        if self.state != "fresh":
            return "warning"
        return "info" if self.pending else "fine"

    @property
    def summary(self) -> str:
        """How the index stands, in one sentence: the same wherever it is said."""
        if self.state == "missing":
            return NO_INDEX
        if self.state == "unreadable":
            return f"the index cannot be read: {self.blocked or 'permission denied'}"
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
        if self.waiting:
            said += f"; {self.waiting} growing transcript{'s' * (self.waiting > 1)} waiting"
        if self.pending:
            said += f"; {NO_VECTORS if self.keywords_only else without_vector(self.pending)}"
        return said

    @property
    def behind(self) -> str | None:
        """Why an answer may lack what the files say; None where the index follows them."""
        if self.state == "fresh":
            return None
        return f"the index is behind the files: {self.summary}" if self.state == "stale" else self.summary

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
                "waiting": self.waiting,
            },
            "sources": [source.as_json() for source in self.sources],
            "entries": self.entries,
            "pending": self.pending,
            "interrupted": self.interrupted,
            "generation": self.generation,
            "summary": self.summary,
        }


def freshness(workspace: Workspace) -> Freshness:
    """Compare the files with the index. Writes nothing, takes no lock, imports nothing heavy."""
    sources = Sources(workspace)
    found = sources.scan()
    try:
        return _compared(sources, found)
    except SpecialInIndexError as error:
        blocked, states = error.message, _states(found, None)
        return Freshness(state="unreadable", blocked=blocked, files=len(found.files), sources=states)
    except RefusedError:
        return Freshness(state="unreadable", files=len(found.files), sources=_states(found, None))


def _compared(sources: Sources, found: SourceScan) -> Freshness:
    generation = Generations(sources.workspace.root / STATE_DIR).current()
    files = len(found.files)
    if generation is None:
        return Freshness(state="missing", added=files, files=files, sources=_states(found, None))
    manifest = generation.manifest()
    if manifest is None or generation.suspected():
        states = _states(found, None)
        return Freshness(state="damaged", files=files, generation=generation.name, sources=states)
    changes = find_changes(sources, found, manifest)
    interrupted = generation.pending() is not None
    different = (*changes.added, *changes.changed, *changes.removed)
    return Freshness(
        state="stale" if changes or interrupted else "fresh",
        added=len(changes.added),
        changed=len(changes.changed),
        removed=len(changes.removed),
        unreadable=len(changes.failed),
        waiting=len(changes.waiting),
        outside=sum(map(is_outside, different)),
        files=files,
        entries=manifest.entries,
        pending=manifest.pending,
        keywords_only=manifest.model is None,
        interrupted=interrupted,
        generation=generation.name,
        sources=_states(found, manifest, changes.kept),
    )


def _states(
    found: SourceScan, manifest: Manifest | None, kept: Mapping[str, str] = MappingProxyType({})
) -> tuple[SourceState, ...]:
    if not any(source.beside for source, _ in found.counts):
        return ()
    outside = [path for path in manifest.files if is_outside(path)] if manifest else []
    return tuple(
        SourceState(
            name=source.name,
            sort=source.sort,
            files=count,
            indexed=sum(source.covers(path) for path in outside),
            absent=source.absent or ("its files have vanished" if source.name in kept else ""),
        )
        for source, count in found.counts
        if source.beside
    )
