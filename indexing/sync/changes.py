"""What is different on disk from what the index says: by content, with a time stamp as a shortcut."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from indexing.sync.manifest import RACY_NS, FileRecord, Manifest
from indexing.sync.scope import EVERYTHING, Scope
from indexing.sync.sources import TAIL, IndexSource, Sources, SourceScan, tail_digest
from workbench.errors import WorkbenchError, WorkspaceError
from workbench.memory.names import RelPath, is_outside
from workbench.workspace.layout import MemoryFile

QUIET_NS = 300_000_000_000
"""A transcript that was not written for so long is that of a session that ended: what waits is indexed."""
_MANY = 20
_NEARLY_ALL = 0.9


@dataclass(slots=True)
class Changes:
    """``added``, ``changed`` and ``touched`` (same content, new stamp) are files on disk by path.

    ``waiting`` are transcripts that only grew, by less than is worth a run. ``kept`` counts the files of each
    source that is absent, with the reason: they stay indexed. ``digests`` holds the SHA-256 of what was
    hashed on the way.
    """

    added: dict[RelPath, MemoryFile] = field(default_factory=dict)
    changed: dict[RelPath, MemoryFile] = field(default_factory=dict)
    touched: dict[RelPath, MemoryFile] = field(default_factory=dict)
    waiting: dict[RelPath, MemoryFile] = field(default_factory=dict)
    removed: list[RelPath] = field(default_factory=list)
    kept: dict[str, str] = field(default_factory=dict)
    unchanged: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    digests: dict[RelPath, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)


def find_changes(
    sources: Sources,
    found: SourceScan,
    manifest: Manifest,
    *,
    again: Iterable[str] = (),
    scope: Scope = EVERYTHING,
    at_once: bool = False,
    believe: bool = False,
) -> Changes:
    """Compare what is there with ``manifest``, reading only files whose stamp differs or cannot be trusted.

    Files named in ``again`` count as changed whatever their content: an unfinished sync was at them. Of the
    others only those in ``scope`` are looked at. ``at_once`` takes transcripts however little they grew;
    ``believe`` takes whatever is not there for gone.
    """
    comparison = _Comparison(sources, manifest, frozenset(again), scope, at_once=at_once or believe)
    return comparison.run(found, believe=believe)


class _Comparison:
    def __init__(
        self, sources: Sources, manifest: Manifest, again: frozenset[str], scope: Scope, *, at_once: bool
    ) -> None:
        self._sources = sources
        self._manifest = manifest
        self._again = again
        self._scope = scope
        self._at_once = at_once
        self._trusted_until = manifest.synced_ns - RACY_NS
        self._changes = Changes()

    def run(self, found: SourceScan, *, believe: bool) -> Changes:
        changes, known, trusted = self._changes, self._manifest.files, self._trusted_until
        here = self._scope.holds if self._scope else None
        again = self._again
        for file in found.files:
            path = file.path
            unsure = path in again
            if not unsure and here is not None and not here(path):
                continue
            record = known.get(path)
            if record is None:
                changes.added[path] = file
            elif unsure:
                changes.changed[path] = file
            elif file.ctime_ns < trusted and _stamp(record) == (file.size, file.ctime_ns, file.inode):
                changes.unchanged += 1
            else:
                self._compare(file, record)
        changes.failed.update({path: why for path, why in found.left_out.items() if self._scope.holds(path)})
        there = {file.path for file in found.files}
        missing = [
            path for path in known if path not in there and (here is None or here(path) or path in again)
        ]
        changes.removed = missing if believe else self._really_gone(missing, found)
        return changes

    def _compare(self, file: MemoryFile, record: FileRecord) -> None:
        changes = self._changes
        same = _stamp(record) == (file.size, file.ctime_ns, file.inode)
        try:
            if record.tail and not same and not self._at_once and self._waits(file, record):
                changes.waiting[file.path] = file
                changes.unchanged += 1
                return
            digest = self._sources.sha256(file.path, file.size)
        except (OSError, WorkbenchError) as error:
            changes.failed[file.path] = reason(error)
            return
        changes.digests[file.path] = digest
        if digest != record.sha256:
            changes.changed[file.path] = file
            return
        changes.unchanged += 1
        if not same:
            changes.touched[file.path] = file

    def _waits(self, file: MemoryFile, record: FileRecord) -> bool:
        """Whether a transcript only grew, by less than its owner set, and its session still goes on."""
        settings = self._sources.workspace.settings
        grown = file.size - record.size
        quiet_ns = time.time_ns() - file.ctime_ns
        if (
            file.inode != record.inode
            or not 0 < grown < settings.transcript_bytes
            or not 0 <= quiet_ns < QUIET_NS
        ):
            return False
        start = max(0, record.size - TAIL)
        data = self._sources.piece(file.path, start, file.size - start)
        before = record.size - start
        lines = data.count(b"\n", before)
        return tail_digest(data[:before]) == record.tail and lines < settings.transcript_lines

    def _really_gone(self, missing: list[RelPath], found: SourceScan) -> list[RelPath]:
        """``missing`` less the files of sources that are not there, or lost (nearly) all at once."""
        outside = [path for path in missing if is_outside(path)]
        if not outside:
            return missing
        kept: dict[RelPath, IndexSource] = {
            path: source for path in outside if (source := self._sources.keeps(path))
        }
        for source, there in found.counts:
            if source.sort == "workspace" or source.absent:
                continue
            lost = [path for path in outside if path not in kept and source.holds(path)]
            if lost and _vanished(len(lost), len(lost) + there, 0):
                kept.update(dict.fromkeys(lost, source))
        for source in dict.fromkeys(kept.values()):
            count = sum(one is source for one in kept.values())
            why = (
                source.absent
                or "its files have vanished: `workbench reindex --full` if they are meant to be gone"
            )
            self._changes.kept[source.name] = f"{why}; {count} of its files stay indexed"
        return [path for path in missing if path not in kept]


def _stamp(record: FileRecord) -> tuple[int, int, int]:
    return record.size, record.ctime_ns, record.inode


def refuse_if_vanished(found: Changes, manifest: Manifest, scope: Scope = EVERYTHING) -> None:
    """Raise WorkspaceError when (nearly) all files are gone: an unmounted folder looks like that.

    Speaks of the workspace's own files in ``scope``; those elsewhere are kept (``Changes.kept``).
    """
    lost = sum(not is_outside(path) for path in found.removed)
    if not lost:
        return
    before = sum(not is_outside(path) and scope.holds(path) for path in manifest.files)
    added = sum(not is_outside(path) for path in found.added)
    if _vanished(lost, before, added):
        raise WorkspaceError(
            f"{lost} of {before} indexed files have vanished; the index was left as it is",
            hint="is a folder not mounted, or another branch checked out? If they are meant to be "
            "gone, run `workbench reindex --full`",
        )


def _vanished(lost: int, before: int, added: int) -> bool:
    all_gone = lost == before and not added and before > 1
    return all_gone or (lost >= _MANY and lost > before * _NEARLY_ALL and added < lost / 2)


def reason(error: BaseException) -> str:
    """Why, in one line."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error).partition("\n")[0] or type(error).__name__
