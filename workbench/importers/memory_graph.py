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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from workbench.errors import UsageError
from workbench.importers.database import Database, opened
from workbench.importers.records import (
    Carried,
    Item,
    carried,
    day_in,
    digest_of,
    many,
    memories,
    share_of,
    word,
)
from workbench.memory.graph_page import IMPORTANCE

LABEL = "goclaw-graph"
_COLUMNS = (
    "uuid", "content", "memory_type", "importance", "confidence", "created_at", "occurred_at", "happens_at",
    "source", "source_session", "username", "forgotten",
)  # fmt: skip
_ENDING = ("updates", "supersedes")
_BY_AGENT = "agent"
_OF_THE_PROGRAM = {
    "feedback_metadata": ("answer about a routine", "answers about routines"),
    "anomaly_metadata": ("anomaly", "anomalies"),
    "correlation_metadata": ("correlation", "correlations"),
    "prediction_metadata": ("prediction", "predictions"),
}

_ROUTINES = "routine_metadata"
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
        ends, others = _ends(database)
        routines = read_routines(database)

        def item(name: str, row: Mapping[str, Any]) -> Item:
            if row.get("forgotten"):
                raise UsageError("it was forgotten there")
            return _item(name, row, ends.get(name), routines.get(name))

        rows = database.rows("memories", _COLUMNS, "id")
        named = ((word(row.get("uuid")) or digest_of(row), row) for row in rows)
        found = carried(LABEL, ((name, partial(item, name, row)) for name, row in named))
        left_out = [*found.left_out, *_of_the_program(database)]
    for kind, count in others.items():
        name = many(count, f"association “{kind}”", f"associations “{kind}”")
        left_out.append((name, "pages have no line between two memories"))
    return replace(found, left_out=tuple(left_out))


def _of_the_program(database: Database) -> Iterator[tuple[str, str]]:
    """What of the database is for GoClaw's program alone, counted."""
    for table, what in _OF_THE_PROGRAM.items():
        if table in database.tables and "memory_uuid" in database.columns(table):
            count = sum(1 for _ in database.rows(table, ("memory_uuid",), "memory_uuid"))
            if count:
                yield (
                    f"the details of {many(count, *what)}",
                    "pages have no line for them; their words came over",
                )
    if "next_trigger_at" in database.columns("memories"):
        rows = database.rows("memories", ("next_trigger_at", "forgotten"), "id")
        if count := sum(bool(row.get("next_trigger_at")) and not row.get("forgotten") for row in rows):
            yield (
                many(count, "moment at which GoClaw is to speak", "moments at which GoClaw is to speak"),
                "it alone can",
            )


def _item(name: str, row: Mapping[str, Any], until: date | None, routine: Routine | None) -> Item:
    kind = word(row.get("memory_type")).casefold()
    if kind not in IMPORTANCE:
        raise UsageError(f"there is no type of memory “{kind[:40]}”")
    occurred = day_in(row.get("occurred_at")) or day_in(row.get("created_at"))
    content = row.get("content") or ""
    start = occurred
    if routine is not None:
        content, start = routine.told(content), routine.starts or start
        until = min(filter(None, (until, routine.ends)), default=None)
    user = word(row.get("username"))
    drafts = tuple(
        memories(
            content,
            type=kind,
            entity=user,
            entity_type="person" if user else "",
            confidence=share_of(row.get("confidence")),
            importance=share_of(row.get("importance")),
            occurred_at=occurred,
            happens_at=day_in(row.get("happens_at")),
            valid_from=start,
            valid_until=max(until, start) if until and start else until,
            sources=(f"{LABEL}:{name}", *filter(None, [word(row.get("source"))])),
            session=word(row.get("source_session")),
            trust=_BY_AGENT,
        )
    )
    if not drafts:
        raise UsageError("it holds no words")
    return Item(
        name=name, digest=digest_of([row, until, *([routine.said] if routine else [])]), drafts=drafts
    )


def _ends(database: Database) -> tuple[dict[str, date], Counter[str]]:
    """The days on which memories were replaced, and how many other associations there are of each kind."""
    ends: dict[str, date] = {}
    others: Counter[str] = Counter()
    if "associations" not in database.tables:
        return ends, others
    wanted = ("target_uuid", "relation_type", "created_at")
    for row in database.rows("associations", wanted, "id"):
        kind, target, day = (
            word(row.get("relation_type")),
            word(row.get("target_uuid")),
            day_in(row.get("created_at")),
        )
        if kind in _ENDING and day is not None:
            ends[target] = min(day, ends.get(target, day))
        else:
            others[kind] += 1
    return ends, others


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
    if _ROUTINES not in database.tables or _OF_ROUTINE not in database.columns(_ROUTINES):
        return {}
    return {
        word(row.get(_OF_ROUTINE)): Routine(
            tuple(_said(row)), day_in(row.get("starts_on")), day_in(row.get("ends_on"))
        )
        for row in database.rows(_ROUTINES, _ROUTINE_COLUMNS, _OF_ROUTINE)
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
