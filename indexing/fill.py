"""Giving entries their vectors: from the cache first, then from the model, in batches of files."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from indexing.document import NEIGHBOURS, Stored, entry_key, file_key, kind_code
from indexing.embedding.cache import EmbeddingCache
from indexing.generations import Generation
from indexing.lexical.reader import LexicalReader
from indexing.manifest import CONTEXT_WEIGHT, Manifest
from indexing.report import Progress, Report
from indexing.vectors import Rows, VectorWriter
from workbench.errors import IndexUnavailableError
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
    report: Report,
    progress: Callable[[Progress], None],
) -> None:
    """Make vectors for every file of ``manifest`` that has none; the books are kept after each batch.

    Raises IndexUnavailableError when a store fails or its counts do not come out.
    """
    cache = EmbeddingCache(cache_path)
    try:
        _Fill(generation, manifest, embedder, cache, report, progress).run()
    finally:
        cache.close()


class _Fill:
    def __init__(
        self,
        generation: Generation,
        manifest: Manifest,
        embedder: Embedder,
        cache: EmbeddingCache,
        report: Report,
        progress: Callable[[Progress], None],
    ) -> None:
        self._generation = generation
        self._manifest = manifest
        self._embedder = embedder
        self._cache = cache
        self._report = report
        self._progress = progress
        self._words = LexicalReader(generation.lexical).snapshot()
        self._writer = VectorWriter(generation.vectors, embedder.dimension)
        self._total = manifest.pending
        self._embedded = 0
        self._stored = 0

    def run(self) -> None:
        manifest = self._manifest
        if manifest.leftover:
            self._writer.replace([file_key(path) for path in manifest.leftover], None)
            manifest.leftover.clear()
        manifest.model, manifest.dimension = self._embedder.identity, self._embedder.dimension
        self._generation.write_model(self._embedder.identity)
        for paths in self._batches():
            self._store(paths)
            for path in paths:
                manifest.files[path].vectors = True
            self._generation.write_manifest(manifest)
        self._writer.build_index()
        if self._writer.count() != manifest.entries:
            raise IndexUnavailableError("the vectors do not match the entries")

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
        keys = [file_key(path) for path in paths]
        if not entries:
            self._writer.replace(keys, None)
            return
        rows = Rows(
            keys=[entry_key(entry.address) for entry in entries],
            files=[file_key(entry.path) for entry in entries],
            kinds=[kind_code(entry.kind) for entry in entries],
            days=[entry.date.toordinal() if entry.date else 0 for entry in entries],
            vectors=with_context(self._texts(entries), sections(entries)),
        )
        self._writer.replace(keys, rows)
        self._stored += len(entries)
        self._progress(Progress("store", self._stored, self._total))

    def _texts(self, entries: list[Stored]) -> Vectors:
        """(n, d): the vector of each entry's own text."""
        identity, dimension = self._embedder.identity, self._embedder.dimension
        texts = [entry.text for entry in entries]
        known = self._cache.get(identity, list(dict.fromkeys(texts)), dimension)
        self._report.from_cache += len(known)
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        missing.sort(key=len)  # a step holds texts of one length: less padding
        done = len(entries) - len(missing)
        self._embedded += done
        self._progress(Progress("embed", self._embedded, self._total))
        for start in range(0, len(missing), _TEXTS_A_STEP):
            step = missing[start : start + _TEXTS_A_STEP]
            fresh = dict(zip(step, self._embedder.embed(step), strict=True))
            self._cache.put(identity, fresh)
            known.update(fresh)
            self._report.embedded += len(step)
            self._embedded += len(step)
            self._progress(Progress("embed", self._embedded, self._total))
        return np.stack([known[text] for text in texts])


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
