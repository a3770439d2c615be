"""Deadlines that have passed: a day behind a word that makes it the last one, and before today."""

from __future__ import annotations

import re
from datetime import date, timedelta

_CUE = (
    r"(?:\b(?:by|until|till|due|deadlines?|before|expires?|remind\w*|bis|fällig|frist|hasta|vence|antes del?"
    r"|avant|jusqu['’]au|échéance|fino al|entro|até|срок|до)\b|截止|締め?切り?|期限)"
)
_ISO = r"(?P<iso>\d{4}-\d\d-\d\d)"
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTH = rf"(?P<month>{_MONTHS.replace(' ', '|')})[a-z]*\.?"
_NAMED = (
    rf"(?:{_MONTH} (?P<day>\d{{1,2}})|(?P<day2>\d{{1,2}})\.? {_MONTH.replace('month', 'month2')})"
    r"(?!\d)(?:st|nd|rd|th)?(?:,? (?P<year>20\d\d))?"
)
_CJK = r"(?:(?P<year3>20\d\d)年)?(?P<month3>\d{1,2})月(?P<day3>\d{1,2})[日号]"
_SOON = (
    r"(?P<soon>today|tonight|tomorrow|this week|next week|(?:mon|tues|wednes|thurs|fri|satur|sun)day|heute"
    r"|morgen|mañana|demain|завтра|今天|明天|今日|明日)"
)
_DEADLINE = re.compile(
    rf"(?:{_CUE}|\[ \])[^\n]{{0,30}}?(?:{_ISO}|\b{_NAMED}|{_CJK}|{_SOON})"
    rf"|{_CJK.replace('3', '4')}(?:まで|之前|截止)",
    re.IGNORECASE,
)
_WITHIN = timedelta(days=14)
"""After this what was due soon is over."""
_LONG_AGO = timedelta(days=180)
"""A day without a year that was so long ago is one of the next year."""


def passed_deadline(text: str, said: date, today: date) -> date | None:
    """The last deadline that ``text``, said on the day ``said``, names, if all it names have passed."""
    days = [day for found in _DEADLINE.finditer(text) if (day := _day(found, said))]
    last = max(days, default=today)
    return last if last < today else None


def _day(found: re.Match[str], said: date) -> date | None:
    """The day that a match names; one without a year is in the year in which it was said."""
    if found["soon"]:
        return said + _WITHIN
    try:
        if found["iso"]:
            return date.fromisoformat(found["iso"])
        month = found["month"] or found["month2"]
        number = (
            _MONTHS.split().index(month.lower()) + 1 if month else int(found["month3"] or found["month4"])
        )
        day = found["day"] or found["day2"] or found["day3"] or found["day4"]
        year = found["year"] or found["year3"] or found["year4"]
        named = date(int(year or said.year), number, int(day))
        return named if year or said - named < _LONG_AGO else date(said.year + 1, number, int(day))
    except ValueError:
        return None
