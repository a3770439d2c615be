"""Vectors of texts that were computed for the index: read from its cache, without model and engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexing.embedding.cache import EmbeddingCache
from indexing.engines import RefusedError
from indexing.sync.generations import CACHE_FILE, Generations
from workbench.workspace.layout import STATE_DIR
from workbench.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class KnownVectors:
    """The vectors of one model, of ``dimension`` numbers each; to be closed."""

    model: str
    dimension: int
    _cache: EmbeddingCache

    def of(self, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The (d,) vectors of those of ``texts`` that are known, by text."""
        return self._cache.get(self.model, texts, self.dimension)

    def close(self) -> None:
        """Let the file go."""
        self._cache.close()


def open_known(workspace: Workspace) -> KnownVectors | None:
    """The vectors that the index of ``workspace`` was made of; None where there are none."""
    path = workspace.root / STATE_DIR / CACHE_FILE
    try:
        current = Generations(workspace.root / STATE_DIR).current()
        manifest = current.manifest() if current else None
    except RefusedError:
        return None
    if manifest is None or manifest.model is None or not path.is_file():
        return None
    return KnownVectors(manifest.model, manifest.dimension, EmbeddingCache(path))
