"""Giving entries their vectors: from the cache first, then from the model, in batches of files."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from indexing.document import NEIGHBOURS, Stored, entry_key, file_key, kind_code
from indexing.embedding.cache import EmbeddingCache
from indexing.embedding.port import Distant, Narrator, portions
from indexing.lexical.reader import LexicalReader
from indexing.sync.generations import CONTEXT_WEIGHT, Generation, Manifest
from indexing.sync.report import SyncProgress, SyncReport
from indexing.vectors import Rows, VectorWriter
from workbench.errors import IndexUnavailableError, ModelUnavailableError
from workbench.memory.names import RelPath

if TYPE_CHECKING:
    from indexing.embedding.port import Embedder, Vectors

BATCH_ENTRIES = 4_096
_TEXTS_A_STEP = 512


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
    cache = EmbeddingCache(cache_path)
    try:
        _Fill(generation, manifest, embedder, cache, report, progress).run()
    finally:
        cache.close()
        if isinstance(embedder, Narrator):
            report.notes += [note for note in embedder.notes if note not in report.notes]


class _Fill:
    def __init__(
        self,
        generation: Generation,
        manifest: Manifest,
        embedder: Embedder,
        cache: EmbeddingCache,
        report: SyncReport,
        progress: Callable[[SyncProgress], None],
    ) -> None:
        self._generation = generation
        self._manifest = manifest
        self._embedder = embedder
        self._cache = cache
        self._report = report
        self._progress = progress
        self._words = LexicalReader(generation.lexical).snapshot()
        self._ended: ModelUnavailableError | None = None
        self._dimension = self._known_dimension()
        self._writer = VectorWriter(generation.vectors, self._dimension)
        self._total = manifest.entries
        self._embedded = manifest.entries - manifest.pending  # a run that was stopped goes on where it was

    def run(self) -> None:
        manifest = self._manifest
        if manifest.leftover:
            self._writer.replace([file_key(path) for path in manifest.leftover], None)
            manifest.leftover.clear()
        manifest.model, manifest.dimension = self._embedder.identity, self._dimension
        self._generation.write_model(self._embedder.identity)
        for paths in self._batches():
            self._store(paths)
        if self._ended is not None:
            raise self._ended
        self._writer.build_index()
        if self._writer.count() != manifest.entries - manifest.lacking:
            raise IndexUnavailableError("the vectors do not match the entries")

    def _known_dimension(self) -> int:
        """Numbers in a vector: as in the index at hand, else as the model says, else as in the cache."""
        manifest, embedder = self._manifest, self._embedder
        if not isinstance(embedder, Distant):
            return embedder.dimension
        found = manifest.dimension if manifest.model == embedder.identity else 0
        if not found:
            try:
                embedder.probe()
                found = embedder.dimension
            except ModelUnavailableError:
                found = self._cache.dimension(embedder.identity)
                if not found:
                    raise
        embedder.expect(found)
        return found

    def _batches(self) -> Iterator[list[RelPath]]:
        batch: list[RelPath] = []
        size = 0
        for path, record in self._manifest.files.items():
            if record.vectors:
                continue
            batch.append(path)
            size += record.entries
            if size >= BATCH_ENTRIES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def _store(self, paths: list[RelPath]) -> None:
        expected = sum(self._manifest.files[path].entries for path in paths)
        entries = self._words.under(paths, expected)
        if len(entries) != expected:
            raise IndexUnavailableError("the word index does not match its books")
        vectors = _Texts(entries)
        self._embed(vectors)
        left = vectors.open()
        done = [path for path in paths if path not in left]
        if done:
            self._write(done, [entry for entry in entries if entry.path not in left], vectors)
            self._generation.write_manifest(self._manifest)

    def _write(self, paths: list[RelPath], entries: list[Stored], texts: _Texts) -> None:
        keys = [file_key(path) for path in paths]
        lacking = Counter(entry.path for entry in entries if entry.text not in texts.known)
        if not entries:
            self._writer.replace(keys, None)
        else:
            vectors = with_context(texts.matrix(entries, self._dimension), sections(entries))
            at = [row for row, entry in enumerate(entries) if entry.text in texts.known]
            having = [entries[row] for row in at]
            rows = Rows(
                keys=[entry_key(entry.address) for entry in having],
                files=[file_key(entry.path) for entry in having],
                kinds=[kind_code(entry.kind) for entry in having],
                days=[entry.date.toordinal() if entry.date else 0 for entry in having],
                vectors=vectors[at],
            )
            self._writer.replace(keys, rows)
        for path in paths:
            self._manifest.files[path].vectors = 1 + lacking[path]
        for entry in entries:
            if entry.text in texts.failed:
                self._report.unembedded[entry.address] = texts.failed[entry.text]

    def _embed(self, texts: _Texts) -> None:
        """Find or make the vectors. Once the model gave up, what is in the cache is still found there."""
        identity = self._embedder.identity
        texts.known.update(self._cache.get(identity, texts.wanted, self._dimension))
        self._report.from_cache += len(texts.known)
        missing = [text for text in texts.wanted if text not in texts.known]
        missing.sort(key=len)  # a step holds texts of one length: less padding
        self._embedded += len(texts.entries) - len(missing)
        self._progress(SyncProgress("embed", self._embedded, self._total))
        if self._ended is not None:
            return
        try:
            for portion in portions(self._embedder, missing, step=_TEXTS_A_STEP):
                self._cache.put(identity, portion.vectors)
                texts.known.update(portion.vectors)
                texts.failed.update(portion.failed)
                self._report.embedded += len(portion.vectors)
                self._embedded += len(portion.vectors) + len(portion.failed)
                self._progress(SyncProgress("embed", self._embedded, self._total))
        except ModelUnavailableError as error:
            self._ended = error


class _Texts:
    """The texts of some entries, and what became of each."""

    def __init__(self, entries: list[Stored]) -> None:
        self.entries = entries
        self.wanted = list(dict.fromkeys(entry.text for entry in entries))
        self.known: dict[str, Vectors] = {}
        self.failed: dict[str, str] = {}

    def open(self) -> set[str]:
        """The files with texts of which nothing has become yet."""
        settled = self.known.keys() | self.failed.keys()
        return {entry.path for entry in self.entries if entry.text not in settled}

    def matrix(self, entries: list[Stored], dimension: int) -> Vectors:
        """(n, d): the vector of each entry's own text; zeros where there is none."""
        none = np.zeros(dimension, np.float32)
        return np.stack([self.known.get(entry.text, none) for entry in entries])


def sections(entries: list[Stored]) -> NDArray[np.int64]:
    """(n,) a number for each entry's file and heading: equal numbers are one section."""
    numbers: dict[tuple[str, tuple[str, ...]], int] = {}
    count = itertools.count()
    return np.array(
        [numbers.setdefault((entry.path, entry.heading), next(count)) for entry in entries], np.int64
    )


def with_context(texts: Vectors, section: NDArray[np.int64]) -> Vectors:
    """(n, d): ``normalise(text + w * sum(neighbours' texts))``, neighbours being of the same section."""
    out = texts.astype(np.float32, copy=True)
    for distance in range(1, min(NEIGHBOURS, len(texts) - 1) + 1):
        same = (section[distance:] == section[:-distance])[:, None] * np.float32(CONTEXT_WEIGHT)
        out[distance:] += same * texts[:-distance]
        out[:-distance] += same * texts[distance:]
    norms = np.linalg.norm(out, axis=1, keepdims=True)
    return np.asarray(out / np.maximum(norms, 1e-12), np.float32)
