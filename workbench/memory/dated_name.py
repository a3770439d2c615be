"""The day in the name of a file: ``2026-03-14.md``, ``2026-03-14-standup.md``, ``2026-03-14-2012.md``."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from datetime import date, time

from workbench.memory.provenance import parse_day

_NAME = re.compile(r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})(?:[-_ ](?P<rest>.*))?\.md", re.DOTALL)
_TIME = re.compile(r"(?P<hour>[01][0-9]|2[0-3])(?P<minute>[0-5][0-9])")


@dataclass(frozen=True, slots=True)
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
