"""Vectors for entries that have none: from the cache first, then from the model, in batches of files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from indexing.document import Stored, file_key, kind_code
from indexing.embedding.cache import EmbeddingCache
from indexing.embedding.port import EmbeddedTexts, Embedder, batches, vectors_among
from indexing.lexical.index import LexicalReader
from indexing.sync.entry_vectors import vectors_of
from indexing.sync.generations import Generation, Manifest
from indexing.sync.report import SyncProgress, SyncReport
from indexing.vectors import Rows, VectorWriter
from workbench.errors import IndexUnavailableError, ModelUnavailableError
from workbench.memory.entry import RelPath

BATCH_ENTRIES = 4_096


def fill_vectors(
    generation: Generation,
    manifest: Manifest,
    embedder: Embedder,
    cache_path: Path,
    report: SyncReport,
    progress: Callable[[SyncProgress], None],
) -> None:
    """Make vectors for every file of ``manifest`` that has none; the books are kept after each batch.

    A text that no vector can be made of is left out and named in ``report``; its entry is found by words.
    Raises IndexUnavailableError when a store fails or its counts do not come out, and ModelUnavailableError
    when the model gives no more: what it gave is in the index and in the cache.
    """
    with closing(EmbeddingCache(cache_path)) as cache:
        words = LexicalReader(generation.lexical).snapshot()
        dimension = _known_dimension(manifest, embedder, cache)
        writer = VectorWriter(generation.vectors, dimension)
        if manifest.leftover:
            writer.replace([file_key(path) for path in manifest.leftover], None)
            manifest.leftover.clear()
        # A run that was stopped goes on where it was.
        run = _Run(embedder, cache, report, progress, manifest.entries, manifest.entries - manifest.pending)
        manifest.model, manifest.dimension = embedder.identity, dimension
        generation.write_model(embedder.identity)
        due = ((path, record.entries) for path, record in manifest.files.items() if not record.vectors)
        for paths in batches(due, BATCH_ENTRIES):
            expected = sum(manifest.files[path].entries for path in paths)
            entries = words.under(paths, expected)
            if len(entries) != expected:
                raise IndexUnavailableError("the keyword index does not match its manifest")
            texts = run.embedded(entries, dimension)
            left = {entry.path for entry in entries if entry.text not in texts}
            if done := [path for path in paths if path not in left]:
                _write(writer, manifest, done, [one for one in entries if one.path not in left], texts)
                report.unembedded.update(
                    {one.address: why for one in entries if isinstance(why := texts.get(one.text), str)}
                )
                generation.write_manifest(manifest)
        if run.ended is not None:
            raise run.ended
        writer.build_index()
        if writer.count() != manifest.entries - manifest.lacking:
            raise IndexUnavailableError("the vectors do not match the entries")


def _known_dimension(manifest: Manifest, embedder: Embedder, cache: EmbeddingCache) -> int:
    """Numbers in a vector: as in the index at hand, else as the model says, else as in the cache."""
    found = manifest.dimension if manifest.model == embedder.identity else 0
    if not found:
        try:
            embedder.probe()
            found = embedder.dimension
        except ModelUnavailableError:
            found = cache.dimension(embedder.identity)
            if not found:
                raise
    embedder.expect(found)
    return found


def _write(
    writer: VectorWriter,
    manifest: Manifest,
    paths: Sequence[RelPath],
    entries: Sequence[Stored],
    texts: EmbeddedTexts,
) -> None:
    """Make the vectors of ``entries`` all that there is of the files in ``paths``."""
    known = vectors_among(texts)
    rows = None
    if at := [row for row, entry in enumerate(entries) if entry.text in known]:
        having = [entries[row] for row in at]
        rows = Rows(
            keys=[entry.key for entry in having],
            files=[file_key(entry.path) for entry in having],
            kinds=[kind_code(entry.kind) for entry in having],
            days=[entry.day for entry in having],
            vectors=vectors_of(entries, known, manifest.dimension)[at],
        )
    writer.replace([file_key(path) for path in paths], rows)
    lacking = Counter(entry.path for entry in entries if entry.text not in known)
    for path in paths:
        manifest.files[path].vectors = 1 + lacking[path]


@dataclass(slots=True)
class _Run:
    """Where the texts of one run get their vectors. ``done`` of ``total`` entries have one.

    ``ended`` is why the model gives no more; what is in the cache is still found there.
    """

    embedder: Embedder
    cache: EmbeddingCache
    report: SyncReport
    progress: Callable[[SyncProgress], None]
    total: int
    done: int
    ended: ModelUnavailableError | None = None

    def embedded(self, entries: Sequence[Stored], dimension: int) -> EmbeddedTexts:
        """The vectors of the texts of ``entries``, and why others have none."""
        identity = self.embedder.identity
        wanted = list(dict.fromkeys(entry.text for entry in entries))
        texts: EmbeddedTexts = {**self.cache.get(identity, wanted, dimension)}
        self.report.from_cache += len(texts)
        missing = [text for text in wanted if text not in texts]
        missing.sort(key=len)  # texts of one length go together: less padding
        self._tell(len(entries) - len(missing))
        if self.ended is not None:
            return texts
        try:
            for portion in self.embedder.portions(missing):
                vectors = vectors_among(portion)
                self.cache.put(identity, vectors)
                texts |= portion
                self.report.embedded += len(vectors)
                self._tell(len(portion))
        except ModelUnavailableError as error:
            self.ended = error
        return texts

    def _tell(self, more: int) -> None:
        self.done += more
        self.progress(SyncProgress("embed", self.done, self.total))
