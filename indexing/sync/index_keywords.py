"""Giving entries their words: all files that changed in one commit, announced before, in the books after."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing

from indexing.document import Stamp, stored_entries
from indexing.lexical.writer import LexicalWriter, deleted_share
from indexing.storage import shape
from indexing.sync.changes import Changes
from indexing.sync.generations import RACY_NS, FileRecord, Generation, Manifest
from indexing.sync.report import SyncProgress, SyncReport
from indexing.sync.sources import Sources
from workbench.errors import IndexUnavailableError, WorkbenchError, reason_of
from workbench.memory.names import RelPath

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
    due = {**changes.added, **changes.changed}
    touched = [*changes.removed, *(RelPath(path) for path in unsure if path not in manifest.files)]
    gone = [path for path in touched if path not in due]
    generation.announce([*due, *gone])
    with closing(LexicalWriter(generation.lexical)) as writer:
        for path in gone:
            writer.replace(path, ())
            _forget(path, manifest, report)
        for number, file in enumerate(due.values()):
            if number % _FILES_A_REPORT == 0:
                progress(SyncProgress("words", number, len(due)))
            try:
                loaded = sources.load(file.path, file.size)
            except (OSError, WorkbenchError) as error:
                # It keeps what was indexed of it, and is tried again next time.
                report.failed[file.path] = reason_of(error)
                report.changed -= file.path in manifest.files
                report.added -= file.path not in manifest.files
                continue
            size = loaded.size if loaded.tail else file.size
            racy = file.ctime_ns > before - RACY_NS
            stamp = Stamp(size, file.ctime_ns, file.inode, loaded.sha256, racy)
            writer.replace(file.path, stored_entries(loaded.document, stamp))
            _forget(file.path, manifest, report)
            entries = len(loaded.document.entries)
            report.entries_added += entries
            if loaded.bad:
                report.bad_lines[file.path] = loaded.bad
            manifest.files[file.path] = FileRecord(
                size,
                file.ctime_ns,
                file.inode,
                loaded.sha256,
                entries,
                lines=loaded.lines,
                tail=loaded.tail,
                read_as=sources.read_as(file),
            )
        writer.commit()
        if writer.count() != manifest.entries:
            raise IndexUnavailableError("the word index did not match its books")
    progress(SyncProgress("words", len(due), len(due)))
    manifest.shapes.pop("vectors", None)
    if whole:
        manifest.synced_ns = before
    _finish(generation, manifest)


def _forget(path: RelPath, manifest: Manifest, report: SyncReport) -> None:
    """Take a file out of the books; its vectors are still to be removed."""
    if record := manifest.files.pop(path, None):
        report.entries_removed += record.entries
        if path not in manifest.leftover:
            manifest.leftover.append(path)


def compact_words(generation: Generation, manifest: Manifest) -> bool:
    """Rewrite the words where deleted entries would show in the scores; whether that was done.

    Raises IndexUnavailableError and OSError.
    """
    share = deleted_share(generation.lexical)
    if not share or (manifest.entries > COMPACT_ALWAYS and share < COMPACT_SHARE):
        return False
    generation.announce(())
    with closing(LexicalWriter(generation.lexical)) as writer:
        writer.compact()
    _finish(generation, manifest)
    return True


def _finish(generation: Generation, manifest: Manifest) -> None:
    manifest.shapes["lexical"] = shape(generation.lexical)
    generation.write_manifest(manifest)
    generation.finish()
