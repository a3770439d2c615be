"""The day that a sentence speaks of, seen from the day on which it was said."""

from __future__ import annotations

import re
from datetime import date, timedelta

from indexing.query.dates import named_days, periods_in

_PAST = re.compile(r"\b(?:yesterday|last|ago|past|was|were|went|had|did)\b", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d")
_WEEKDAY = re.compile(r"\b(?:mon|tues?|wednes|thurs?|fri|satur|sun)day\b", re.IGNORECASE)


def day_in(text: str, said_on: date | None) -> date | None:
    """The one day that ``text`` names; None where it names none, several, or a longer time.

    A day without a year (`on Friday`, `on April 1`) is the next one, unless the sentence tells of the past.
    """
    if named := named_days(text):
        return named[0] if len(named) == 1 else None
    found = [one for one in periods_in(text, said_on) if one.first == one.last] if said_on else []
    if said_on is None or len(found) != 1:
        return None
    day, words = found[0].first, found[0].words
    if day >= said_on or _PAST.search(text) or _YEAR.search(words):
        return day
    return _next(day, words, said_on)


def _next(day: date, words: str, said_on: date) -> date | None:
    """The first such day from ``said_on`` on."""
    if _WEEKDAY.search(words):
        return day + timedelta(7 * -((day - said_on).days // 7))
    try:
        return day.replace(year=day.year + 1)
    except ValueError:  # the 29th of February
        return None
