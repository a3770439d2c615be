"""From two sets of scores to one order, in which near-duplicates may make room. Pure functions.

Why a hit stands where it stands: the parts of its score, for programs and in words.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import fields
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

from indexing.facets import Facets, importance_in, leads_in, pinned_in, user_in
from indexing.query.dates import Period
from indexing.query.question import WordForm
from indexing.ranking.weights import Weights
from indexing.words import date_words
from workbench.frozen import frozen, frozen_kw_only
from workbench.memory.entry import Kind

if TYPE_CHECKING:
    from tantivy import DocAddress

DECAYING = frozenset({Kind.LOG})
"""Only daily logs grow old; curated memory, notes and the graph do not."""

RRF_K = 60
"""Cormack, Clarke and Büttcher, 2009."""

_LEAD_IN = 0.9
"""The factor of entries that only ask or announce (benchmarks/README.md, "Weights")."""

_NEUTRAL = 0.5
_NEAR_DAYS = 3
_NOTHING_KNOWN = Facets().marks


@frozen_kw_only
class Scores:
    """The parts of a score.

    ``lexical`` and ``vector`` lie in [0, 1]; ``share`` is what the vector counts, words count the rest;
    ``date`` is added; ``recency``, ``boost``, ``importance``, ``pin``, ``user`` and ``lead_in`` are factors.
    """

    lexical: float = 0.0
    vector: float = 0.0
    share: float = 0.0
    date: float = 0.0
    recency: float = 1.0
    boost: float = 1.0
    importance: float = 1.0
    pin: float = 1.0
    user: float = 1.0
    lead_in: float = 1.0

    @property
    def total(self) -> float:
        """The score that the parts make."""
        likeness = self.share * self.vector + (1.0 - self.share) * self.lexical
        factors = (self.recency, self.boost, self.importance, self.pin, self.user, self.lead_in)
        return (likeness + self.date) * math.prod(factors)

    def as_json(self) -> dict[str, float]:
        """The parts, rounded for reading."""
        return _rounded(self)


@frozen
class ScorePart:
    """One part of a score. All ``plus`` contributions are added, then all ``times`` multiplied: the score.

    ``value`` is what was measured, ``weight`` what it counts, ``contribution`` what came of it, and ``words``
    what it rests on. An ``order`` part changes the place and not the score; a ``first``
    part puts a hit above all that lack it.
    """

    name: str
    how: Literal["plus", "times", "order", "first"]
    value: float
    weight: float
    contribution: float
    words: str

    def __str__(self) -> str:
        words = f" ({self.words})" if self.words else ""
        match self.how:
            case "plus":
                return f"{self.name} {self.value:.3f} x {self.weight:.2f}{words}"
            case "times":
                return f"{self.name} {self.value:.2f}: times {self.contribution:.3f}{words}"
            case "order":
                return f"{self.name}: {self.words}, {self.value:.0%} of the words"
            case "first":
                return f"{self.name}: above entries without it{words}"

    def as_json(self) -> dict[str, object]:
        """The part, rounded for reading."""
        return _rounded(self)


def _rounded(of: Scores | ScorePart) -> dict[str, Any]:
    values = ((one.name, getattr(of, one.name)) for one in fields(of))
    return {name: round(value, 6) if isinstance(value, float) else value for name, value in values}


@frozen
class Candidate:
    """An entry in the pool. ``cosine`` lies in [-1, 1], None where it has no vector, or none was asked for.

    ``bm25`` is the sum of the fields' BM25 with their boosts, 0 where it shares no word. ``day`` is a
    proleptic ordinal, 0: none. ``marks`` are those of ``Facets``. ``address`` is where its snapshot of the
    keyword index has it.
    """

    key: int
    kind: Kind
    day: int
    bm25: float
    cosine: float | None = None
    marks: int = _NOTHING_KNOWN
    word: WordForm = WordForm.ABSENT
    address: DocAddress | None = None


@frozen
class Ranked:
    """A candidate with its score and the parts of it; ``scores.total`` is the score."""

    candidate: Candidate
    score: float
    scores: Scores


def pool_size(k: int) -> int:
    """How many candidates to take from each side for ``k`` hits."""
    return max(4 * k, 100)


def rank(
    candidates: Iterable[Candidate],
    weights: Weights,
    today: date,
    *,
    periods: Sequence[Period] = (),
    user: int = 0,
    exact: float = 0.0,
) -> list[Ranked]:
    """The candidates, best first; the newer of equals first, then by key, so that the order is total.

    ``periods`` are the days that the question names, ``user`` is the ``user_code`` of who asks,
    ``exact`` the share of the question that words tell better. Of a question of one word, entries that have
    the word, or are of the day that it names, come before those that do not, whatever they score.

    BM25 is divided by the best of the pool. The cosine counts as it is, negative ones as 0, so that the
    nearest of a bad lot does not look like a find; or the ranks of both sides are taken. A candidate without
    a vector is taken to be as near, beside the nearest, as its words are good. Where no candidate has a
    cosine or none a BM25, the other side counts alone. With ``fusion="raw"`` nothing makes up for a missing
    side.
    """
    pool = list(candidates)
    raw = weights.fusion == "raw"
    sides = _by_rank(pool) if weights.fusion == "rrf" else by_strength(pool, estimate=not raw)
    words = any(one.bm25 > 0 for one in pool)
    meaning = any((one.cosine or 0.0) > 0 for one in pool)
    share = weights.share_of(exact)
    if not any(one.cosine is not None for one in pool) or (not raw and not meaning):
        share = 0.0
    elif not raw and not words:
        share = 1.0
    ranked = []
    for one, (lexical, vector) in zip(pool, sides, strict=True):
        scores = Scores(
            lexical=lexical,
            vector=vector,
            share=share,
            date=weights.date * max((nearness(one.day, period) for period in periods), default=0.0),
            recency=_recency(one, weights, today),
            boost=weights.boosts.get(one.kind, 1.0),
            importance=_importance(one, weights.importance),
            pin=1.0 + weights.pin if pinned_in(one.marks) else 1.0,
            user=1.0 + weights.user if user and user_in(one.marks) == user else 1.0,
            lead_in=1.0 if raw or not leads_in(one.marks) else _LEAD_IN,
        )
        ranked.append(Ranked(one, scores.total, scores))
    return sorted(ranked, key=_order)


def nearness(day: int, period: Period) -> float:
    """1 for a day inside of ``period``, falling to 0 a few days around it; long periods have wide edges.

    0 for no day (0).
    """
    if not day:
        return 0.0
    first, last = period.first.toordinal(), period.last.toordinal()
    beside = max(first - day, day - last, 0)
    return max(0.0, 1.0 - beside / (_NEAR_DAYS + 1 + (last - first) / 10))


def by_strength(pool: Collection[Candidate], *, estimate: bool = True) -> list[tuple[float, float]]:
    """BM25 beside the best of the pool, and the cosine as it is; ``estimate`` one where it is missing."""
    best_words = max((one.bm25 for one in pool), default=0.0)
    nearest = max((one.cosine or 0.0 for one in pool), default=0.0) if estimate else 0.0
    sides = []
    for one in pool:
        words = one.bm25 / best_words if best_words > 0 else 0.0
        sides.append((words, words * max(0.0, nearest) if one.cosine is None else max(0.0, one.cosine)))
    return sides


def _by_rank(pool: Sequence[Candidate]) -> list[tuple[float, float]]:
    """Reciprocal ranks of both sides, 1 for the first; 0 where a candidate is not on that side."""
    words = _reciprocal([one.bm25 for one in pool])
    meaning = _reciprocal([one.cosine or 0.0 for one in pool])
    return [
        (by_words, by_words if one.cosine is None else by_meaning)
        for one, by_words, by_meaning in zip(pool, words, meaning, strict=True)
    ]


def _reciprocal(strengths: Sequence[float]) -> list[float]:
    # Equals share a rank, rounded as they are sorted.
    best = max(strengths, default=0.0)
    rounded = [round(max(0.0, strength) / best, 6) if best > 0 else 0.0 for strength in strengths]
    places: dict[float, int] = {}
    for place, strength in enumerate(sorted((one for one in rounded if one > 0), reverse=True), 1):
        places.setdefault(strength, place)
    return [(RRF_K + 1) / (RRF_K + places[one]) if one > 0 else 0.0 for one in rounded]


def _recency(one: Candidate, weights: Weights, today: date) -> float:
    """``exp(-ln 2 / half_life * days)`` by its weight; 1 for what does not age, and for the future."""
    if one.kind not in DECAYING or not one.day or pinned_in(one.marks):
        return 1.0
    days = max(0, today.toordinal() - one.day)
    return 1.0 - weights.recency * (1.0 - math.exp(-math.log(2) / weights.half_life * days))


def _importance(one: Candidate, weight: float) -> float:
    importance = importance_in(one.marks)
    return 1.0 if importance is None else 1.0 + weight * (importance - _NEUTRAL)


def _order(ranked: Ranked) -> tuple[int, float, int, int]:
    # Rounded: sums of floats in another order must not turn equals around.
    one = ranked.candidate
    return (-one.word, -round(ranked.score, 6), -one.day, one.key)


def diversified(
    scores: Sequence[float], bags: Sequence[frozenset[str]], count: int, balance: float
) -> list[tuple[int, float]]:
    """The first ``count`` places of ``scores`` by ``balance * score - (1 - balance) * likeness``.

    ``bags`` are their words; likeness is the share in common with the most alike of those chosen before, and
    stands beside each place. Scores are taken relative to the best. Carbonell and Goldstein, 1998.
    """
    best = max(scores, default=0.0) or 1.0
    left = {place: balance * score / best for place, score in enumerate(scores)}
    alike = dict.fromkeys(left, 0.0)
    bits: dict[str, int] = {}
    # One bit a word: to compare two texts costs a few operations.
    masks = [sum(1 << bits.setdefault(word, len(bits)) for word in bag) for bag in bags]
    chosen: list[tuple[int, float]] = []
    while left and len(chosen) < count:
        place = max(left, key=lambda one: (left[one] - (1 - balance) * alike[one], -one))
        del left[place]
        chosen.append((place, alike[place]))
        for other in left:
            alike[other] = max(alike[other], _likeness(masks[place], masks[other]))
    return chosen


def _likeness(one: int, other: int) -> float:
    union = (one | other).bit_count()
    return (one & other).bit_count() / union if union else 1.0


def parts_of(
    ranked: Ranked,
    weights: Weights,
    matched: Sequence[str],
    periods: Sequence[Period] = (),
    alike: float | None = None,
    exact: float = 0.0,
    *,
    listed: bool = False,
    neighbour: bool = False,
) -> tuple[ScorePart, ...]:
    """The parts of a score that played a part, words and meaning always.

    ``matched`` are the words in common with the question; ``alike`` is how like an earlier hit it is, where
    near-duplicates make room; ``exact`` the share of the question that is said exactly. ``listed`` says that
    no words were asked for: then all stand alike, and the newest first. ``neighbour`` says that only entries
    around it have the words.
    """
    one, scores = ranked.candidate, ranked.scores
    lexical = 1.0 - scores.share
    said = f"BM25 {one.bm25:.2f}" + (f": {', '.join(matched)}" if matched else "")
    if neighbour:
        said = "neighbour of a match"
    meaning = "no vector" if one.cosine is None else f"cosine {one.cosine:.3f}"
    if listed:
        said, meaning = "filters only: newest first", "not asked for"
    if exact and weights.exact and 0.0 < scores.share < 1.0:
        meaning += f"; counts less: {exact:.0%} of the query is exact or not in English"
    parts = [
        ScorePart("keyword", "plus", scores.lexical, lexical, lexical * scores.lexical, said),
        ScorePart("semantic", "plus", scores.vector, scores.share, scores.share * scores.vector, meaning),
    ]
    if scores.date:
        period = max(periods, key=lambda period: nearness(one.day, period))
        fit = nearness(one.day, period)
        parts.append(ScorePart("date", "plus", fit, weights.date, scores.date, period_in_words(period)))
    if weights.recency and one.kind in DECAYING:
        kept = 1.0 - (1.0 - scores.recency) / weights.recency
        age = f"half in {weights.half_life:g} days"
        parts.append(ScorePart("recency", "times", kept, weights.recency, scores.recency, age))
    if scores.boost != 1.0:
        parts.append(ScorePart("boost", "times", scores.boost, 1.0, scores.boost, f"kind {one.kind}"))
    if scores.importance != 1.0:
        value = importance_in(one.marks) or 0.0
        parts.append(ScorePart("importance", "times", value, weights.importance, scores.importance, ""))
    if scores.pin != 1.0:
        parts.append(ScorePart("pin", "times", 1.0, weights.pin, scores.pin, "pinned"))
    if scores.user != 1.0:
        parts.append(ScorePart("user", "times", 1.0, weights.user, scores.user, "their own"))
    if scores.lead_in != 1.0:
        parts.append(ScorePart("lead-in", "times", 1.0, 1.0, scores.lead_in, "only asks or announces"))
    if one.word:
        name, form = _HAVING[one.word]
        parts.append(ScorePart(name, "first", 1.0, 1.0, 0.0, form))
    if alike is not None:
        share = 1.0 - weights.diversity
        parts.append(ScorePart("diversity", "order", alike, share, share * alike, "like an earlier hit"))
    return tuple(parts)


def explain(parts: Sequence[ScorePart]) -> str:
    """The parts in one line."""
    return "; ".join(map(str, parts))


def period_in_words(period: Period) -> str:
    """``14 March 2026``, or the first and the last day; and from which words it was understood."""
    days = date_words(period.first)
    if period.last != period.first:
        days += f" to {date_words(period.last)}"
    return f"{days} (from “{period.words}”)" if period.words else days


_HAVING = {
    WordForm.RELATED: ("exact word", "a form of the word"),
    WordForm.AS_ASKED: ("exact word", "the exact word"),
    WordForm.AS_WRITTEN: ("exact word", "the exact word with its accents"),
    WordForm.OF_DAY: ("day", "of the day in the query"),
}
