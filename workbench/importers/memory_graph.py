"""A memory-graph file of GoClaw: SQLite with the tables ``memories`` and ``associations``.

Its thirteen types of memory are ours. What is marked as forgotten there stays behind. A memory that another
one updates or supersedes holds until the day of that one; other associations are between two memories, for
which pages have no line, and are counted. So is what GoClaw's program keeps for its own work: what it
observed, predicted and was told of routines, and when it is to speak next.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
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
from workbench.importers.routines import Routine, read_routines
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
