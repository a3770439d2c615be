"""Vectors of entries: that of an entry's text and, with less weight, those of its neighbours' texts."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from indexing.document import NEIGHBOURS, Stored
from indexing.embedding.cache import EmbeddingCache
from indexing.embedding.port import TextVectors, Vectors
from indexing.storage import RefusedError
from indexing.sync.generations import CACHE_FILE, CONTEXT_WEIGHT, Generations
from workbench.workspace.workspace import Workspace


def vectors_of(entries: Sequence[Stored], texts: Mapping[str, Vectors], dimension: int) -> Vectors:
    """(n, d): the vectors of ``entries``, which stand file by file in their order, made from ``texts``.

    The row of an entry whose text has no vector is noise.
    """
    none = np.zeros(dimension, np.float32)
    return with_context(np.stack([texts.get(entry.text, none) for entry in entries]), sections(entries))


def sections(entries: Sequence[Stored]) -> NDArray[np.int64]:
    """(n,) a number for each entry's file and heading: equal numbers are one section."""
    numbers: dict[tuple[str, tuple[str, ...]], int] = {}
    count = itertools.count()
    return np.array(
        [numbers.setdefault((entry.path, entry.heading), next(count)) for entry in entries], np.int64
    )


def with_context(texts: Vectors, section: NDArray[np.int64]) -> Vectors:
    """(n, d): ``normalise(text + w * sum(neighbours' texts))``; neighbours have the same ``section``."""
    out = texts.astype(np.float32, copy=True)
    for distance in range(1, min(NEIGHBOURS, len(texts) - 1) + 1):
        same = (section[distance:] == section[:-distance])[:, None] * np.float32(CONTEXT_WEIGHT)
        out[distance:] += same * texts[:-distance]
        out[:-distance] += same * texts[distance:]
    norms = np.linalg.norm(out, axis=1, keepdims=True)
    return np.asarray(out / np.maximum(norms, 1e-12), np.float32)


def known_vectors(workspace: Workspace, texts: Sequence[str]) -> TextVectors | None:
    """The (d,) vectors of ``texts`` that the index has cached, by text; None where it has no vectors.

    Opens neither a model nor LanceDB.
    """
    path = workspace.state_path / CACHE_FILE
    try:
        current = Generations(workspace.state_path).current()
        manifest = current.manifest() if current else None
    except RefusedError:
        return None
    if manifest is None or manifest.model is None or not path.is_file():
        return None
    with closing(EmbeddingCache(path)) as cache:
        return cache.get(manifest.model, texts, manifest.dimension)
