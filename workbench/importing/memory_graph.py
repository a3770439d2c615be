"""A memory-graph file of GoClaw: SQLite with the tables ``memories`` and ``associations``.

Its thirteen types of memory are ours. What is marked as forgotten there stays behind. A memory that another
one updates or supersedes holds until the day of that one; other associations are between two memories, for
which pages have no line, and are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from workbench.errors import UsageError
from workbench.importing.carried import Carried, Item, day_in, digest_of, memories, share_of, why, word
from workbench.importing.database import Database, opened
from workbench.memory.graph import IMPORTANCE

LABEL = "goclaw-graph"
_COLUMNS = (
    *(
        "uuid",
        "content",
        "memory_type",
        "importance",
        "confidence",
        "created_at",
        "occurred_at",
        "happens_at",
    ),
    *("source", "source_session", "username", "forgotten"),
)
_ENDING = ("updates", "supersedes")
_BY_AGENT = "agent"


def read_memory_graph(path: Path) -> Carried:
    """All memories in the file at ``path``. Raises UsageError where it is none."""
    items: list[Item] = []
    left_out: list[tuple[str, str]] = []
    with opened(path, ("memories",)) as database:
        if "content" not in database.columns("memories") or "memory_type" not in database.columns("memories"):
            raise UsageError(f"{path} has a table of memories of another program")
        ends, others = _ends(database)
        for row in database.rows("memories", _COLUMNS, "id"):
            name = word(row.get("uuid")) or digest_of(row)
            if row.get("forgotten"):
                left_out.append((name, "it was forgotten there"))
                continue
            try:
                items.append(_item(name, row, ends.get(name)))
            except UsageError as error:
                left_out.append((name, why(error)))
    left_out += [
        (f"{count} associations “{kind}”", "they join two memories") for kind, count in others.items()
    ]
    return Carried(label=LABEL, items=tuple(items), left_out=tuple(left_out))


def _item(name: str, row: Mapping[str, Any], until: date | None) -> Item:
    kind = word(row.get("memory_type")).casefold()
    if kind not in IMPORTANCE:
        raise UsageError(f"there is no type of memory “{kind[:40]}”")
    start = day_in(row.get("occurred_at")) or day_in(row.get("created_at"))
    user = word(row.get("username"))
    drafts = tuple(
        memories(
            row.get("content") or "",
            type=kind,
            entity=user,
            entity_type="person" if user else "",
            confidence=share_of(row.get("confidence")),
            importance=share_of(row.get("importance")),
            occurred_at=start,
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
    return Item(name=name, digest=digest_of([row, until]), drafts=drafts)


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
