"""What is different on disk from what the index says: by content, with a time stamp as a shortcut."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from indexing.sync.generations import RACY_NS, FileRecord, Manifest
from indexing.sync.sources import TAIL, IndexSource, IndexSources, SourceScan, tail_digest
from workbench.errors import UsageError, WorkbenchError, WorkspaceError, reason_of
from workbench.frozen import frozen
from workbench.memory.entry import RelPath, is_outside
from workbench.workspace.external_changes import vanished
from workbench.workspace.layout import MemoryFile

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
    sources: IndexSources,
    found: SourceScan,
    manifest: Manifest,
    *,
    again: Iterable[str] = (),
    scope: Scope = EVERYTHING,
    believe: bool = False,
) -> Changes:
    """Compare what is there with ``manifest``, reading only files whose stamp differs or cannot be trusted.

    A file whose place or name says something else of it than before, by other settings, has changed. Files
    named in ``again`` count as changed whatever their content: an unfinished sync was at them. Of the others
    only those in ``scope`` are looked at; within a part of all, transcripts count however little they grew.
    ``believe`` takes whatever is not there for gone, and transcripts as they are.
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
    changes.digests[file.path] = digest
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
