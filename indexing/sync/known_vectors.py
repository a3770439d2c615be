"""Vectors of texts that were computed for the index: read from its cache, without model and engine."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from indexing.embedding.cache import EmbeddingCache
from indexing.engine_errors import RefusedError
from indexing.sync.generations import CACHE_FILE, Generations
from workbench.workspace.layout import STATE_DIR
from workbench.workspace.workspace import Workspace


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
