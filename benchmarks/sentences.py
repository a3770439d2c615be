"""Vectors that lie as those of a memory do: of real sentences, mixed with those beside them.

The sentences are those of the documentation in the Python packages that are installed, embedded by the
model. There are too few of them for a million entries, and embedding a million takes hours: an entry's vector
is that of one sentence with half of another from nearby. What a sync adds of its neighbours comes on top.
"""

from __future__ import annotations

import ast
import random
import re
import site
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexing.embedding.port import Embedder

_LARGEST = 400_000
_FAR = 50
_BETWEEN = 6  # entries that stand under one heading, see make_workspace


def sentences(count: int) -> list[str]:
    """``count`` different sentences of prose, those of one file together; the same on every run."""
    files = sorted(Path(site.getsitepackages()[0]).rglob("*.py"))
    random.Random(1).shuffle(files)
    found: dict[str, None] = {}
    for path in files:
        found.update(dict.fromkeys(_prose(path)))
        if len(found) >= count:
            break
    return list(found)[:count]


def _prose(path: Path) -> Iterator[str]:
    if path.stat().st_size > _LARGEST:
        return
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
            for paragraph in re.split(r"\n\s*\n", ast.get_docstring(node) or ""):
                said = " ".join(paragraph.split())
                letters = sum(char.isalpha() or char == " " for char in said)
                if 40 < len(said) < 300 and letters > 0.9 * len(said) and said.count(" ") > 6:
                    yield said


class MixedEmbedder(Embedder):
    """An ``Embedder`` that passes as ``real``. Questions get the vector of a sentence that no entry has."""

    def __init__(self, real: Embedder, texts: Sequence[str], *, pool: int, questions: int) -> None:
        self.identity, self.dimension, self.window = real.identity, real.dimension, real.window
        known = _vectors(real, pool + questions)
        at = np.random.default_rng(1).permutation(len(known))
        self.questions = known[at[:questions]]
        self._pool = known[np.sort(at[questions:])]
        self._number = {text: number for number, text in enumerate(texts)}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See ``Embedder``: by where the sentence of an entry stands in the workspace."""
        numbers = np.array([self._number.get(_sentence(text), len(text)) for text in texts], np.int64)
        section = numbers // _BETWEEN
        chance = np.random.default_rng(section[:1])
        first = section * 7_919 + numbers % _BETWEEN  # sections lie apart, their entries side by side
        second = first + chance.integers(1, _FAR, len(texts))
        mixed = self._pool[first % len(self._pool)] + 0.5 * self._pool[second % len(self._pool)]
        return np.asarray(mixed / np.linalg.norm(mixed, axis=1, keepdims=True), np.float32)


@cache
def _vectors(real: Embedder, count: int) -> NDArray[np.float32]:
    """(count, d) those of the sentences: made once for all sizes of a run."""
    return np.asarray(real.embed(sentences(count)))


def _sentence(text: str) -> str:
    return text.rpartition(":** ")[2].removeprefix("- ")
