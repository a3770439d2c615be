"""Which of the vectors that came back can be used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from indexing.embedding.port import Vectors

MOST_DIMENSIONS = 65_536


def read_rows(rows: Sequence[Any]) -> list[Vectors | str]:
    """For each row a (d,) float32 vector of length 1, or in a few words why it is none."""
    return [_read(row) for row in rows]


def _read(row: Any) -> Vectors | str:
    try:
        if isinstance(row, bytes):
            vector = np.frombuffer(row, "<f4").astype(np.float64)
        elif isinstance(row, list) and not any(isinstance(value, str) for value in row):
            vector = np.asarray(row, np.float64)
        else:
            return "no vector came"
    except (TypeError, ValueError, OverflowError):
        return "what came is no vector of numbers"
    if vector.ndim != 1 or not 0 < len(vector) <= MOST_DIMENSIONS:
        return "what came is no vector of numbers"
    if not np.isfinite(vector).all():
        return "its vector holds a number that is none"
    largest = float(np.abs(vector).max())
    if not largest > 0.0:
        return "its vector is zero"
    vector = vector / largest  # numbers near the ends of the range must not vanish when squared
    return np.asarray(vector / np.linalg.norm(vector), np.float32)
