"""Claims that are nearly the same in other words, by the vectors that the index has of their texts.

No vector is computed for this: a text that the index does not know is compared by keyword only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from indexing.sync.entry_vectors import known_vectors
from workbench.memory.claims import (
    distinction,
)
from workbench.workspace.workspace import Workspace

SAME_MEANING = 0.9
"""Cosine from which two claims may be one."""
_BLOCK = 500


def alike_in_meaning(workspace: Workspace, texts: Mapping[str, str]) -> tuple[Sequence[tuple[str, str]], str]:
    """Pairs of claims whose ``texts``, as the index holds them, have a cosine of at least 0.9, by their keys,
    and what to tell of claims that could not be compared.

    Claims that differ in a number or a word that turns them round are no pair.
    """
    if len(texts) < 2:
        return (), ""
    vectors = known_vectors(workspace, list(set(texts.values())))
    if vectors is None:
        return (), "the index has no vectors: paraphrases were not merged"
    keys = [key for key, text in texts.items() if text in vectors]
    missing = len(texts) - len(keys)
    note = f"{missing:,} of {len(texts):,} claims have no vector, and were compared by keyword only"
    said = (distinction(texts[key]) for key in keys)
    kinds = np.array([hash((one.numbers, one.turns)) for one in said], np.int64)
    matrix = np.array([vectors[texts[key]] for key in keys], np.float32)
    pairs = [(keys[one], keys[other]) for one, other in _near(matrix, kinds)] if keys else []
    return pairs, note if missing else ""


def _near(matrix: NDArray[np.float32], kinds: NDArray[np.int64]) -> Iterator[Sequence[int]]:
    """The pairs of rows of one kind whose cosine is high enough, each once."""
    for start in range(0, len(matrix), _BLOCK):
        block = slice(start, start + _BLOCK)
        near = matrix[block] @ matrix[start:].T >= SAME_MEANING
        near &= kinds[block, None] == kinds[None, start:]
        yield from (np.argwhere(np.triu(near, k=1)) + start).tolist()
