"""The port that every embedding model stands behind, and what all of them do to texts beforehand."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

import platformdirs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]


class Embedder(Protocol):
    """A model that turns text into vectors. Safe to call from several threads."""

    @property
    def identity(self) -> str:
        """Names the weights and everything else that shapes a vector; equal means interchangeable."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    @property
    def window(self) -> int:
        """Word pieces that fit one run of the model, its marks included."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, dimension) float32, each row of length 1, in the order of ``texts``.

        A text longer than the window is embedded in windows and averaged, never cut.
        """


@dataclass(frozen=True, slots=True)
class Portion:
    """Some of many texts: the (d,) vectors of those that have one, and for the others why they have none."""

    vectors: Mapping[str, Vectors]
    failed: Mapping[str, str] = field(default_factory=dict)


@runtime_checkable
class BulkEmbedder(Embedder, Protocol):
    """An embedder that divides many texts by itself."""

    def portions(self, texts: Sequence[str]) -> Iterator[Portion]:
        """Vectors of different ``texts``, in any order and in portions, as they come.

        Raises ModelUnavailableError when no more will come; what came before is sound.
        """


@runtime_checkable
class Narrator(Protocol):
    """An embedder that has something to say to the person."""

    @property
    def notes(self) -> Sequence[str]:
        """What has happened so far, each a sentence."""


@runtime_checkable
class Distant(Protocol):
    """An embedder that somebody else runs, who may change the model under its name."""

    def expect(self, dimension: int) -> None:
        """Refuse vectors of another length from now on."""

    def probe(self) -> None:
        """Ask for one vector, whatever is known already. Raises ModelUnavailableError."""


@runtime_checkable
class Closable(Protocol):
    """An embedder that holds connections."""

    def close(self) -> None:
        """Let them go."""


def portions(embedder: Embedder, texts: Sequence[str], *, step: int) -> Iterator[Portion]:
    """Vectors of different ``texts``, ``step`` at a time where the embedder does not divide them itself."""
    if isinstance(embedder, BulkEmbedder):
        yield from embedder.portions(texts)
        return
    for start in range(0, len(texts), step):
        some = texts[start : start + step]
        yield Portion(dict(zip(some, embedder.embed(some), strict=True)))


def cache_dir() -> Path:
    """The per-user folder for what is made from models: ``WORKBENCH_CACHE``, else the system's place."""
    override = os.environ.get("WORKBENCH_CACHE")
    return Path(override) if override else platformdirs.user_cache_path("memory-workbench")


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
    import numpy as np  # noqa: PLC0415 - this is imported where numpy is not wanted

    out = np.zeros((total, parts.shape[1]), np.float32)
    np.add.at(out, np.asarray(owners), parts * np.maximum(weights, 1).astype(np.float32)[:, None])
    norms = np.linalg.norm(out, axis=1, keepdims=True)
    return np.asarray(out / np.maximum(norms, 1e-12), np.float32)
