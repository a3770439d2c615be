"""The score of a claim: how it was used and how often it was said, each formula by itself.

The formulas and their numbers are those of OpenClaw's dreaming, so that its users find what they know. All
are pure; days are calendar days, and ``today`` is given. A score is the sum of its parts, in [0, 1.15].
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

HALF_LIFE = 14.0
"""Days in which recency and the boosts of the phases halve."""
MOST_QUERIES = 32
"""Distinct questions that count for the context."""
MOST_DAYS = 16
"""Distinct days of recall that count for the context."""
WEIGHTS: Mapping[str, float] = {
    "frequency": 0.24,
    "relevance": 0.30,
    "diversity": 0.15,
    "recency": 0.15,
    "consolidation": 0.10,
    "conceptual": 0.06,
}
"""What each part counts; the boost of the phases comes on top (0.06 for light, 0.09 for REM)."""
_LIGHT, _REM = 0.06, 0.09
BOOST = _LIGHT + _REM
"""What the boost can be at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseHits:
    """On how many days a phase met the claim, and the last of them."""

    count: int = 0
    last: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """What is known of the use of one claim.

    ``recalls`` counts recalls, ``recalled`` adds up their scores (each in [0, 1]), ``queries`` counts
    distinct questions, ``days`` are the distinct days of recall in order. ``daily`` counts the days on which
    logs say the claim, ``grounded`` the independent sources and sessions that do. ``tags`` are the concepts
    it names.
    """

    recalls: int = 0
    recalled: float = 0.0
    queries: int = 0
    days: tuple[date, ...] = ()
    daily: int = 0
    grounded: int = 0
    tags: int = 0
    light: PhaseHits = PhaseHits()
    rem: PhaseHits = PhaseHits()

    @property
    def count(self) -> int:
        """``signals = recalls + daily mentions + grounded mentions``"""
        return self.recalls + self.daily + self.grounded

    @property
    def context(self) -> int:
        """``context = max(distinct queries <= 32, distinct recall days <= 16)``"""
        return max(min(self.queries, MOST_QUERIES), min(len(self.days), MOST_DAYS))


@dataclass(frozen=True, slots=True)
class Score:
    """Parts by name; their sum is the score."""

    parts: Mapping[str, float]

    @property
    def total(self) -> float:
        """The sum of the parts, in their order."""
        return sum(self.parts.values())


def clamp(value: float) -> float:
    """``value`` within [0, 1]."""
    return min(1.0, max(0.0, value))


def scored(signals: Signals, today: date) -> Score:
    """``0.24 frequency + 0.30 relevance + 0.15 diversity + 0.15 recency + 0.10 consolidation
    + 0.06 conceptual + boost``
    """
    raw = {
        "frequency": frequency(signals.count),
        "relevance": relevance(signals.recalled, signals.count),
        "diversity": diversity(signals.context),
        "recency": recency(signals.days, today),
        "consolidation": consolidation(signals.days, signals.grounded),
        "conceptual": conceptual(signals.tags),
    }
    parts = {name: WEIGHTS[name] * value for name, value in raw.items()}
    parts["boost"] = boost(signals.light, signals.rem, today)
    return Score(parts)


def frequency(signals: int) -> float:
    """``clamp(ln(1+signals) / ln 11)``: ten signals are all it takes."""
    return clamp(math.log1p(signals) / math.log(11))


def relevance(recalled: float, signals: int) -> float:
    """``clamp(total recall score / max(1, signals))``"""
    return clamp(recalled / max(1, signals))


def diversity(context: int) -> float:
    """``clamp(context / 5)``"""
    return clamp(context / 5)


def recency(days: Iterable[date], today: date) -> float:
    """``exp(-ln2/14 * days since last recall)``; 0 for what was never recalled."""
    return halved(max(days, default=None), today)


def consolidation(days: tuple[date, ...], grounded: int) -> float:
    """``max(C, clamp(grounded/3))``; for n recall days C is 0 (n=0), 0.2 (n=1), else
    ``clamp(0.55*clamp(ln(n)/ln 5) + 0.45*clamp(span_days/7))``.
    """
    n = len(days)
    spaced = 0.2 if n == 1 else 0.0
    if n > 1:
        span = (days[-1] - days[0]).days
        spaced = clamp(0.55 * clamp(math.log(n) / math.log(5)) + 0.45 * clamp(span / 7))
    return max(spaced, clamp(grounded / 3))


def conceptual(tags: int) -> float:
    """``clamp(concept tags / 6)``"""
    return clamp(tags / 6)


def boost(light: PhaseHits, rem: PhaseHits, today: date) -> float:
    """``0.06*clamp(ln(1+light)/ln 7)*2^(-d/14) + 0.09*clamp(ln(1+rem)/ln 7)*2^(-d/14)``

    ``d`` is each phase's own: the days since it last met the claim.
    """
    parts = (
        weight * clamp(math.log1p(hits.count) / math.log(7)) * halved(hits.last, today)
        for weight, hits in ((_LIGHT, light), (_REM, rem))
    )
    return sum(parts)


def halved(last: date | None, today: date) -> float:
    """``2^(-days since last / 14)``, which is ``exp(-ln2/14 * days)``; 0 for never, 1 for days to come."""
    return 0.0 if last is None else 2.0 ** (-max(0, (today - last).days) / HALF_LIFE)
