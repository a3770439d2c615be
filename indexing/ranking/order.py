"""Ranking of two sets of scores into one order, and the explanation of each place. Pure functions."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field, fields, replace
from datetime import date
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, get_args

from indexing.document import Facets, importance_in, leads_in, pinned_in, user_in
from indexing.query.dates import Period
from indexing.query.question import WordForm
from indexing.ranking.score_part import ScorePart
from indexing.words import date_words
from workbench.config.settings import FORMER_PRESETS, Settings
from workbench.errors import UsageError
from workbench.frozen import frozen, frozen_kw_only
from workbench.memory.claims import jaccard
from workbench.memory.entry import Kind

if TYPE_CHECKING:
    from tantivy import DocAddress


# -- weights, presets of other systems, and how they are written -------------------------------------

Fusion = Literal["sum", "rrf", "raw"]
FUSIONS: tuple[Fusion, ...] = get_args(Fusion)

_MOST = {
    "vector": 1e6,
    "lexical": 1e6,
    "recency": 1.0,
    "half_life": 36_500.0,
    "importance": 1.0,
    "pin": 10.0,
    "user": 10.0,
    "date": 10.0,
    "exact": 1.0,
    "diversity": 1.0,
}
"""The largest value of each weight; the least is 0, and more than that for a half-life."""

USUAL = MappingProxyType(
    {"recency": 1.0, "importance": 0.4, "pin": 0.2, "user": 0.2, "date": 0.3, "exact": 0.95, "diversity": 0.7}
)
"""What ``on`` means for a part that may be left out."""

_OFF = {**dict.fromkeys(USUAL, 0.0), "diversity": 1.0}
_NUMBER = re.compile(r"[0-9]{0,7}(?:\.[0-9]{1,9})?")
_MOST_BOOST = 100.0


@frozen
class Weights:
    """How the parts of a score are combined. Raises UsageError for a value outside of its range.

    ``vector`` and ``lexical`` are normalised to a sum of 1. ``recency`` in [0, 1] is how much of its score
    a log entry loses with age, by half every ``half_life`` days. ``importance`` in [0, 1] is how far the most
    and the least important are apart. ``pin`` and ``user`` are what pinned entries, and those of the user who
    asks, gain: 0.2 is a fifth. ``date`` is what an entry gains that is of a day named in the question.
    ``exact`` in [0, 1] is how much of its weight meaning loses where all of a question is said exactly.
    ``diversity`` is the lambda of maximal marginal relevance: 1 looks at the score alone. ``boosts`` are
    factors by kind. ``fusion`` is a weighted sum of both sides (``sum``), the
    same without making up for a missing one (``raw``), or a sum of reciprocal ranks (``rrf``).
    """

    vector: float = 0.7
    lexical: float = 0.3
    recency: float = 0.0
    half_life: float = 30.0
    importance: float = 0.0
    pin: float = 0.0
    user: float = 0.2
    date: float = 0.3
    exact: float = 0.95
    diversity: float = 1.0
    fusion: Fusion = "sum"
    boosts: Mapping[Kind, float] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        for name, most in _MOST.items():
            value = getattr(self, name)
            if not 0 <= value <= most or (name == "half_life" and value == 0):
                raise UsageError(
                    f"the weight {name} cannot be {value:g}", hint=f"it lies between 0 and {most:g}"
                )
        for kind, factor in self.boosts.items():
            if not 0 <= factor <= _MOST_BOOST:
                raise UsageError(
                    f"the factor of {kind} cannot be {factor:g}", hint="it must be between 0 and 100"
                )
        if self.vector + self.lexical == 0:
            raise UsageError("the keyword and vector weights are both 0", hint="set one of them above 0")
        if self.fusion not in FUSIONS:
            raise UsageError(f"{self.fusion!r} is not a fusion method", hint="one of " + ", ".join(FUSIONS))

    def share_of(self, exact: float) -> float:
        """What meaning counts where both sides are there, in [0, 1]; words count the rest.

        It weighs less the larger the share ``exact`` of a question is that is said exactly. Where words count
        nothing there is nobody to give way to.
        """
        vector = self.vector * (1.0 - self.exact * exact)
        return vector / (vector + self.lexical) if self.lexical else 1.0

    def as_json(self) -> dict[str, object]:
        """All weights by name, factors of kinds by the kind's; ``weights_from_json`` reads it."""
        said: dict[str, object] = {one.name: getattr(self, one.name) for one in fields(self)}
        del said["boosts"]
        return said | {str(kind): factor for kind, factor in self.boosts.items()}


DEFAULT = Weights()
"""By measurement on several collections (benchmarks/weights.py); the maximum is flat around it."""

PRESETS: Mapping[str, Weights] = MappingProxyType(
    {
        "default": DEFAULT,
        "openclaw": Weights(0.7, 0.3, date=0.0, exact=0.0, fusion="raw"),
        "goclaw": Weights(0.7, 0.3, user=0.2, date=0.0, exact=0.0, fusion="raw"),
        "keyword": Weights(0.2, 0.8),
        "semantic": Weights(0.9, 0.1),
    }
)
"""By name. OpenClaw's decay (30 days) and diversity (0.7) are off by default there too: ``recency=on`` and
``diversity=on`` are what it uses then."""


def preset(name: str) -> Weights:
    """The preset called ``name``, or so formerly. Raises UsageError."""
    found = PRESETS.get(FORMER_PRESETS.get(name, name))
    if found is None:
        raise UsageError(f"there is no preset {name!r}", hint="one of " + ", ".join(PRESETS))
    return found


def changed(base: Weights, said: Mapping[str, object]) -> Weights:
    """``base`` with what ``said`` names: weights, ``fusion``, and kinds with their factor.

    Values are numbers, numbers as text, or ``on`` and ``off``. Raises UsageError naming what is wrong.
    """
    values: dict[str, object] = {}
    boosts = dict(base.boosts)
    for name, value in said.items():
        plain = name.strip().lower().replace("-", "_")
        if plain == "fusion":
            values["fusion"] = str(value).lower()
        elif plain in _MOST:
            values[plain] = _number(plain, value)
        elif plain in set(Kind):
            boosts[Kind(plain)] = _number(plain, value)
        else:
            known = ", ".join([*_MOST, "fusion"])
            raise UsageError(f"there is no weight called {name!r}", hint=f"known: {known}, and every kind")
    return replace(base, **values, boosts=MappingProxyType(boosts))  # type: ignore[arg-type]


def weights_from_json(said: object, base: Weights) -> Weights:
    """The weights in a request: a preset's name, or ``{"preset": …, "recency": 0.5, …}`` over ``base``.

    Raises UsageError.
    """
    if isinstance(said, str):
        return preset(said)
    if not isinstance(said, Mapping):
        raise UsageError(
            "weights must be the name of a preset or an object", hint='for example {"recency": 0.5}'
        )
    rest = {str(name): value for name, value in said.items()}
    name = rest.pop("preset", None)
    return changed(base if name is None else preset(str(name)), rest)


def weights_from_words(said: Iterable[str], base: Weights) -> Weights:
    """``base`` with changes as they are typed, ``recency=0.5``. Raises UsageError."""
    pairs: dict[str, object] = {}
    for one in said:
        name, mark, value = one.partition("=")
        if not mark:
            raise UsageError(f"{one!r} sets no weight", hint="write NAME=VALUE, for example recency=0.5")
        pairs[name] = value
    return changed(base, pairs)


def weights_of(settings: Settings) -> Weights:
    """The weights of the preset that the settings choose. Raises UsageError."""
    return preset(settings.search_preset)


def _number(name: str, value: object) -> float:
    if (value is True or value == "on") and name in USUAL:
        return USUAL[name]
    if (value is False or value == "off") and name in _OFF:
        return _OFF[name]
    if isinstance(value, str) and value and _NUMBER.fullmatch(value):
        return float(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    ways = "a number, on or off" if name in USUAL else "a number"
    raise UsageError(f"{name} must be {ways}, not {value!r}", hint=f"for example {name}=0.5")


# -- scores and their order --------------------------------------------------------------------------

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


def rounded(of: Scores | ScorePart) -> dict[str, Any]:
    """The fields of a score or of one part, by name, rounded to six digits."""
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
    chosen: list[tuple[int, float]] = []
    while left and len(chosen) < count:
        place = max(left, key=lambda one: (left[one] - (1 - balance) * alike[one], -one))
        del left[place]
        chosen.append((place, alike[place]))
        for other in left:
            alike[other] = max(alike[other], jaccard(bags[place], bags[other]))
    return chosen


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
    factors = (
        ("boost", scores.boost, 1.0, scores.boost, f"kind {one.kind}"),
        ("importance", importance_in(one.marks) or 0.0, weights.importance, scores.importance, ""),
        ("pin", 1.0, weights.pin, scores.pin, "pinned"),
        ("user", 1.0, weights.user, scores.user, "their own"),
        ("lead-in", 1.0, 1.0, scores.lead_in, "only asks or announces"),
    )
    parts += [
        ScorePart(name, "times", value, weight, factor, words)
        for name, value, weight, factor, words in factors
        if factor != 1.0
    ]
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
