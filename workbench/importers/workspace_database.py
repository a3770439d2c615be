"""The memory database of an OpenClaw workspace: SQLite with cells of a type and a salience, in scenes.

Its tables are `mem_cells` and `mem_scenes`, or `memory_cells` and `scenes`; columns go by several names.

A scene becomes an entity; its summary an observation, its cells typed memories. What runs out there (an
exchange after 7 days, a task after 30 …) and is over already stays behind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from types import MappingProxyType

from workbench.errors import UsageError
from workbench.importers.database import Database, opened
from workbench.importers.plan import Carried, Item, SourceRow, carried, memory_item
from workbench.memory.graph_page import IMPORTANCE

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
_CELLS = ("mem_cells", "memory_cells")
_SCENES = ("mem_scenes", "memory_scenes", "scenes")
_CELL = {
    "id": ("id", "cell_id"),
    "scene": ("scene", "scene_id", "scene_name"),
    "cell_type": ("cell_type", "type", "memory_type", "kind"),
    "salience": ("salience", "importance", "importance_score"),
    "content": ("content", "text", "summary"),
    "source": ("source",),
    "tags": ("tags",),
    "created_at": ("created_at", "timestamp", "created"),
    "owner_id": ("owner_id",),
}
_SCENE = {
    "id": ("id", "scene_id"),
    "scene": ("scene", "name", "title", "scene_name"),
    "summary": ("summary", "description"),
    "updated_at": ("updated_at", "created_at", "timestamp"),
}
"""The columns as we call them, each with the names that versions have for it; the first one counts."""


def read_cells(path: Path, today: date) -> Carried:
    """All scenes and cells in the file at ``path``. Raises UsageError where it is none."""
    with opened(path) as database:
        cells = _rows(database, _CELLS, _CELL, "id", "content")
        if cells is None:
            lacks = f"a table {' or '.join(_CELLS)} with an id and a text"
            raise UsageError(f"{path} has no table of cells: {lacks}", hint=f"it has {database.described()}")
        scenes = _rows(database, _SCENES, _SCENE, "scene") or []
    names = {str(row.get("id")): row.word("scene") for row in scenes if row.get("id") is not None}
    named = ((f"cell/{row.get('id')}", row) for row in cells)
    found = carried(LABEL, named, lambda name, row: _cell(name, row, names, today))
    about = (
        (f"scene/{row.word('scene')}", row) for row in scenes if row.word("scene") and row.word("summary")
    )
    summaries = carried(LABEL, about, _summary)
    return replace(
        found,
        items=(*summaries.items, *found.items),
        left_out=(*summaries.left_out, *found.left_out),
    )


def _rows(
    database: Database, tables: Sequence[str], columns: Mapping[str, Sequence[str]], *needed: str
) -> list[SourceRow] | None:
    """The rows of the first of the ``tables`` that is there, with our names for its columns.

    None where there is none, or it lacks what is ``needed``, of which the first one is the order of the rows.
    """
    table = next((name for name in tables if name in database.tables), "")
    there = database.columns(table) if table else ()
    have = {ours: name for ours, theirs in columns.items() for name in theirs[::-1] if name in there}
    if not have.keys() >= set(needed):
        return None
    rows = database.rows(table, tuple(have.values()), have[needed[0]])
    return [SourceRow({ours: row.get(name) for ours, name in have.items()}) for row in rows]


def _summary(source: str, row: SourceRow) -> Item:
    """What a scene is about, as an observation of its page."""
    return memory_item(
        source,
        row["summary"],
        row,
        type="observation",
        entity=row.word("scene"),
        occurred_at=row.day("updated_at"),
        sources=(f"{LABEL}:{source}",),
    )


def _cell(name: str, row: SourceRow, scenes: Mapping[str, str], today: date) -> Item:
    kind = row.word("cell_type").casefold() if "cell_type" in row else "fact"
    type_ = TYPES.get(kind, kind)
    if type_ not in IMPORTANCE:
        raise UsageError(f"there is no type of cell “{kind[:40]}”")
    made = row.day("created_at")
    if made and kind in DAYS and made + timedelta(days=DAYS[kind]) < today:
        raise UsageError(f"it ran out there: {kind}, {DAYS[kind]} days after {made}")
    scene = row.get("scene")
    if scene is not None:  # its name, its id, or a number that no scene has
        usual = scene if isinstance(scene, str) else f"scene {scene}"
        row = SourceRow({**row, "scene": scenes.get(str(scene)) or usual})
    return memory_item(
        name,
        row.get("content"),
        row,
        type=type_,
        entity=row.word("scene"),
        importance=row.share("salience"),
        occurred_at=made,
        valid_from=made,
        sources=(f"{LABEL}:{name}", *filter(None, [row.word("source")])),
    )
