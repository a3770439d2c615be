"""How far the index is behind the files, by content, and what a search does about it before it answers.

Reads only what a time stamp cannot vouch for, and imports nothing heavy.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Literal

from indexing.storage import RefusedError, SpecialInIndexError
from indexing.sync.changes import find_changes
from indexing.sync.generations import Generations, Manifest, words_fingerprint
from indexing.sync.report import OnProgress
from indexing.sync.sources import IndexSources, SourceScan
from workbench.config.read_only import VARIABLE
from workbench.errors import BusyError, IndexUnavailableError, ReadOnlyError, WorkbenchError
from workbench.frozen import frozen_kw_only
from workbench.memory.entry import is_outside
from workbench.workspace.locks import held
from workbench.workspace.snapshot import PastWorkspace
from workbench.workspace.workspace import Workspace

MOST_FILES = 20
"""Changed files that a search indexes before it answers."""

State = Literal["fresh", "stale", "missing", "damaged", "outdated", "unreadable"]
Level = Literal["fine", "info", "warning", "error"]

NO_INDEX = "there is no index yet"
OTHER_VERSION = "another version of the program created the index"
NO_VECTORS = "there are no vectors yet"


def without_vector(count: int) -> str:
    """How many entries are found by keyword only."""
    return "1 entry has no vector yet" if count == 1 else f"{count:,} entries have no vector yet"


@frozen_kw_only
class SourceState:
    """One place beside the workspace: how many files are there, how many indexed, and why it is absent."""

    source: str
    sort: str
    files: int
    indexed: int
    absent: str | None


@frozen_kw_only
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
        if self.state == "fresh":
            return "info" if self.pending else "fine"
        return "warning" if self.state == "stale" else "error"

    @property
    def summary(self) -> str:
        """How the index stands, in one sentence: the same wherever it is said."""
        useless = {
            "missing": NO_INDEX,
            "unreadable": f"the index cannot be read: {self.blocked or 'permission denied'}",
            "outdated": f"{OTHER_VERSION}; the next reindex rebuilds it",
            "damaged": "the index is damaged; the next reindex rebuilds it",
        }
        if self.state in useless:
            return useless[self.state]
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
            "sources": list(map(asdict, self.sources)),
            "entries": self.entries,
            "pending": self.pending,
            "interrupted": self.interrupted,
            "generation": self.generation,
            "summary": self.summary,
        }


def freshness(workspace: Workspace) -> Freshness:
    """Compare the files with the index. Writes nothing, takes no lock, imports nothing heavy."""
    sources = IndexSources(workspace)
    found = sources.scan()
    unknown = Freshness(state="unreadable", files=len(found.files), sources=_states(found, None, {}))
    try:
        return _compared(sources, found, unknown)
    except SpecialInIndexError as error:
        return replace(unknown, blocked=error.message)
    except RefusedError:
        return unknown


def _compared(sources: IndexSources, found: SourceScan, unknown: Freshness) -> Freshness:
    generation = Generations(sources.workspace.state_path).current()
    if generation is None:
        return replace(unknown, state="missing", added=len(found.files))
    manifest = generation.manifest()
    if manifest is None or generation.suspected():
        return replace(unknown, state="damaged", generation=generation.name)
    if manifest.words != words_fingerprint():
        return replace(unknown, state="outdated", generation=generation.name)
    changes = find_changes(sources, found, manifest)
    interrupted = generation.pending() is not None
    return Freshness(
        state="stale" if changes or interrupted else "fresh",
        added=len(changes.added),
        changed=len(changes.changed),
        removed=len(changes.removed),
        unreadable=len(changes.failed),
        waiting=len(changes.waiting),
        outside=sum(map(is_outside, (*changes.added, *changes.changed, *changes.removed))),
        files=len(found.files),
        entries=manifest.entries,
        pending=manifest.pending,
        keywords_only=manifest.model is None,
        interrupted=interrupted,
        generation=generation.name,
        sources=_states(found, manifest, changes.kept),
    )


def _states(found: SourceScan, manifest: Manifest | None, kept: Mapping[str, str]) -> tuple[SourceState, ...]:
    if not any(source.beside for source, _ in found.counts):
        return ()
    outside = [path for path in manifest.files if is_outside(path)] if manifest else []
    return tuple(
        SourceState(
            source=source.name,
            sort=source.sort,
            files=count,
            indexed=sum(source.covers(path) for path in outside),
            absent=source.absent or ("its files are missing" if source.name in kept else None),
        )
        for source, count in found.counts
        if source.beside
    )


def catch_up(workspace: Workspace, progress: OnProgress = None) -> str | None:
    """Index by keywords what changed in ``workspace``; what an answer may lack all the same, or None.

    A workspace that was never indexed, or by another version, is indexed for keyword search, however large;
    ``progress`` is called during that only. At most MOST_FILES changed files are indexed, none while another
    sync runs, none where the index is damaged, and none where this program was started to look only.
    Never waits for anybody. The interface, which watches the files, and reports never do this.

    Raises IndexUnavailableError where there is no index that can be searched and none can be made.
    """
    if isinstance(workspace, PastWorkspace):
        return None
    found = freshness(workspace)
    if lack := {"missing": NO_INDEX, "outdated": OTHER_VERSION}.get(found.state):
        _index_words(workspace, progress, lack)
        return None
    why = ""
    if found.state == "stale" and _is_little(workspace, found):
        from indexing.sync.run import reindex  # noqa: PLC0415 - not where nothing changed

        try:
            reindex(workspace, vectors=False, rebuild=False)
        except WorkbenchError as error:
            why = f" ({error.message})"
        else:
            found = freshness(workspace)
    if found.state != "stale":
        return found.behind
    return f"{found.behind}{why}; run `workbench reindex`"


def _is_little(workspace: Workspace, found: Freshness) -> bool:
    """Whether what changed can be indexed now, and at once."""
    changed = found.added + found.changed + found.removed
    if os.environ.get(VARIABLE) or found.interrupted or not 0 < changed <= MOST_FILES:
        return False
    try:
        lock = held(workspace.state_path / "index.lock")
    except OSError:
        return False  # another user's
    return lock is None or not lock.held


def _index_words(workspace: Workspace, progress: OnProgress, lack: str) -> None:
    if os.environ.get(VARIABLE):
        raise IndexUnavailableError(
            f"{lack}, and read-only mode does not build one",
            hint="run `workbench reindex` where WORKBENCH_READ_ONLY is not set",
        )
    from indexing.sync.run import reindex  # noqa: PLC0415 - few searches need it

    try:
        reindex(workspace, vectors=False, progress=progress)
    except BusyError as error:
        raise IndexUnavailableError(
            f"{lack}: it is being built ({error.message})",
            hint="search again when it has finished; `workbench status` shows when",
        ) from error
    except ReadOnlyError as error:
        raise IndexUnavailableError(
            f"{lack}, and none can be built: {error.message}",
            hint="make .workbench writable, then run `workbench reindex`",
        ) from error
