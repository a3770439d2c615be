"""Why a hit stands where it stands: the parts of its score, for programs and in words."""

from __future__ import annotations

from collections.abc import Sequence

from indexing.facets import importance_in
from indexing.query.dates import Period
from indexing.query.question import WordForm
from indexing.ranking.order import DECAYING, Ranked, ScorePart, nearness
from indexing.ranking.weights import Weights


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
        said, meaning = "conditions alone: the newest first", "not asked for"
    if exact and weights.exact and 0.0 < scores.share < 1.0:
        meaning += f"; counts less, as {exact:.0%} of the question is said exactly"
    parts = [
        ScorePart("words", "plus", scores.lexical, lexical, lexical * scores.lexical, said),
        ScorePart("meaning", "plus", scores.vector, scores.share, scores.share * scores.vector, meaning),
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
    if one.word:
        name, form = _HAVING[one.word]
        parts.append(ScorePart(name, "first", 1.0, 1.0, 0.0, form))
    if alike is not None:
        share = 1.0 - weights.diversity
        parts.append(ScorePart("diversity", "order", alike, share, share * alike, "like an earlier hit"))
    return tuple(parts)


def explain(parts: Sequence[ScorePart]) -> str:
    """The parts in one line."""
    return "; ".join(_SAID[part.how](part) for part in parts)


def period_in_words(period: Period) -> str:
    """``14 March 2026``, or the first and the last day; and from which words it was understood."""
    first, last = period.first, period.last
    days = f"{first.day} {first:%B %Y}"
    if last != first:
        days += f" to {last.day} {last:%B %Y}"
    return f"{days} (from “{period.words}”)" if period.words else days


def _added(part: ScorePart) -> str:
    return f"{part.name} {part.value:.3f} x {part.weight:.2f} ({part.words})"


def _factor(part: ScorePart) -> str:
    words = f" ({part.words})" if part.words else ""
    return f"{part.name} {part.value:.2f}: times {part.contribution:.3f}{words}"


def _place(part: ScorePart) -> str:
    return f"{part.name}: {part.words}, {part.value:.0%} of the words"


def _first(part: ScorePart) -> str:
    return f"{part.name}: above entries without it ({part.words})"


_SAID = {"plus": _added, "times": _factor, "order": _place, "first": _first}
_HAVING = {
    WordForm.RELATED: ("exact word", "a form of the word"),
    WordForm.AS_ASKED: ("exact word", "the word as it is asked for"),
    WordForm.OF_DAY: ("day", "of the day that is asked for"),
}
