"""The memory database of an OpenClaw workspace: SQLite with cells of a type and a salience, in scenes.

Its tables are `mem_cells` and `mem_scenes`, or `memory_cells` and `scenes`; columns go by several names.

A scene becomes an entity; its summary an observation, its cells typed memories. What runs out there (an
exchange after 7 days, a task after 30 …) and is over already stays behind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from workbench.errors import UsageError
from workbench.importers.database import Database, opened
from workbench.importers.records import (
    Carried,
    Item,
    carried,
    day_in,
    digest_of,
    memories,
    share_of,
    word,
)
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
        table = next((name for name in _CELLS if name in database.tables), "")
        have = _columns(database, table, _CELL) if table else {}
        if not {"id", "content"} <= have.keys():
            lacks = f"a table {' or '.join(_CELLS)} with an id and a text"
            raise UsageError(f"{path} has no table of cells: {lacks}", hint=f"it has {database.described()}")
        scenes = [(row, tuple(_about(row))) for row in _scenes(database)]
        names = {str(row["id"]): word(row.get("scene")) for row, _ in scenes if row.get("id") is not None}
        rows = [(f"cell/{row.get('id')}", row) for row in _rows(database, table, have, "id")]
        cells = carried(
            LABEL, ((name, partial(_cell, name, _in_scene(row, names), today)) for name, row in rows)
        )
    summaries = [
        Item(name=f"scene/{word(row.get('scene'))}", digest=digest_of(row), drafts=drafts)
        for row, drafts in scenes
        if drafts
    ]
    return replace(cells, items=(*summaries, *cells.items))


def _columns(database: Database, table: str, wanted: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The columns of a table by the names that we have for them; those that it lacks are missing."""
    there = database.columns(table)
    found = ((ours, next((name for name in theirs if name in there), "")) for ours, theirs in wanted.items())
    return {ours: name for ours, name in found if name}


def _rows(database: Database, table: str, have: Mapping[str, str], order: str) -> Iterator[Mapping[str, Any]]:
    for row in database.rows(table, tuple(have.values()), have[order]):
        yield {ours: row[name] for ours, name in have.items()}


def _scenes(database: Database) -> Iterator[Mapping[str, Any]]:
    table = next((name for name in _SCENES if name in database.tables), "")
    have = _columns(database, table, _SCENE) if table else {}
    if "scene" in have:
        yield from _rows(database, table, have, "scene")


def _in_scene(row: Mapping[str, Any], names: Mapping[str, str]) -> Mapping[str, Any]:
    """A cell with the name of its scene, where it has the scene's id."""
    scene = row.get("scene")
    if scene is None or (name := names.get(str(scene), "")) == scene:
        return row
    return {**row, "scene": name or (scene if isinstance(scene, str) else f"scene {scene}")}


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
    kind = word(row.get("cell_type")).casefold() if "cell_type" in row else "fact"
    type_ = TYPES.get(kind, kind)
    if type_ not in IMPORTANCE:
        raise UsageError(f"there is no type of cell “{kind[:40]}”")
    made = day_in(row.get("created_at"))
    if made and kind in DAYS and made + timedelta(days=DAYS[kind]) < today:
        raise UsageError(f"it ran out there: {kind}, {DAYS[kind]} days after {made}")
    drafts = tuple(
        memories(
            row.get("content") or "",
            type=type_,
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
