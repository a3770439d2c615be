"""Text made fit for a model: what no tokenizer takes is left out; what is too long is cut and averaged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexing.embedding.port import Vectors


def clean(text: str) -> str:
    """``text`` without what no tokenizer takes: lone surrogates."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def fitting(text: str, count: Callable[[str], int], limit: int) -> list[tuple[str, int]]:
    """``text`` in parts of at most ``limit`` tokens, each with its number of tokens, in order."""
    tokens = count(text)
    if tokens <= limit or len(text) < 2:
        return [(text, tokens)]
    middle = len(text) // 2
    after = next((at for at in range(middle, len(text) - 1) if text[at].isspace()), None)
    before = next((at for at in range(middle, 0, -1) if text[at].isspace()), None)
    places = [place for place in (after, before) if place is not None]
    cut = min(places, key=lambda place: abs(place - middle), default=middle)
    return fitting(text[:cut], count, limit) + fitting(text[cut:], count, limit)


def averaged(parts: Vectors, owners: Sequence[int], weights: Sequence[int], total: int) -> Vectors:
    """(total, d): for each owner the mean of its parts by weight, of length 1 again."""
    import numpy as np  # noqa: PLC0415 - the port is imported where numpy is not wanted

    out = np.zeros((total, parts.shape[1]), np.float32)
    np.add.at(out, np.asarray(owners), parts * np.maximum(weights, 1).astype(np.float32)[:, None])
    norms = np.linalg.norm(out, axis=1, keepdims=True)
    return np.asarray(out / np.maximum(norms, 1e-12), np.float32)
