"""Giving entries their words: all files that changed in one commit, announced before, in the books after."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from indexing.changes import Changes, reason, sha256
from indexing.document import Stamp, stored_entries
from indexing.generations import Generation
from indexing.lexical.writer import LexicalWriter, deleted_share
from indexing.manifest import RACY_NS, FileRecord, Manifest
from indexing.report import Progress, Report
from indexing.storage import shape
from workbench.errors import IndexUnavailableError, WorkbenchError
from workbench.memory.markdown import parse_document
from workbench.memory.names import RelPath
from workbench.workspace.layout import MemoryFile
from workbench.workspace.workspace import Workspace

COMPACT_ALWAYS = 5_000
COMPACT_SHARE = 0.01
"""Smaller indexes are rewritten after every deletion, larger ones from this share of deleted entries on."""

_FILES_A_REPORT = 50


def index_words(
    workspace: Workspace,
    generation: Generation,
    manifest: Manifest,
    changes: Changes,
    before: int,
    report: Report,
    progress: Callable[[Progress], None],
    *,
    unsure: Iterable[str] = (),
) -> None:
    """Make the words of ``generation`` and its books say what ``changes`` says.

    ``before`` is when the files were looked at, in nanoseconds; ``unsure`` names files that an unfinished
    sync may have touched. Raises IndexUnavailableError when the store fails or its count does not come
    out, and OSError.
    """
    _Words(workspace, manifest, before, report).run(generation, changes, progress, unsure)


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
    def __init__(self, workspace: Workspace, manifest: Manifest, before: int, report: Report) -> None:
        self._workspace = workspace
        self._manifest = manifest
        self._before = before
        self._report = report

    def run(
        self,
        generation: Generation,
        changes: Changes,
        progress: Callable[[Progress], None],
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
                    progress(Progress("words", number, len(due)))
                self._index_file(writer, file)
            writer.commit()
            if writer.count() != manifest.entries:
                raise IndexUnavailableError("the word index did not match its books")
        finally:
            writer.close()
        progress(Progress("words", len(due), len(due)))
        manifest.synced_ns = self._before
        manifest.shapes.pop("vectors", None)
        _finish(generation, manifest)

    def _index_file(self, writer: LexicalWriter, file: MemoryFile) -> None:
        manifest = self._manifest
        try:
            data = self._workspace.read(file.path)
            document = parse_document(file.path, data, file.kind)
        except (OSError, WorkbenchError) as error:
            self._failed(file.path, reason(error), known=file.path in manifest.files)
            return
        digest = sha256(data)
        racy = file.ctime_ns > self._before - RACY_NS
        stamp = Stamp(file.size, file.ctime_ns, file.inode, digest, racy)
        writer.replace(file.path, stored_entries(document, stamp))
        old = manifest.files.get(file.path)
        self._report.entries_removed += old.entries if old else 0
        self._report.entries_added += len(document.entries)
        if old is not None and file.path not in manifest.leftover:
            manifest.leftover.append(file.path)
        manifest.files[file.path] = FileRecord(
            file.size, file.ctime_ns, file.inode, digest, len(document.entries)
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
