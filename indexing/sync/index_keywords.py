"""Giving entries their words: all files that changed in one commit, announced before, in the books after."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from indexing.document import Stamp, stored_entries
from indexing.lexical.writer import LexicalWriter, deleted_share
from indexing.storage import shape
from indexing.sync.changes import Changes
from indexing.sync.generations import RACY_NS, FileRecord, Generation, Manifest
from indexing.sync.report import SyncProgress, SyncReport
from indexing.sync.sources import Sources
from workbench.errors import IndexUnavailableError, WorkbenchError, reason_of
from workbench.memory.names import RelPath
from workbench.workspace.layout import MemoryFile

COMPACT_ALWAYS = 2_000
COMPACT_SHARE = 0.05
"""Smaller indexes are rewritten after every deletion, larger ones from this share of deleted entries on.

Rewriting takes about 70 µs of the processor for each entry that there is; below this share, scores are off by
less than 1 % on average and the first hit stays the first (299 of 300 questions, 50,000 entries). It is so
little because no entry is counted over and over: a file that is edited again is in a small segment, which
goes as a whole.
"""

_FILES_A_REPORT = 50


def index_words(
    sources: Sources,
    generation: Generation,
    manifest: Manifest,
    changes: Changes,
    before: int,
    report: SyncReport,
    progress: Callable[[SyncProgress], None],
    *,
    unsure: Iterable[str] = (),
    whole: bool = True,
) -> None:
    """Make the words of ``generation`` and its books say what ``changes`` says.

    ``before`` is when the files were looked at, in nanoseconds; ``unsure`` names files that an unfinished
    sync may have touched; ``whole``: all files were looked at, not only some. Raises IndexUnavailableError
    when the store fails or its count does not come out, and OSError.
    """
    _Words(sources, manifest, before, report).run(generation, changes, progress, unsure)
    if whole:
        manifest.synced_ns = before
    _finish(generation, manifest)


def compact_words(generation: Generation, manifest: Manifest) -> bool:
    """Rewrite the words where deleted entries would show in the scores; whether that was done.

    Raises IndexUnavailableError and OSError.
    """
    share = deleted_share(generation.lexical)
    if not share or (manifest.entries > COMPACT_ALWAYS and share < COMPACT_SHARE):
        return False
    generation.announce(())
    writer = LexicalWriter(generation.lexical)
    try:
        writer.compact()
    finally:
        writer.close()
    _finish(generation, manifest)
    return True


def _finish(generation: Generation, manifest: Manifest) -> None:
    manifest.shapes["lexical"] = shape(generation.lexical)
    generation.write_manifest(manifest)
    generation.finish()


class _Words:
    def __init__(self, sources: Sources, manifest: Manifest, before: int, report: SyncReport) -> None:
        self._sources = sources
        self._manifest = manifest
        self._before = before
        self._report = report

    def run(
        self,
        generation: Generation,
        changes: Changes,
        progress: Callable[[SyncProgress], None],
        unsure: Iterable[str],
    ) -> None:
        manifest = self._manifest
        due = {**changes.added, **changes.changed}
        gone = [*changes.removed, *(RelPath(path) for path in unsure if path not in manifest.files)]
        generation.announce([*due, *gone])
        writer = LexicalWriter(generation.lexical)
        try:
            for path in gone:
                if path not in due:
                    writer.replace(path, ())
                    self._drop(path)
            for number, file in enumerate(due.values()):
                if number % _FILES_A_REPORT == 0:
                    progress(SyncProgress("words", number, len(due)))
                self._index_file(writer, file)
            writer.commit()
            if writer.count() != manifest.entries:
                raise IndexUnavailableError("the word index did not match its books")
        finally:
            writer.close()
        progress(SyncProgress("words", len(due), len(due)))
        manifest.shapes.pop("vectors", None)

    def _index_file(self, writer: LexicalWriter, file: MemoryFile) -> None:
        manifest = self._manifest
        try:
            loaded = self._sources.load(file.path, file.size)
        except (OSError, WorkbenchError) as error:
            self._failed(file.path, reason_of(error), known=file.path in manifest.files)
            return
        document = loaded.document
        size = loaded.size if loaded.tail else file.size
        racy = file.ctime_ns > self._before - RACY_NS
        stamp = Stamp(size, file.ctime_ns, file.inode, loaded.sha256, racy)
        writer.replace(file.path, stored_entries(document, stamp))
        old = manifest.files.get(file.path)
        self._report.entries_removed += old.entries if old else 0
        self._report.entries_added += len(document.entries)
        if old is not None and file.path not in manifest.leftover:
            manifest.leftover.append(file.path)
        if loaded.bad:
            self._report.bad_lines[file.path] = loaded.bad
        manifest.files[file.path] = FileRecord(
            size,
            file.ctime_ns,
            file.inode,
            loaded.sha256,
            len(document.entries),
            lines=loaded.lines,
            tail=loaded.tail,
        )

    def _failed(self, path: RelPath, why: str, *, known: bool) -> None:
        """A file that cannot be read now keeps what was indexed of it, and is tried again next time."""
        self._report.failed[path] = why
        if known:
            self._report.changed -= 1
        else:
            self._report.added -= 1

    def _drop(self, path: RelPath) -> None:
        record = self._manifest.files.pop(path, None)
        self._report.entries_removed += record.entries if record else 0
        if path not in self._manifest.leftover:
            self._manifest.leftover.append(path)
