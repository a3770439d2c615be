"""SQLite files of other programs, and the import of one of them: the memory database of OpenClaw's cells.

The files are untrusted, and they are read and never written.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from urllib.parse import quote

from workbench.errors import UsageError
from workbench.importers.plan import ImportItem, ImportSource, SourceRow, carried, memory_item
from workbench.memory.graph_types import IMPORTANCE
from workbench.temporary import scratch

_SECONDS = 120.0
"""For how long reading one file may take."""
_STEP = 100_000
_MAGIC = b"SQLite format 3\x00"
_PARTS = ("", "-wal", "-journal")
"""The files of one database: itself, its write-ahead log, and its rollback journal."""
_TRIES, _PAUSE_SECONDS = 40, 0.05
_MOST_SHOWN = 20


class Database:
    """The tables of one SQLite file, opened for reading."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        self.tables = frozenset(str(name) for (name,) in found)

    def columns(self, table: str) -> tuple[str, ...]:
        """The columns of a table, in order; none where there is no such table."""
        if table not in self.tables:
            return ()
        rows = self._connection.execute(f"PRAGMA table_info({_quoted(table)})")
        return tuple(str(row[1]) for row in rows)

    def described(self) -> str:
        """Its tables with their columns, for a message: ``cells(id, content), notes(id)``."""
        own = sorted(name for name in self.tables if not name.startswith("sqlite_"))
        shown = [f"{name}({', '.join(self.columns(name)[:_MOST_SHOWN])})" for name in own[:_MOST_SHOWN]]
        return ", ".join([*shown, *(["…"] if len(own) > _MOST_SHOWN else [])]) or "no table"

    def rows(self, table: str, wanted: Sequence[str], order: str) -> Iterator[SourceRow]:
        """The rows of a table, each with those of the ``wanted`` columns that the table has.

        None where the table, or the column that they are in the ``order`` of, is not there.
        """
        have = self.columns(table)
        if order not in have:
            return
        names = [name for name in wanted if name in have]
        listed = ", ".join(map(_quoted, names))
        query = f"SELECT {listed} FROM {_quoted(table)} ORDER BY {_quoted(order)}"  # noqa: S608 - quoted
        for row in self._connection.execute(query):
            yield SourceRow(zip(names, row, strict=True))


def is_database(path: Path) -> bool:
    """Whether a plain file begins as SQLite's do. Raises UsageError where it cannot be read."""
    require_plain_file(path)
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Database]:
    """The database at ``path``.

    A program may be writing it: a copy of it and of its log or journal is read, as of the last commit.
    Raises UsageError.
    """
    if not is_database(path):
        raise UsageError(f"{path} is not a SQLite database")
    with scratch("import") as folder:
        copy = folder / "database"
        _copy(path, copy)
        try:
            with contextlib.closing(_connected(copy)) as connection:
                yield Database(connection)
        except sqlite3.Error as error:
            raise UsageError(f"{path} cannot be read as a database: {error}") from error


def _copy(path: Path, copy: Path) -> None:
    """Copy a database with its log or journal, all as they were at one moment. Raises UsageError."""
    for _ in range(_TRIES):
        before = _stamps(path)
        for end in _PARTS:
            Path(f"{copy}{end}").unlink(missing_ok=True)
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(f"{path}{end}", f"{copy}{end}")
        if copy.exists() and _stamps(path) == before:
            return
        time.sleep(_PAUSE_SECONDS)
    raise UsageError(
        f"{path} is being written all the time: no consistent copy could be made",
        hint="stop the program that writes it, or use a copy",
    )


def _stamps(path: Path) -> list[tuple[str, int, int, int]]:
    """What changes of a database's files when somebody writes to them."""
    found = []
    for end in _PARTS:
        with contextlib.suppress(FileNotFoundError):
            status = os.stat(f"{path}{end}")
            found.append((end, status.st_ino, status.st_size, status.st_mtime_ns))
    return found


def require_plain_file(path: Path) -> None:
    """Refuse what is no plain file before it is opened. Raises UsageError."""
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    if not stat.S_ISREG(mode):
        raise UsageError(f"{path} is not a plain file")


def _connected(path: Path) -> sqlite3.Connection:
    # The copy is ours, so its log may be played back into it; the schema in it is still nobody's we trust.
    connection = sqlite3.connect(f"file:{quote(os.fspath(path))}?mode=rw", uri=True)
    end = time.monotonic() + _SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > end, _STEP)
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA query_only = ON")
    return connection


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


# -- the memory database of an OpenClaw workspace ----------------------------------------------------
# Its tables are `mem_cells` and `mem_scenes`, or `memory_cells` and `scenes`; columns go by several names.

LABEL = "openclaw-cells"
TYPES = {
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
"""What the types of cells are among ours."""
DAYS = {"exchange": 7, "task": 30, "plan": 90, "risk": 60, "session_summary": 14}
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


def read_cells(path: Path, today: date) -> ImportSource:
    """All scenes and cells in the file at ``path``. Raises UsageError where it is none.

    A cell has a type and a salience, and stands in a scene. A scene becomes an entity, its summary an
    observation, its cells typed memories. A cell that has run out in OpenClaw (``DAYS``) stays behind.
    """
    with opened(path) as database:
        cells = _rows(database, _CELLS, _CELL, "id", "content")
        if cells is None:
            lacks = f"a table {' or '.join(_CELLS)} with an id and a text"
            raise UsageError(f"{path} has no table of cells: {lacks}", hint=f"it has {database.described()}")
        scenes = _rows(database, _SCENES, _SCENE, "scene") or []
    names = {str(row.get("id")): row.word("scene") for row in scenes if row.get("id") is not None}
    named = [
        (f"scene/{row.word('scene')}", row) for row in scenes if row.word("scene") and row.word("summary")
    ]
    named += ((f"cell/{row.get('id')}", row) for row in cells)
    return carried(
        LABEL,
        named,
        lambda name, row: (
            _summary(name, row) if name.startswith("scene/") else _cell(name, row, names, today)
        ),
    )


def _rows(
    database: Database, tables: Sequence[str], columns: Mapping[str, Sequence[str]], *needed: str
) -> list[SourceRow] | None:
    """The rows of the first of the ``tables`` that is there, with our names for its columns.

    None where there is none, or it lacks what is ``needed``, of which the first one is the order of the rows.
    """
    table = next((name for name in tables if name in database.tables), "")
    there = database.columns(table)
    have = {ours: name for ours, theirs in columns.items() for name in theirs[::-1] if name in there}
    if not have.keys() >= set(needed):
        return None
    rows = database.rows(table, tuple(have.values()), have[needed[0]])
    return [SourceRow({ours: row.get(name) for ours, name in have.items()}) for row in rows]


def _summary(source: str, row: SourceRow) -> ImportItem:
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


def _cell(name: str, row: SourceRow, scenes: Mapping[str, str], today: date) -> ImportItem:
    kind = row.word("cell_type").casefold() if "cell_type" in row else "fact"
    type_ = TYPES.get(kind, kind)
    if type_ not in IMPORTANCE:
        raise UsageError(f"there is no type of cell “{kind[:40]}”")
    made = row.day("created_at")
    if made and kind in DAYS and made + timedelta(days=DAYS[kind]) < today:
        raise UsageError(f"expired in OpenClaw ({kind}: {DAYS[kind]} days after {made})")
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
