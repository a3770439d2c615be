"""Days, weeks, months and years: in which of them moments fall, and which of them lie between two days."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Literal, TypeVar

Unit = Literal["day", "week", "month", "year"]
UNITS: tuple[Unit, ...] = ("day", "week", "month", "year")
T = TypeVar("T")


def start_of(day: date, unit: Unit) -> date:
    """The first day of the period that ``day`` is in; weeks begin on Monday."""
    match unit:
        case "day":
            return day
        case "week":
            return date.fromordinal(max(1, day.toordinal() - day.weekday()))
        case "month":
            return day.replace(day=1)
        case "year":
            return day.replace(month=1, day=1)


def between(first: date, last: date, unit: Unit) -> list[date]:
    """The first days of all periods from that of ``first`` to that of ``last``."""
    found, at, end = [], start_of(first, unit), start_of(last, unit)
    while at <= end:
        found.append(at)
        following = _next(at, unit)
        if following is None:
            break
        at = following
    return found


def unit_for(first: date, last: date, most: int) -> Unit:
    """The shortest period of which there are at most ``most`` between two days; else the year."""
    days = (last - first).days + 1
    for unit, length in (("day", 1), ("week", 7), ("month", 30.4)):
        if days / length <= most - 1:
            return unit  # type: ignore[return-value]
    return "year"


def newest_of_each(dated: Iterable[tuple[date, T]], unit: Unit) -> dict[date, T]:
    """What comes first in each period, where the newest stand first; the newest period first."""
    kept: dict[date, T] = {}
    for day, one in dated:
        kept.setdefault(start_of(day, unit), one)
    return dict(sorted(kept.items(), reverse=True))


def counted(days: Iterable[date], periods: Sequence[date], unit: Unit) -> list[int]:
    """How many of ``days`` fall in each of the periods; others do not count."""
    counts = dict.fromkeys(periods, 0)
    for day in days:
        at = start_of(day, unit)
        if at in counts:
            counts[at] += 1
    return list(counts.values())


def _next(day: date, unit: Unit) -> date | None:
    try:
        match unit:
            case "day":
                return day + timedelta(days=1)
            case "week":
                return day + timedelta(days=7 - day.weekday())
            case "month":
                return date(day.year + day.month // 12, day.month % 12 + 1, 1)
            case "year":
                return day.replace(year=day.year + 1)
    except (OverflowError, ValueError):  # the end of the year 9999
        return None
