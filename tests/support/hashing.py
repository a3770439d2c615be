"""A deterministic stand-in for a model, for tests that are about something else."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from indexing.embedding.choice import ModelChoice
from indexing.embedding.port import Embedder
from workbench.errors import ModelUnavailableError


class HashingEmbedder(Embedder):
    """Words to directions: texts that share words are near each other. ``texts`` holds what was asked."""

    def __init__(self, identity: str = "hashing@1", dimension: int = 64) -> None:
        self.identity = identity
        self.dimension = dimension
        self.window = 256
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See ``Embedder``."""
        self.texts += texts
        out = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            for word in re.findall(r"\w+", text.lower()) or ["nothing"]:
                digest = hashlib.blake2b(word.encode(), digest_size=4).digest()
                out[row, int.from_bytes(digest[:2]) % self.dimension] += 1.0 if digest[2] % 2 else -1.0
            out[row, 0] += 0.01
        norms = np.linalg.norm(out, axis=1, keepdims=True)
        return np.asarray(out / np.maximum(norms, 1e-9), np.float32)

    @property
    def choice(self) -> ModelChoice:
        """This embedder as what the settings choose."""
        return ModelChoice(self.identity, lambda: self)


def unavailable() -> ModelChoice:
    """A model that turns out not to open."""

    def fail() -> HashingEmbedder:
        raise ModelUnavailableError("the model is broken")

    return ModelChoice("broken@1", fail)
