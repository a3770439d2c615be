"""Salience: how likely a line of a log is worth keeping for months, by a model fitted to labelled lines.

The model is made of logistic regressions. `python -m benchmarks.salience --train` fits all of them, and
writes the two files beside this module.
"""

from __future__ import annotations

import functools
import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.dreaming.features import (
    BUCKETS,
    NAMES,
    Features,
    Floats,
    Line,
    Singles,
    features_of,
    word_grams,
)
from workbench.frozen import frozen_kw_only

WEIGHTS_FILE, MODEL_FILE = "salience.npy", "salience.json"
BATCH = 200
"""Lines whose n-grams are in memory at the same time."""
_CLIP = 3.0
"""Deviations from the mean that a count is worth at most."""
_LEAST_LETTERS = 4
_LENGTH, _LENGTH_IS = "its length", "its length is"
"""What is said of a line's length, for the two counts of it."""


@frozen_kw_only
class Head:
    """What the counts and the answer of the n-grams weigh together. All are in order of ``NAMES``.

    ``weights`` has one more than there are counts: what the answer of the n-grams weighs.
    """

    mean: Floats
    deviation: Floats
    weights: Floats
    bias: float

    def standardised(self, counts: Singles) -> Floats:
        """(n, 55) the counts in deviations from their means."""
        scaled: Floats = np.clip((counts - self.mean) / self.deviation, -_CLIP, _CLIP)
        return scaled

    def logits(self, counts: Singles, said: Floats) -> Floats:
        """(n,) the log odds of lines with these counts, of which the n-grams say ``said``."""
        sums: Floats = self.standardised(counts) @ self.weights[:-1]
        sums += self.weights[-1] * said + self.bias
        return sums


@frozen_kw_only
class Salience:
    """The fitted weights. ``grams`` are (2^18,) int8 in steps of ``step``.

    ``floor`` is the score from which a line is worth proposing. The first regression knows hashed n-grams of
    words and characters, fitted to collections that this project wrote. The second knows its answer and some
    plain counts, of a line's form and of words by what they signal. There are two of the second: one for
    ``notes``, and one for ``talk`` in a conversation, as five words of a note tell what five words of talk do
    not.
    """

    grams: NDArray[np.int8]
    step: float
    gram_bias: float
    notes: Head
    talk: Head
    floor: float

    def logits(self, lines: Sequence[Line]) -> Floats:
        """(n,) the log odds that each line is worth keeping."""
        return in_batches(lines, self.of_features)

    def of_features(self, features: Features) -> Floats:
        """(n,) the log odds of lines whose features are known."""
        said = features.grams.weighed(self.grams.astype(np.float32) * self.step) + self.gram_bias
        notes = self.notes.logits(features.counts, said)
        talk = self.talk.logits(features.counts, said)
        return np.where(features.spoken, talk, notes)

    def reasons(self, line: Line) -> list[tuple[float, str]]:
        """What speaks for a line (above 0) and against it, in log odds, in words; what weighs most first."""
        counts, head = features_of([line]).counts, self.talk if line.spoken else self.notes
        shares = head.standardised(counts)[0] * head.weights[:-1]
        told: defaultdict[str, float] = defaultdict(float)
        for share, name, count in zip(shares, NAMES, counts[0], strict=True):
            if count > 0:
                told[_LENGTH if name.endswith(_LENGTH_IS) else name] += float(share)
        for words, bucket, value in word_grams(line):
            if len(words) >= _LEAST_LETTERS or not words.isascii():
                told[f"“{words}”"] += float(head.weights[-1] * self.step * self.grams[bucket] * value)
        return sorted(((share, name) for name, share in told.items()), key=lambda one: (-abs(one[0]), one[1]))


def in_batches(lines: Sequence[Line], logits: Callable[[Features], Floats]) -> Floats:
    """(n,) the log odds of lines of whose n-grams a ``BATCH`` is in memory at the same time."""
    starts = range(0, len(lines), BATCH)
    parts = [logits(features_of(lines[at : at + BATCH])) for at in starts]
    return np.concatenate(parts) if parts else np.zeros(0)


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
    return Salience(
        grams=grams,
        step=said["step"],
        gram_bias=said["gram_bias"],
        notes=_head(said["notes"]),
        talk=_head(said["talk"]),
        floor=said["floor"],
    )


def _head(said: Mapping[str, Any]) -> Head:
    counts = [said["counts"][name] for name in NAMES]
    return Head(
        mean=np.array([mean for mean, _, _ in counts]),
        deviation=np.array([deviation for _, deviation, _ in counts]),
        weights=np.array([*(weight for _, _, weight in counts), said["gram_weight"]]),
        bias=said["bias"],
    )
