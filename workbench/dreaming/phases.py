"""The phases: light looks at the last 2 days, REM for what recurs within 7, and both leave hits.

What other tools keep in a state file is worked out here from the days on which a claim was made or asked for
(its active days), so that the same memory always dreams the same: a phase is taken to have run every day.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, timedelta

from workbench.dreaming.score import PhaseHits, clamp

LIGHT_DAYS = 2
REM_DAYS = 7
RECURRING = 0.75
"""Strength from which something is a pattern."""
_FULL = 4
"""Active days of a week with which a pattern is as strong as it can be."""


def pattern_strength(active: Collection[date], day: date) -> float:
    """``clamp(active days of the week that ends on day / 4)``: three days make a pattern."""
    first = day - timedelta(days=REM_DAYS - 1)
    return clamp(sum(first <= one <= day for one in active) / _FULL)


def light_hits(active: Collection[date], today: date, days: int) -> PhaseHits:
    """The days, of the last ``days``, on whose night the light phase met the claim."""
    nights = _nights(active, today, days, LIGHT_DAYS)
    return PhaseHits(count=len(nights), last=max(nights, default=None))


def rem_hits(active: Collection[date], today: date, days: int) -> PhaseHits:
    """The days, of the last ``days``, on which the claim was a recurring pattern."""
    if len(active) < RECURRING * _FULL:
        return PhaseHits()
    nights = [
        night
        for night in _nights(active, today, days, REM_DAYS)
        if pattern_strength(active, night) >= RECURRING
    ]
    return PhaseHits(count=len(nights), last=max(nights, default=None))


def _nights(active: Collection[date], today: date, days: int, window: int) -> set[date]:
    """The days on which a phase that looks back ``window`` days sees one of the active days."""
    first = today - timedelta(days=days)
    seen = (day + timedelta(days=after) for day in active for after in range(window))
    return {night for night in seen if first <= night <= today}
