"""From two sets of scores to one order. Pure functions on frozen candidates."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from types import MappingProxyType

from indexing.answer import Scores
from indexing.facets import Facets
from workbench.memory.entry import Kind

DECAYING = frozenset({Kind.LOG})
"""Only daily logs grow old; curated memory, notes and the graph do not."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry in the pool. ``bm25`` >= 0; ``cosine`` in [-1, 1], None where it has no vector yet.

    ``marks`` are those of ``Facets``.
    """

    key: int
    kind: Kind
    day: int
    bm25: float
    cosine: float | None = None
    marks: int = Facets().marks


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score and the parts of it."""

    candidate: Candidate
    score: float
    scores: Scores


@dataclass(frozen=True, slots=True)
class Weights:
    """How the parts of a score are combined.

    ``vector`` and ``lexical`` are normalised to a sum of 1. ``recency`` in [0, 1] is how much of its
    score a log entry loses with age, by half every ``half_life`` days; 0 leaves time out. ``boosts``
    are factors by kind. ``diversity`` is the lambda of maximal marginal relevance, None leaves it out.
    """

    vector: float = 0.6
    lexical: float = 0.4
    recency: float = 0.0
    half_life: float = 30.0
    boosts: Mapping[Kind, float] = field(default_factory=lambda: MappingProxyType({}))
    diversity: float | None = None


DEFAULT = Weights()
"""By measurement; the maximum is flat between 0.5 and 0.65 for the vector's share."""

PRESETS: Mapping[str, Weights] = MappingProxyType(
    {
        "default": DEFAULT,
        "openclaw": Weights(0.7, 0.3),
        "goclaw": Weights(0.7, 0.3, boosts=MappingProxyType({Kind.BOOTSTRAP: 1.2})),
    }
)


def pool_size(k: int) -> int:
    """How many candidates to take from each side for ``k`` hits."""
    return max(4 * k, 100)


def rank(candidates: Iterable[Candidate], weights: Weights, today: date) -> list[Ranked]:
    """The candidates, best first; the newer of equals first, then by key, so that the order is total.

    Each side is divided by the best of the pool, negative cosines counting as 0. Where no candidate
    has a cosine or none a BM25, the other side counts alone; meaning alone is shown as the cosine that it
    is, so that the nearest of a bad lot does not look like a find. A candidate without a vector is taken
    at what its words are worth.
    """
    pool = list(candidates)
    best_words = max((one.bm25 for one in pool), default=0.0)
    best_meaning = max((one.cosine or 0.0 for one in pool), default=0.0)
    share = _vector_share(weights, words=best_words > 0, meaning=best_meaning > 0)
    ranked = []
    for one in pool:
        words = one.bm25 / best_words if best_words > 0 else 0.0
        meaning = words if one.cosine is None else 0.0
        if one.cosine is not None and best_meaning > 0:
            meaning = max(0.0, one.cosine) / (best_meaning if best_words > 0 else 1.0)
        recency = _recency(one, weights, today) if weights.recency else 1.0
        boost = weights.boosts.get(one.kind, 1.0)
        score = (share * meaning + (1 - share) * words) * boost
        score *= 1 - weights.recency * (1 - recency)
        parts = Scores(words, 0.0 if one.cosine is None else meaning, recency, boost)
        ranked.append(Ranked(one, score, parts))
    return sorted(ranked, key=_order)


def diversify(
    ranked: Sequence[Ranked], k: int, balance: float, likeness: Callable[[int, int], float]
) -> list[Ranked]:
    """The first ``k`` by maximal marginal relevance: ``balance * score - (1 - balance) * likeness``.

    ``likeness`` of two keys lies in [0, 1]. Carbonell and Goldstein, 1998.
    """
    left, chosen = list(ranked), list[Ranked]()
    while left and len(chosen) < k:
        best = max(
            left,
            key=lambda one: (
                balance * one.score
                - (1 - balance)
                * max((likeness(one.candidate.key, c.candidate.key) for c in chosen), default=0.0)
            ),
        )
        left.remove(best)
        chosen.append(best)
    return chosen


def explain(ranked: Ranked, weights: Weights, matched: Sequence[str]) -> str:
    """The score in words: its parts, what they were made of, and the words in common."""
    one, parts = ranked.candidate, ranked.scores
    total = weights.vector + weights.lexical or 1.0
    words = f"words {parts.lexical:.3f} x {weights.lexical / total:.2f} (BM25 {one.bm25:.2f}"
    words += f": {', '.join(matched)})" if matched else ")"
    if one.cosine is None:
        said = [words, "no vector"]
    else:
        meaning = f"meaning {parts.vector:.3f} x {weights.vector / total:.2f}"
        said = [words, f"{meaning} (cosine {one.cosine:.3f})"]
    if weights.recency and one.kind in DECAYING:
        said.append(f"recency {parts.recency:.3f} x {weights.recency:.2f}")
    if parts.boost != 1.0:
        said.append(f"boost {parts.boost:.2f}")
    return "; ".join(said)


def _vector_share(weights: Weights, *, words: bool, meaning: bool) -> float:
    if not meaning:
        return 0.0
    if not words:
        return 1.0
    total = weights.vector + weights.lexical
    return weights.vector / total if total > 0 else 0.5


def _recency(one: Candidate, weights: Weights, today: date) -> float:
    """``exp(-ln 2 / half_life * days)`` for dated logs; 1 for everything else and for the future."""
    if one.kind not in DECAYING or not one.day:
        return 1.0
    days = max(0, today.toordinal() - one.day)
    return math.exp(-math.log(2) / weights.half_life * days)


def _order(ranked: Ranked) -> tuple[float, int, int]:
    # Rounded: sums of floats in another order must not turn equals around.
    return (-round(ranked.score, 6), -ranked.candidate.day, ranked.candidate.key)
