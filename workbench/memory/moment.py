"""Days that may have a time, as they are written in a text and in the name of a file."""

from __future__ import annotations

import functools
import re
from datetime import UTC, date, datetime, time
from typing import Any

from workbench.frozen import frozen
from workbench.memory.provenance import parse_day

_MOMENT = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)[Tt ]"
    r"(?P<clock>[0-2]\d:[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?) ?(?P<zone>[Zz]|[+-]\d\d:?\d\d)?"
)
_SECONDS = 86_400


class Moment(date):
    """A day and the time of it, with the zone where one was given: as it was written.

    It is that day wherever days are compared or counted; two moments of one day stand in the order of time.
    """

    __slots__ = ("clock",)

    clock: str

    def __new__(cls, year: int, month: int, day: int, clock: str = "00:00") -> Moment:
        """``clock`` is the time with its zone, as in ISO 8601."""
        made = super().__new__(cls, year, month, day)
        made.clock = clock
        return made

    def isoformat(self) -> str:
        """``2026-04-01T14:30+02:00``."""
        return f"{super().isoformat()}T{self.clock}"

    def __str__(self) -> str:
        """``2026-04-01 14:30+02:00``."""
        return f"{super().isoformat()} {self.clock}"

    def __reduce__(self) -> tuple[Any, ...]:
        """For copies, and for other processes."""
        return type(self), (self.year, self.month, self.day, self.clock)

    def __hash__(self) -> int:
        """That of its day."""
        return super().__hash__()

    def __eq__(self, other: object) -> bool:
        """Whether it is the same moment, as it is written; a day is none."""
        return isinstance(other, Moment) and super().__eq__(other) and self.clock == other.clock

    def __ne__(self, other: object) -> bool:
        """Whether it is another moment."""
        return not self == other

    def __lt__(self, other: date) -> bool:
        """Whether it is earlier; of a day all moments are equal to the day itself."""
        return ordinal(self) < ordinal(other) if isinstance(other, Moment) else super().__lt__(other)

    def __le__(self, other: date) -> bool:
        """Whether it is not later."""
        return not self > other

    def __gt__(self, other: date) -> bool:
        """Whether it is later."""
        return ordinal(self) > ordinal(other) if isinstance(other, Moment) else super().__gt__(other)

    def __ge__(self, other: date) -> bool:
        """Whether it is not earlier."""
        return not self < other


def parse_moment(text: str | None) -> date | None:
    """A day, or a moment where a time is said; None where ``text`` is neither.

    A moment is written ``2026-04-01T14:30`` or ``2026-04-01 14:30+02:00``.
    """
    found = _MOMENT.fullmatch(text.strip()) if text else None
    if found is None:
        return parse_day(text)
    clock, zone = found["clock"], (found["zone"] or "").upper()
    try:
        day = datetime.fromisoformat(f"{found['day']}T{clock}{zone}").date()
    except ValueError:
        return None
    return Moment(day.year, day.month, day.day, clock + zone)


def ordinal(day: date) -> float:
    """A number to sort days and moments by: whole for a day, a moment's is between its day and the next.

    Moments of one day are compared by the instant that their zones make of them; without a zone in UTC.
    """
    if not isinstance(day, Moment):
        return float(day.toordinal())
    start = datetime.combine(date(day.year, day.month, day.day), time(), UTC)
    said = datetime.fromisoformat(day.isoformat())
    instant = said if said.tzinfo else said.replace(tzinfo=UTC)
    # A zone may take an instant to the day before or after: the share stays within the day all the same.
    return day.toordinal() + ((instant - start).total_seconds() / _SECONDS + 1) / 3


def clock_of(day: date | None) -> str:
    """`` 14:30+02:00``, to be written behind a day; empty for a day without a time."""
    return f" {day.clock}" if isinstance(day, Moment) else ""


# -- the day in the name of a file -------------------------------------------------------------------
# ``2026-03-14.md``, ``2026-03-14-standup.md``, ``2026-03-14-2012.md``

_NAME = re.compile(r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})(?:[-_ ](?P<rest>.*))?\.md", re.DOTALL)
_TIME = re.compile(r"(?P<hour>[01][0-9]|2[0-3])(?P<minute>[0-5][0-9])")


@frozen
class DatedName:
    """The ``day`` of a file, and the ``time`` its session began (from HHMM), else its ``slug``."""

    day: date
    time: time | None = None
    slug: str = ""

    @property
    def title(self) -> str:
        """What the name says beside the day, for a person: ``20:12``, ``standup notes``, or nothing."""
        return f"{self.time:%H:%M}" if self.time else self.slug.replace("-", " ").replace("_", " ")


@functools.lru_cache(maxsize=4_096)
def dated_name(path: str) -> DatedName | None:
    """The date in the name of the file at ``path``, or None where it begins with none.

    Four digits that are all of what follows the day are a time (`-2012` is 20:12, no year).
    """
    found = _NAME.fullmatch(path.rpartition("/")[2])
    day = parse_day(found["day"]) if found else None
    if found is None or day is None:
        return None
    rest = found["rest"] or ""
    if at := _TIME.fullmatch(rest):
        return DatedName(day, time(int(at["hour"]), int(at["minute"])))
    return DatedName(day, slug=rest)
