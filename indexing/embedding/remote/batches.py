"""Texts in requests of a bounded size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

MOST_TOKENS = 100_000
"""Tokens in one request, by an estimate from above; OpenAI takes 300,000."""


def batches(
    texts: Iterable[tuple[str, int]], *, count: int, tokens: int = MOST_TOKENS
) -> Iterator[list[str]]:
    """The texts, each given with its tokens, in lists of at most ``count`` and of ``tokens`` in all.

    A text that is larger by itself stands alone.
    """
    batch: list[str] = []
    size = 0
    for text, long in texts:
        if batch and (len(batch) == count or size + long > tokens):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += long
    if batch:
        yield batch
