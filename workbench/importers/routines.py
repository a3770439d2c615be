"""What GoClaw knows of a routine beside its words: ``routine_metadata``, as the words that a page can hold.

When and where it is, and what is done then, is what a routine is; without that its memory is a title. The
days on which it begins and ends become the time for which the memory holds. How far the agent may act by
itself, and how often it did, is between the agent and its program, and stays behind.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from workbench.importers.database import Database
from workbench.importers.records import day_in, word

_TABLE = "routine_metadata"
_NAME = "memory_uuid"
_COLUMNS = (
    _NAME,
    *("trigger_type", "trigger_cron", "trigger_event", "trigger_condition"),
    *("action", "action_entity", "action_extra"),
    *("days", "time_start", "time_end", "duration_minutes", "location", "person"),
    *("starts_on", "ends_on", "skip_dates"),
)
_WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MOST = 200
"""Characters of one value that are taken."""
_MOST_DAYS = 12


@dataclass(frozen=True, slots=True)
class Routine:
    """``said`` are the parts of a sentence, in their order; ``starts`` and ``ends`` the days of its time."""

    said: tuple[str, ...]
    starts: date | None = None
    ends: date | None = None

    def told(self, content: str) -> str:
        """``content`` with what it does not say already."""
        have = content.casefold()
        new = [part for part in self.said if part.casefold() not in have]
        return ", ".join([content.rstrip().rstrip(".,;"), *new]) if new and content.strip() else content


def read_routines(database: Database) -> dict[str, Routine]:
    """The routines of a database that say more than their title, by the names of their memories."""
    if _TABLE not in database.tables or _NAME not in database.columns(_TABLE):
        return {}
    return {
        word(row.get(_NAME)): Routine(
            tuple(_said(row)), day_in(row.get("starts_on")), day_in(row.get("ends_on"))
        )
        for row in database.rows(_TABLE, _COLUMNS, _NAME)
    }


def _said(row: Mapping[str, Any]) -> Iterator[str]:
    def of(name: str) -> str:
        return word(row.get(name))[:_MOST]

    days, start, end = _days(_listed(row.get("days"))), of("time_start"), of("time_end")
    minutes = row.get("duration_minutes")
    length = f"{minutes} minutes" if isinstance(minutes, int) and minutes > 0 and not end else ""
    if when := " ".join(filter(None, (days, f"{start} to {end}" if start and end else start))):
        yield when
    if length:
        yield length
    if of("location"):
        yield of("location")
    if of("person"):
        yield f"person: {of('person')}"
    if not when and of("trigger_cron"):
        yield f"at {of('trigger_cron')} (cron)"
    if of("trigger_event"):
        yield f"on the event {of('trigger_event')}"
    if of("trigger_condition"):
        yield f"if {of('trigger_condition')}"
    if of("action"):
        yield "action: " + " ".join(filter(None, map(of, ("action", "action_entity", "action_extra"))))
    if skipped := sorted(_listed(row.get("skip_dates")))[:_MOST_DAYS]:
        yield "not on " + ", ".join(skipped)


def _listed(value: object) -> list[str]:
    """The words of a list as JSON; none for what is no such list."""
    try:
        found = json.loads(value) if isinstance(value, str) else None
    except (ValueError, RecursionError):
        return []
    words = (word(item)[:_MOST] for item in found) if isinstance(found, list) else iter(())
    return [item for item in words if item]


def _days(names: list[str]) -> str:
    """``Tuesdays and Fridays``; what is no day of the week as it is written."""
    low = {name.casefold() for name in names}
    if low >= set(_WEEK):
        return "every day"
    known = [f"{day.capitalize()}s" for day in _WEEK if day in low]
    told = known + [name for name in names if name.casefold() not in _WEEK][:_MOST_DAYS]
    return " and ".join(filter(None, (", ".join(told[:-1]), *told[-1:])))
