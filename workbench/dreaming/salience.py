"""Salience: how likely a line of a log is worth keeping for months, by a model fitted to labelled lines.

Two logistic regressions, one upon the other. The first knows hashed n-grams of words and characters, fitted
to collections that this project wrote; the second its answer and some plain counts, of a line's form and of
words by what they signal. `python -m benchmarks.salience --train` makes both, and writes the two files
beside this module.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from workbench.dreaming.features import BUCKETS, NAMES, Features, Grams, Line, features_of, word_grams

WEIGHTS_FILE, MODEL_FILE = "salience.npy", "salience.json"
BATCH = 200
"""Lines whose n-grams are in memory at the same time."""
_CLIP = 3.0
"""Deviations from the mean that a count is worth at most."""
_NAMED = 3
_LEAST_NAMED = 0.05
_LEAST_LETTERS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Salience:
    """The fitted weights. ``grams`` are (2^18,) int8 in steps of ``step``, the others in order of ``NAMES``.

    ``weights`` has one more than there are counts: what the answer of the n-grams weighs. ``floor`` is the
    score from which a line is worth proposing.
    """

    grams: NDArray[np.int8]
    step: float
    gram_bias: float
    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]
    weights: NDArray[np.float64]
    bias: float
    floor: float

    def logits(self, lines: Sequence[Line]) -> NDArray[np.float64]:
        """(n,) the log odds that each line is worth keeping."""
        parts = [
            self.of_features(features_of(some))
            for some in (lines[at : at + BATCH] for at in range(0, len(lines), BATCH))
        ]
        return np.concatenate(parts) if parts else np.zeros(0)

    def gram_logits(self, grams: Grams) -> NDArray[np.float64]:
        """(n,) what the n-grams alone say."""
        return grams.weighed(self.grams.astype(np.float32) * self.step) + self.gram_bias

    def of_features(self, features: Features) -> NDArray[np.float64]:
        """(n,) the log odds of lines whose features are known."""
        sums: NDArray[np.float64] = self.standardised(features.counts) @ self.weights[:-1]
        sums += self.weights[-1] * self.gram_logits(features.grams) + self.bias
        return sums

    def standardised(self, counts: NDArray[np.float32]) -> NDArray[np.float64]:
        """(n, 45) the counts in deviations from their means."""
        return np.clip((counts - self.mean) / self.deviation, -_CLIP, _CLIP)

    def reasons(self, line: Line) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What speaks for a line and what against it, in words, what weighs most first."""
        counts = features_of([line]).counts
        shares = self.standardised(counts)[0] * self.weights[:-1]
        present = counts[0] > 0
        told = [
            (float(share), name)
            for share, name, is_there in zip(shares, NAMES, present, strict=True)
            if is_there
        ]
        told += [
            (float(self.weights[-1] * self.step * self.grams[bucket] * value), f"“{words}”")
            for words, bucket, value in word_grams(line)
            if len(words) >= _LEAST_LETTERS or not words.isascii()
        ]
        return (
            tuple(name for _, name in _most(told, sign=1)),
            tuple(name for _, name in _most(told, sign=-1)),
        )


def _most(told: Sequence[tuple[float, str]], *, sign: int) -> Iterator[tuple[float, str]]:
    strongest = sorted(((sign * share, name) for share, name in told), key=lambda one: (-one[0], one[1]))
    return ((share, name) for share, name in strongest[:_NAMED] if share >= _LEAST_NAMED)


def score_of(logit: float) -> float:
    """The probability in (0, 1) that belongs to log odds."""
    return float(1.0 / (1.0 + np.exp(-np.clip(logit, -30.0, 30.0))))


@functools.cache
def base_model() -> Salience:
    """The model of this package, which knows nothing of its owner yet."""
    folder = resources.files("workbench.dreaming")
    with resources.as_file(folder / WEIGHTS_FILE) as path:
        grams = np.load(path)
    said = json.loads((folder / MODEL_FILE).read_text(encoding="utf-8"))
    assert grams.shape == (BUCKETS,)
    counts = said["counts"]
    return Salience(
        grams=grams,
        step=said["step"],
        gram_bias=said["gram_bias"],
        mean=np.array([counts[name][0] for name in NAMES]),
        deviation=np.array([counts[name][1] for name in NAMES]),
        weights=np.array([*(counts[name][2] for name in NAMES), said["gram_weight"]]),
        bias=said["bias"],
        floor=said["floor"],
    )
