"""The difference between the files and the index, and the keyword update of a few files before a search.

Files are compared by content; one with a trusted time stamp is not read. Nothing heavy is imported.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Literal

import msgspec

from indexing.storage import RefusedError, SpecialInIndexError
from indexing.sync.generations import RACY_NS, FileRecord, Generations, Manifest, words_fingerprint
from indexing.sync.report import OnProgress
from indexing.sync.sources import TAIL, IndexSource, IndexSources, SourceScan, tail_digest
from workbench.config.read_only import VARIABLE
from workbench.errors import (
    BusyError,
    IndexUnavailableError,
    ReadOnlyError,
    UsageError,
    WorkbenchError,
    WorkspaceError,
    reason_of,
)
from workbench.frozen import frozen, frozen_kw_only
from workbench.memory.entry import RelPath, is_outside
from workbench.workspace.external_changes import vanished
from workbench.workspace.layout import MemoryFile
from workbench.workspace.locks import held
from workbench.workspace.snapshot import PastWorkspace
from workbench.workspace.workspace import Workspace

QUIET_NS = 300_000_000_000
"""A transcript that was not written for so long is that of a session that ended: what waits is indexed."""


@frozen
class Scope:
    """Files at or below ``paths``, as the index calls them; none of them stands for everything."""

    paths: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.paths)

    def holds(self, path: str) -> bool:
        """Whether a run looks at ``path``."""
        return not self.paths or any(_at_or_below(path, top) for top in self.paths)


EVERYTHING = Scope()


class Changes(msgspec.Struct):
    """``added``, ``changed`` and ``touched`` (same content, new stamp) are files on disk by path.

    ``waiting`` are transcripts that only grew, by less than is worth a run. ``kept`` counts the files of each
    source that is absent, with the reason: they stay indexed. ``hashed`` says that some file was read.
    """

    added: dict[RelPath, MemoryFile] = {}
    changed: dict[RelPath, MemoryFile] = {}
    touched: dict[RelPath, MemoryFile] = {}
    waiting: dict[RelPath, MemoryFile] = {}
    removed: list[RelPath] = []
    kept: dict[str, str] = {}
    unchanged: int = 0
    failed: dict[str, str] = {}
    hashed: bool = False

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)


def find_changes(
    sources: IndexSources,
    found: SourceScan,
    manifest: Manifest,
    *,
    again: Iterable[str] = (),
    scope: Scope = EVERYTHING,
    believe: bool = False,
) -> Changes:
    """Compare what is there with ``manifest``, reading only files whose stamp differs or cannot be trusted.

    A file has also changed when the settings now read its path differently. Files in ``again`` count as
    changed whatever their content, as an unfinished sync may have written them; of the others, only those in
    ``scope`` are looked at. In a narrower scope than all, a transcript counts however little it grew.
    ``believe`` takes every missing file for deleted, and every transcript as it is.
    """
    changes, known, unsure = Changes(), manifest.files, frozenset(again)
    trusted_until = manifest.synced_ns - RACY_NS
    for file in found.files:
        path = file.path
        record = known.get(path)
        if path not in unsure and not scope.holds(path):
            continue
        if record is None:
            changes.added[path] = file
            continue
        read_as = sources.read_as(file)
        record.read_as = record.read_as or read_as
        if path in unsure or record.read_as != read_as:
            changes.changed[path] = file
        elif file.ctime_ns < trusted_until and record.is_of(file):
            changes.unchanged += 1
        else:
            _compare(sources, file, record, changes, at_once=bool(scope) or believe)
    changes.failed.update({path: why for path, why in found.left_out.items() if scope.holds(path)})
    there = {file.path for file in found.files}
    missing = [path for path in known if path not in there and (scope.holds(path) or path in unsure)]
    changes.removed = missing if believe else _really_gone(sources, missing, found, changes.kept)
    return changes


def _compare(
    sources: IndexSources, file: MemoryFile, record: FileRecord, changes: Changes, *, at_once: bool
) -> None:
    same = record.is_of(file)
    try:
        if record.tail and not same and not at_once and _waits(sources, file, record):
            changes.waiting[file.path] = file
            changes.unchanged += 1
            return
        digest = sources.sha256(file.path, file.size)
    except (OSError, WorkbenchError) as error:
        changes.failed[file.path] = reason_of(error)
        return
    changes.hashed = True
    if digest != record.sha256:
        changes.changed[file.path] = file
        return
    changes.unchanged += 1
    if not same:
        changes.touched[file.path] = file


def _waits(sources: IndexSources, file: MemoryFile, record: FileRecord) -> bool:
    """Whether a transcript only grew, by less than its owner set, and its session still goes on."""
    settings = sources.workspace.settings
    grown = file.size - record.size
    quiet_ns = time.time_ns() - file.ctime_ns
    if (
        file.inode != record.inode
        or not 0 < grown < settings.transcript_bytes
        or not 0 <= quiet_ns < QUIET_NS
    ):
        return False
    start = max(0, record.size - TAIL)
    data = sources.piece(file.path, start, file.size - start)
    before = record.size - start
    lines = data.count(b"\n", before)
    return tail_digest(data[:before]) == record.tail and lines < settings.transcript_lines


def _really_gone(
    sources: IndexSources, missing: list[RelPath], found: SourceScan, told: dict[str, str]
) -> list[RelPath]:
    """``missing`` less those of sources that are not there, or lost (nearly) all at once; ``told`` why."""
    kept: dict[RelPath, IndexSource] = {
        path: source for path in missing if is_outside(path) and (source := sources.keeps(path))
    }
    for source, there in found.counts:
        if not source.beside or source.absent:
            continue
        lost = [path for path in missing if path not in kept and source.holds(path)]
        if lost and vanished(len(lost), len(lost) + there, 0):
            kept.update(dict.fromkeys(lost, source))
    for source, count in Counter(kept.values()).items():
        missed = "its files are missing: `workbench reindex --full` if you removed them on purpose"
        told[source.name] = f"{source.absent or missed}; {count} of its files stay indexed"
    return [path for path in missing if path not in kept]


def refuse_if_vanished(found: SourceScan, known: Collection[RelPath], scope: Scope) -> None:
    """Raise WorkspaceError when (nearly) all ``known`` files are gone: an unmounted folder looks like that.

    Speaks of the workspace's own files in ``scope``; those elsewhere are kept (``Changes.kept``).
    """
    there = {file.path for file in found.files}
    before = [path for path in known if not is_outside(path) and scope.holds(path)]
    lost = sum(path not in there for path in before)
    if not lost:
        return
    new = (path for path in there if not is_outside(path) and path not in known)
    if vanished(lost, len(before), sum(map(scope.holds, new))):
        raise WorkspaceError(
            f"{lost} of {len(before)} indexed files are missing; the index was not changed",
            hint="a folder may not be mounted, or another branch checked out. If you removed them on "
            "purpose, run"
            " `workbench reindex --full`",
        )


def scope_of(paths: Iterable[str], sources: IndexSources, known: Iterable[str], *, here: str) -> Scope:
    """The scope that a person names: relative to the workspace as the index prints paths, else to ``here``.

    ``known`` are the files in the index: what was deleted may be named too. Raises UsageError for a path that
    is neither there nor in the index, or lies in no source.
    """
    indexed = tuple(known)
    return Scope(tuple(dict.fromkeys(_named(path, sources, indexed, here) for path in paths)))


def _named(path: str, sources: IndexSources, indexed: Sequence[str], here: str) -> str:
    for base in (os.fspath(sources.workspace.root), here):
        top = _as_indexed(os.path.normpath(os.path.join(base, os.path.expanduser(path))), sources)
        if top is not None and (
            os.path.lexists(os.path.join(sources.workspace.root, top))
            or any(_at_or_below(one, top) for one in indexed)
        ):
            return top
    raise UsageError(
        f"{path} is neither in the workspace nor in an extra path, on disk or in the index",
        hint="paths are relative to the workspace, or absolute; `extra_paths` in your settings adds folders",
    )


def _as_indexed(whole: str, sources: IndexSources) -> str | None:
    """An absolute path as the index calls it, or None when no source can hold it or anything below it.

    The folder is resolved, its last name is not at first: a link there may stand in a file's place.
    """
    root = os.fspath(sources.workspace.root)
    folder, name = os.path.split(whole)
    for real in (os.path.join(os.path.realpath(folder), name), os.path.realpath(whole)):
        if _at_or_below(real, root):
            return os.path.relpath(real, root)
        if any(_at_or_below(real, one.base) or _at_or_below(one.base, real) for one in sources.all[1:]):
            return real
    return None


def _at_or_below(path: str, top: str) -> bool:
    if top == ".":
        return not is_outside(path)
    return path == top or path.startswith(top.rstrip("/") + "/")


MOST_FILES = 20
"""Changed files that a search indexes before it answers."""

State = Literal["fresh", "stale", "missing", "damaged", "outdated", "unreadable"]

NO_INDEX = "there is no index yet"
_COUNTS = ("added", "changed", "removed", "unreadable")
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
        parts = [f"{count} {name}" for name in _COUNTS if (count := getattr(self, name))]
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
                **{name: getattr(self, name) for name in _COUNTS},
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
    return replace(
        unknown,
        state="stale" if changes or interrupted else "fresh",
        added=len(changes.added),
        changed=len(changes.changed),
        removed=len(changes.removed),
        unreadable=len(changes.failed),
        waiting=len(changes.waiting),
        outside=sum(map(is_outside, (*changes.added, *changes.changed, *changes.removed))),
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
    """Index changed files of ``workspace`` for keyword search; returns what answers may still lack, or None.

    A workspace that was never indexed, or by another version, is indexed for keyword search, however large;
    ``progress`` is called during that only. Otherwise at most MOST_FILES changed files are indexed, and none
    while another sync runs, after an interrupted one, where the index is damaged, or in read-only mode. Waits
    for no lock. Reports do not call this, nor does the interface, which watches the files.

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
