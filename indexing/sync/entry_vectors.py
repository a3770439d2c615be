"""The vectors of entries, made of those of texts: an entry's own, and its neighbours' with less weight.

Vectors of texts that were computed for the index: read from its cache, without model and engine.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from indexing.document import NEIGHBOURS, Stored
from indexing.embedding.cache import EmbeddingCache
from indexing.storage import RefusedError
from indexing.sync.generations import CACHE_FILE, CONTEXT_WEIGHT, Generations
from workbench.workspace.layout import STATE_DIR
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from indexing.embedding.port import EmbeddedBatch, Vectors


@dataclass(slots=True)
class TextVectors:
    """The (d,) vectors of texts by text, and why others have none."""

    known: dict[str, Vectors] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    def take(self, portion: EmbeddedBatch) -> None:
        """Take in what a model gave."""
        self.known.update(portion.vectors)
        self.failed.update(portion.failed)

    def of(self, entries: Sequence[Stored], dimension: int) -> Vectors:
        """(n, d): the vectors of ``entries``, each file's in its order; without a text's own, noise."""
        none = np.zeros(dimension, np.float32)
        own: list[Vectors] = [self.known.get(entry.text, none) for entry in entries]
        return with_context(np.stack(own), sections(entries))


def sections(entries: Sequence[Stored]) -> NDArray[np.int64]:
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


def known_vectors(workspace: Workspace, texts: Sequence[str]) -> dict[str, NDArray[np.float32]] | None:
    """The (d,) vectors of those of ``texts`` that are known, by text; None where the index has none."""
    path = workspace.root / STATE_DIR / CACHE_FILE
    try:
        current = Generations(workspace.root / STATE_DIR).current()
        manifest = current.manifest() if current else None
    except RefusedError:
        return None
    if manifest is None or manifest.model is None or not path.is_file():
        return None
    with closing(EmbeddingCache(path)) as cache:
        return cache.get(manifest.model, texts, manifest.dimension)
