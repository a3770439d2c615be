"""The texts of entries that are to have vectors: as the index holds them, or as they stand on the disk."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator

from indexing.embedding.choice import ModelChoice
from indexing.lexical.reader import LexicalReader
from indexing.sync.changes import Changes
from indexing.sync.generations import Generation
from indexing.sync.manifest import Manifest
from indexing.sync.sources import Sources
from workbench.errors import IndexUnavailableError, WorkbenchError
from workbench.memory.names import RelPath

_FILES_AT_ONCE = 256


def texts_due(
    sources: Sources, model: ModelChoice, current: Generation | None, manifest: Manifest, changes: Changes
) -> Iterator[str]:
    """The texts whose vectors a run would need: of files that changed, or that wait for theirs."""
    due = {**changes.added, **changes.changed}
    gone = due.keys() | set(changes.removed)
    anew = manifest.model not in (None, model.identity)
    known = (path for path, record in manifest.files.items() if anew or not record.vectors)
    waiting = [path for path in known if path not in gone]
    if current is not None and waiting:
        yield from texts_indexed(sources, current, manifest, waiting)
    yield from _texts_on_disk(sources, due)


def texts_indexed(
    sources: Sources, generation: Generation, manifest: Manifest, paths: Collection[RelPath]
) -> Iterator[str]:
    """The texts of those files as the index has them, or as they are where it is damaged."""
    try:
        yield from texts_of(generation, manifest, paths)
    except IndexUnavailableError:
        yield from _texts_on_disk(sources, paths)


def texts_of(generation: Generation, manifest: Manifest, paths: Iterable[RelPath]) -> Iterator[str]:
    """The texts of the entries of those files, as the word index holds them. Raises IndexUnavailableError."""
    words = LexicalReader(generation.lexical).snapshot()
    due = [path for path in paths if manifest.files[path].entries]
    for start in range(0, len(due), _FILES_AT_ONCE):
        some = due[start : start + _FILES_AT_ONCE]
        for entry in words.under(some, sum(manifest.files[path].entries for path in some)):
            yield entry.text


def _texts_on_disk(sources: Sources, paths: Iterable[RelPath]) -> Iterator[str]:
    for path in paths:
        with contextlib.suppress(OSError, WorkbenchError):  # a run would name what cannot be read
            yield from (entry.text for entry in sources.document(path).entries)
