"""A memory-graph file of GoClaw: SQLite with the tables ``memories`` and ``associations``.

Its thirteen types of memory are ours. What is marked as forgotten there stays behind. A memory that another
one updates or supersedes holds until the day of that one; other associations are between two memories, for
which pages have no line, and are counted. So is what GoClaw's program keeps for its own work: what it
observed, predicted and was told of routines, and when it is to speak next.

When and where a routine is, and what is done then (``routine_metadata``), is what it is; without that its
memory is a title. The days on which it begins and ends become the time for which the memory holds. How far
the agent may act by itself, and how often it did, is between the agent and its program.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from workbench.errors import UsageError
from workbench.importers.database import Database, opened
from workbench.importers.plan import Carried, Item, SourceRow, carried, digest_of, many, memory_item, word
from workbench.memory.graph_types import IMPORTANCE

LABEL = "goclaw-graph"
_COLUMNS = (
    "uuid", "content", "memory_type", "importance", "confidence", "created_at", "occurred_at", "happens_at",
    "source", "source_session", "username", "forgotten",
)  # fmt: skip
_ENDING = ("updates", "supersedes")
_OF_THE_PROGRAM = {
    "feedback_metadata": ("answer about a routine", "answers about routines"),
    "anomaly_metadata": ("anomaly", "anomalies"),
    "correlation_metadata": ("correlation", "correlations"),
    "prediction_metadata": ("prediction", "predictions"),
}

_OF_ROUTINE = "memory_uuid"
_ROUTINE_COLUMNS = (
    _OF_ROUTINE,
    *("trigger_type", "trigger_cron", "trigger_event", "trigger_condition"),
    *("action", "action_entity", "action_extra"),
    *("days", "time_start", "time_end", "duration_minutes", "location", "person"),
    *("starts_on", "ends_on", "skip_dates"),
)
_WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MOST = 200
"""Characters of one value that are taken."""
_MOST_DAYS = 12


def read_memory_graph(path: Path) -> Carried:
    """All memories in the file at ``path``. Raises UsageError where it is none."""
    with opened(path, ("memories",)) as database:
        if not {"content", "memory_type"} <= set(database.columns("memories")):
            raise UsageError(f"{path} has a table of memories of another program")
        ends, left_out = _ends(database)
        left_out += _of_the_program(database)
        routines = {
            row.word(_OF_ROUTINE): Routine(tuple(_said(row)), row.day("starts_on"), row.day("ends_on"))
            for row in database.rows("routine_metadata", _ROUTINE_COLUMNS, _OF_ROUTINE)
        }
        rows = database.rows("memories", _COLUMNS, "id")
        named = ((row.word("uuid") or digest_of(row), row) for row in rows)
        found = carried(LABEL, named, lambda name, row: _item(name, row, ends.get(name), routines.get(name)))
    return replace(found, left_out=(*found.left_out, *left_out))


def _of_the_program(database: Database) -> Iterator[tuple[str, str]]:
    """What of the database is for GoClaw's program alone, counted."""
    for table, what in _OF_THE_PROGRAM.items():
        if count := sum(1 for _ in database.rows(table, (_OF_ROUTINE,), _OF_ROUTINE)):
            why = "pages have no line for them; their text was imported"
            yield f"the details of {many(count, *what)}", why
    rows = database.rows("memories", ("next_trigger_at", "forgotten"), "id")
    if count := sum(bool(row.get("next_trigger_at")) and not row.get("forgotten") for row in rows):
        moments = many(count, "moment at which GoClaw is to speak", "moments at which GoClaw is to speak")
        yield moments, "it alone can"


def _item(name: str, row: SourceRow, until: date | None, routine: Routine | None) -> Item:
    if row.get("forgotten"):
        raise UsageError("it was forgotten there")
    kind = row.word("memory_type").casefold()
    if kind not in IMPORTANCE:
        raise UsageError(f"unknown type of memory: “{kind[:40]}”")
    occurred = row.day("occurred_at") or row.day("created_at")
    content = row.get("content") or ""
    start = occurred
    if routine is not None:
        content, start = routine.told(content), routine.starts or start
        until = min(filter(None, (until, routine.ends)), default=None)
    user = row.word("username")
    return memory_item(
        name,
        content,
        [row, until, *([routine.said] if routine else [])],
        type=kind,
        entity=user,
        entity_type="person" if user else "",
        confidence=row.share("confidence"),
        importance=row.share("importance"),
        occurred_at=occurred,
        happens_at=row.day("happens_at"),
        valid_from=start,
        valid_until=max(until, start) if until and start else until,
        sources=(f"{LABEL}:{name}", *filter(None, [row.word("source")])),
        session=row.word("source_session"),
    )


def _ends(database: Database) -> tuple[dict[str, date], list[tuple[str, str]]]:
    """The days on which memories were replaced, and what other associations there are, counted."""
    ends: dict[str, date] = {}
    others: Counter[str] = Counter()
    for row in database.rows("associations", ("target_uuid", "relation_type", "created_at"), "id"):
        kind, target, day = row.word("relation_type"), row.word("target_uuid"), row.day("created_at")
        if kind in _ENDING and day is not None:
            ends[target] = min(day, ends.get(target, day))
        else:
            others[kind] += 1
    why = "pages have no line between two memories"
    told = [
        (many(count, f"association “{kind}”", f"associations “{kind}”"), why)
        for kind, count in others.items()
    ]
    return ends, told


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


def _said(row: SourceRow) -> Iterator[str]:
    def of(name: str) -> str:
        return row.word(name)[:_MOST]

    days, start, end = _days(_listed(row.get("days"))), of("time_start"), of("time_end")
    if when := " ".join(filter(None, (days, f"{start} to {end}" if start and end else start))):
        yield when
    minutes = row.get("duration_minutes")
    if isinstance(minutes, int) and minutes > 0 and not end:
        yield f"{minutes} minutes"
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
