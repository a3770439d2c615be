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

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

from workbench.errors import UsageError
from workbench.importers.database import Database, opened
from workbench.importers.plan import (
    Carried,
    Item,
    SourceRow,
    carried,
    digest_of,
    json_of,
    many,
    memory_item,
    word,
)
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
_DETAILS = {
    **{"days": "", "time_start": "", "time_end": "to ", "duration_minutes": "minutes: ", "location": ""},
    **{"person": "person: ", "trigger_cron": "cron: ", "trigger_event": "on the event "},
    **{"trigger_condition": "if ", "action": "action: ", "action_entity": "", "action_extra": ""},
    "skip_dates": "not on ",
}
"""What is said of a routine beside its title: columns, in the order of the words, and what leads each in."""
_MOST = 200
"""Characters of one value that are taken."""


def read_memory_graph(path: Path) -> Carried:
    """All memories in the file at ``path``. Raises UsageError where it is none."""
    with opened(path, ("memories",)) as database:
        if not {"content", "memory_type"} <= set(database.columns("memories")):
            raise UsageError(f"{path} has a table of memories of another program")
        ends, left_out = _ends(database)
        left_out += _of_the_program(database)
        columns = (_OF_ROUTINE, *_DETAILS, "starts_on", "ends_on")
        routines = {
            row.word(_OF_ROUTINE): row for row in database.rows("routine_metadata", columns, _OF_ROUTINE)
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


def _item(name: str, row: SourceRow, until: date | None, routine: SourceRow | None) -> Item:
    if row.get("forgotten"):
        raise UsageError("it was forgotten there")
    kind = row.word("memory_type").casefold()
    if kind not in IMPORTANCE:
        raise UsageError(f"unknown type of memory: “{kind[:40]}”")
    occurred = row.day("occurred_at") or row.day("created_at")
    content = str(row.get("content") or "")
    start = occurred
    if routine is not None:
        new = [said for said in _details(routine) if said.casefold() not in content.casefold()]
        content = ", ".join([content.rstrip().rstrip(".,;"), *new]) if new and content.strip() else content
        start = routine.day("starts_on") or start
        until = min(filter(None, (until, routine.day("ends_on"))), default=None)
    user = row.word("username")
    return memory_item(
        name,
        content,
        [row, until, *([routine] if routine else [])],
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


def _details(row: SourceRow) -> Iterator[str]:
    for name, lead in _DETAILS.items():
        value = row.get(name)
        listed = json_of(value)
        said = ", ".join(map(word, listed)) if isinstance(listed, list) else word(str(value or ""))
        if said:
            yield lead + said[:_MOST]
