"""The interface of every embedding model, and the splitting of texts into batches and windows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import platformdirs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_T = TypeVar("_T")
Vectors: TypeAlias = "NDArray[np.float32]"
TextVectors: TypeAlias = "dict[str, Vectors]"
"""The (d,) vectors of texts, by text."""
EmbeddedTexts: TypeAlias = "dict[str, Vectors | str]"
"""What became of each text: its (d,) vector, or in a few words why it has none."""


class Embedder:
    """A model that turns text into vectors. Safe to call from several threads.

    ``identity`` names the weights and everything else that shapes a vector; equal means interchangeable.
    ``dimension`` is the length of a vector, ``window`` are the word pieces that fit one run of the model, its
    marks included. ``notes`` are sentences for the person about what has happened so far.
    """

    identity: str
    dimension: int
    window: int
    notes: Sequence[str] = ()
    step: int = 512
    """Texts of a portion."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, dimension) float32, each row of length 1, in the order of ``texts``.

        A text longer than the window is embedded in windows and averaged, never cut.
        """
        raise NotImplementedError

    def portions(self, texts: Sequence[str]) -> Iterator[EmbeddedTexts]:
        """What becomes of different ``texts``, in any order and in portions, as they come.

        Raises ModelUnavailableError when no more will come; what came before is sound.
        """
        at = 0
        while some := texts[at : at + self.step]:
            yield dict(zip(some, self.embed(some), strict=True))
            at += len(some)

    def expect(self, dimension: int) -> None:
        """Refuse vectors of another length: a model that somebody else runs may change under its name."""

    def probe(self) -> None:
        """Ask for one vector, whatever is known already. Raises ModelUnavailableError."""

    def close(self) -> None:
        """Let connections go."""


def vectors_among(texts: EmbeddedTexts) -> TextVectors:
    """The vectors of those texts that have one."""
    return {text: row for text, row in texts.items() if not isinstance(row, str)}


def cache_dir() -> Path:
    """The per-user folder for what is made from models: ``WORKBENCH_CACHE``, else the system's place."""
    override = os.environ.get("WORKBENCH_CACHE")
    return Path(override) if override else platformdirs.user_cache_path("memory-workbench")


def batches(items: Iterable[tuple[_T, int]], most: int, *, count: int = 0) -> Iterator[list[_T]]:
    """The items, each given with its size, in lists of ``most`` in all and of ``count`` items, 0: of any.

    What is larger by itself stands alone.
    """
    batch: list[_T] = []
    total = 0
    for item, size in items:
        if batch and (len(batch) == count or total + size > most):
            yield batch
            batch, total = [], 0
        batch.append(item)
        total += size
    if batch:
        yield batch


def fitting(text: str, count: Callable[[str], int], limit: int) -> list[tuple[str, int]]:
    """``text`` in parts of at most ``limit`` tokens, each with its number of tokens, in order."""
    tokens = count(text)
    if tokens <= limit or len(text) < 2:
        return [(text, tokens)]
    middle = len(text) // 2
    # Outwards from the middle, so that no level of the recursion reads more than it must.
    pairs = zip_longest(range(middle, len(text) - 1), range(middle, 0, -1), fillvalue=0)
    cut = next((at for pair in pairs for at in pair if at and text[at].isspace()), middle)
    return fitting(text[:cut], count, limit) + fitting(text[cut:], count, limit)


def in_windows(
    texts: Sequence[str], sizes: Sequence[int], count: Callable[[str], int], window: int
) -> tuple[list[str], list[int]]:
    """``texts``, of these sizes in tokens, in parts that fit ``window``; and whose each part is, by place."""
    parts: list[str] = []
    owners: list[int] = []
    for owner, (text, size) in enumerate(zip(texts, sizes, strict=True)):
        fit = [part for part, _ in fitting(text, count, window)] if size > window else [text]
        parts += fit
        owners += [owner] * len(fit)
    return parts, owners


def averaged(parts: Vectors, owners: Sequence[int], weights: Sequence[int], total: int) -> Vectors:
    """(total, d): for each owner the mean of its parts by weight, of length 1 again."""
    import numpy as np  # noqa: PLC0415 - this is imported where numpy is not wanted

    out = np.zeros((total, parts.shape[1]), np.float32)
    np.add.at(out, np.asarray(owners), parts * np.maximum(weights, 1).astype(np.float32)[:, None])
    norms = np.linalg.norm(out, axis=1, keepdims=True)
    return np.asarray(out / np.maximum(norms, 1e-12), np.float32)
