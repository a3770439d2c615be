"""The memory database of an OpenClaw workspace: SQLite with cells of a type and a salience, in scenes.

A scene becomes an entity; its summary an observation, its cells typed memories. What runs out there (an
exchange after 7 days, a task after 30 …) and is over already stays behind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any

from workbench.errors import UsageError
from workbench.importing.carried import Carried, Item, day_in, digest_of, memories, share_of, why, word
from workbench.importing.database import Database, opened

LABEL = "openclaw-cells"
TYPES: Mapping[str, str] = MappingProxyType(
    {
        "fact": "fact",
        "decision": "decision",
        "preference": "preference",
        "lesson": "feedback",
        "task": "todo",
        "plan": "goal",
        "risk": "prediction",
        "exchange": "observation",
        "session_summary": "observation",
    }
)
"""What the types of cells are among ours."""
DAYS: Mapping[str, int] = MappingProxyType(
    {"exchange": 7, "task": 30, "plan": 90, "risk": 60, "session_summary": 14}
)
"""Days after which cells run out in the program that made them; the others stay."""
_CELL = ("id", "scene", "cell_type", "salience", "content", "source", "tags", "created_at", "owner_id")


def read_cells(path: Path, today: date) -> Carried:
    """All scenes and cells in the file at ``path``. Raises UsageError where it is none."""
    items: list[Item] = []
    left_out: list[tuple[str, str]] = []
    with opened(path, ("mem_cells",)) as database:
        for name, row in _scenes(database):
            drafts = tuple(_about(row))
            if drafts:
                items.append(Item(name=name, digest=digest_of(row), drafts=drafts))
        for row in database.rows("mem_cells", _CELL, "id"):
            name = f"cell/{row.get('id')}"
            try:
                items.append(_cell(name, row, today))
            except UsageError as error:
                left_out.append((name, why(error)))
    return Carried(label=LABEL, items=tuple(items), left_out=tuple(left_out))


def _scenes(database: Database) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if "mem_scenes" in database.tables:
        for row in database.rows("mem_scenes", ("scene", "summary", "updated_at"), "scene"):
            yield f"scene/{word(row.get('scene'))}", row


def _about(row: Mapping[str, Any]) -> Iterator[Any]:
    scene = word(row.get("scene"))
    if scene and word(row.get("summary")):
        yield from memories(
            row["summary"],
            type="observation",
            entity=scene,
            occurred_at=day_in(row.get("updated_at")),
            sources=(f"{LABEL}:scene/{scene}",),
            trust="agent",
        )


def _cell(name: str, row: Mapping[str, Any], today: date) -> Item:
    kind = word(row.get("cell_type")).casefold()
    if kind not in TYPES:
        raise UsageError(f"there is no type of cell “{kind[:40]}”")
    made = day_in(row.get("created_at"))
    if made and kind in DAYS and made + timedelta(days=DAYS[kind]) < today:
        raise UsageError(f"it ran out there: {kind}, {DAYS[kind]} days after {made}")
    drafts = tuple(
        memories(
            row.get("content") or "",
            type=TYPES[kind],
            entity=word(row.get("scene")),
            importance=share_of(row.get("salience")),
            occurred_at=made,
            valid_from=made,
            sources=(f"{LABEL}:{name}", *filter(None, [word(row.get("source"))])),
            trust="agent",
        )
    )
    if not drafts:
        raise UsageError("it holds no words")
    return Item(name=name, digest=digest_of(row), drafts=drafts)
