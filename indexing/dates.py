"""Days as people say them: ``2026-03-14``, ``March 2026``, ``last week``, ``3 days ago``."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class Period:
    """The days from ``first`` to ``last``, both included."""

    first: date
    last: date


_ISO = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")


def period(text: str, today: date) -> Period | None:
    """The days that ``text`` names, counted from ``today``; None where it names none."""
    found = _ISO.fullmatch(text.strip())
    if not found:
        return None
    year, month, day = (int(part) if part else None for part in found.groups())
    try:
        assert year is not None
        if day:
            return Period(one := date(year, month or 1, day), one)
        last = calendar.monthrange(year, month)[1] if month else 31
        return Period(date(year, month or 1, 1), date(year, month or 12, last))
    except ValueError:
        return None
