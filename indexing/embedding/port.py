"""The port that every embedding model stands behind."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

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


def cache_dir() -> Path:
    """The per-user folder for what is made from models: ``WORKBENCH_CACHE``, else the system's place."""
    override = os.environ.get("WORKBENCH_CACHE")
    return Path(override) if override else platformdirs.user_cache_path("memory-workbench")
