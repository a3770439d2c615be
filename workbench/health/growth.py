"""How memory grew: characters and entries of MEMORY.md and the logs over time, read from git's history.

One commit stands for a day, a week, a month or a year, so that at most 60 are read however long the history
is. What was measured of a commit never changes: it is kept in ``.workbench/growth.json``, which may be lost.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from indexing.storage import read_json, write_json
from workbench.errors import WorkbenchError
from workbench.health.periods import Unit, between, newest_of_each, unit_for
from workbench.memory.entry import Kind
from workbench.memory.markdown import parse_document
from workbench.memory.names import BlobId, CommitId, RelPath
from workbench.repository.first_parents import main_line
from workbench.repository.history import History
from workbench.workspace.layout import MEMORY_FILES, STATE_DIR, kind_of
from workbench.workspace.workspace import Workspace

SAMPLES = 60
"""Moments of the past that are measured at most."""
COMMITS = 100_000
"""Commits whose moments are looked at at most."""
PATIENCE = 20.0
"""Seconds after which no older commit is begun."""
_BOOK = "growth.json"
_FORMAT = 1
_MOST_TEXTS = 60_000
"""Texts whose sizes are remembered."""
_MOST = 1 << 50
"""Characters or entries; what is more was not measured by us."""
_AHEAD = timedelta(days=1)
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Size:
    """Characters, and the entries that they are."""

    characters: int = 0
    entries: int = 0

    def __add__(self, other: Size) -> Size:
        return Size(self.characters + other.characters, self.entries + other.entries)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Memory at one moment: MEMORY.md, all daily logs together, and how many files these are."""

    memory: Size = Size()
    logs: Size = Size()
    log_files: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A period by its first day, and memory as it was at its end; None where that is not known."""

    start: date
    measured: Measured | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """``points``, the oldest first, one for every ``unit`` up to now; the last is memory as it is on disk.

    ``notes`` say what was not looked at, and why.
    """

    unit: Unit
    points: tuple[Point, ...]
    now: Measured
    notes: tuple[str, ...] = ()


def growth(
    workspace: Workspace,
    *,
    now: datetime,
    patience: float = PATIENCE,
    clock: Callable[[], float] = time.monotonic,
) -> Growth:
    """The growth of a memory up to ``now``. Without a repository there is one point: that of today."""
    book = _Book(workspace)
    notes: list[str] = []
    today = now.astimezone(UTC).date()
    line: list[tuple[CommitId, datetime]] = []
    history: History | None = None
    try:
        history = workspace.history
        line = main_line(history, COMMITS)
    except WorkbenchError as error:
        notes.append(f"how it grew is not known: {error.message}")
    if len(line) == COMMITS:
        notes.append(f"only the newest {COMMITS:,} commits were looked at")
    if history is not None and history.shallow:
        notes.append("this clone is shallow: what was before is not known")
    dated = [(when.date(), commit) for commit, when in line if when <= now + _AHEAD]
    first = min((day for day, _ in dated), default=today)
    unit = unit_for(first, today, SAMPLES)
    here = _on_disk(workspace, history, book, notes)
    known: dict[date, Measured] = {}
    if history is not None:
        begun = clock()
        for start, commit in list(newest_of_each(dated, unit).items())[:SAMPLES]:
            found = book.commits.get(commit)
            if found is None:
                if clock() - begun > patience:
                    notes.append(
                        f"what was before {max(known, default=today)} was not looked at: no time left"
                    )
                    known = {day: one for day, one in known.items() if day > start}
                    break
                try:
                    found = _in_commit(workspace, history, commit, book)
                except WorkbenchError as error:
                    notes.append(f"one moment could not be read: {error.message}")
                    continue
                book.commits[commit] = found
            known[start] = found
            book.wanted.add(commit)
    book.save()
    return Growth(unit=unit, points=tuple(_filled(known, today, unit, here)), now=here, notes=tuple(notes))


def _filled(known: Mapping[date, Measured], today: date, unit: Unit, here: Measured) -> list[Point]:
    """A point for every period: one without a commit is as the one before it left memory."""
    periods = between(min(known, default=today), today, unit)[-SAMPLES:]
    points, last = [], None
    before = [day for day in known if day < periods[0]]
    if before:
        last = known[max(before)]
    for start in periods:
        last = known.get(start, last)
        points.append(Point(start=start, measured=last))
    return [*points[:-1], Point(start=periods[-1], measured=here)]


def _in_commit(workspace: Workspace, history: History, commit: CommitId, book: _Book) -> Measured:
    layout = workspace.layout
    files = [
        (path, blob)
        for path, blob in history.files_in(commit, lambda folder: not layout.prunes(folder))
        if layout.holds(path)
    ]
    return _measured(files, lambda path, blob: book.size(blob, path, lambda: history.stored(blob)))


def _on_disk(workspace: Workspace, history: History | None, book: _Book, notes: list[str]) -> Measured:
    unread = 0

    def size(path: RelPath, _: BlobId) -> Size:
        nonlocal unread
        try:
            data = workspace.files.read(path)
        except (OSError, WorkbenchError):
            unread += 1
            return Size()
        blob = history.name_of(data) if history else None
        if blob is not None:
            book.here.add(blob)
        return book.size(blob, path, lambda: data)

    measured = _measured(((file.path, BlobId("")) for file in workspace.scan()), size)
    if unread:
        notes.append(f"files that could not be read, and do not count: {unread:,}")
    return measured


def _measured(files: Iterable[tuple[RelPath, BlobId]], size: Callable[[RelPath, BlobId], Size]) -> Measured:
    memory: dict[str, BlobId] = {}
    logs, count = Size(), 0
    for path, blob in files:
        if path in MEMORY_FILES:
            memory[path] = blob
        elif kind_of(path) is Kind.LOG:
            logs, count = logs + size(path, blob), count + 1
    chosen = next((name for name in MEMORY_FILES if name in memory), None)
    curated = size(RelPath(chosen), memory[chosen]) if chosen else Size()
    return Measured(memory=curated, logs=logs, log_files=count)


@dataclass(slots=True)
class _Book:
    """What is remembered of commits, and of texts by git's names of them."""

    workspace: Workspace
    commits: dict[str, Measured] = field(default_factory=dict)
    texts: dict[str, Size] = field(default_factory=dict)
    here: set[str] = field(default_factory=set)
    """Texts that are in a file now: those that are asked for again."""
    wanted: set[str] = field(default_factory=set)
    _known: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        with contextlib.suppress(OSError):
            raw = read_json(self._path)
            if isinstance(raw, dict) and raw.get("format") == _FORMAT:
                self.commits = _rows(raw.get("commits"), 5, _measured_row)
                self.texts = _rows(raw.get("texts"), 2, lambda row: Size(*row))
        self._known = len(self.commits), len(self.texts)

    @property
    def _path(self) -> Path:
        return self.workspace.root / STATE_DIR / _BOOK

    def size(self, blob: str | None, path: RelPath, read: Callable[[], bytes]) -> Size:
        """The size of a text, counted where it is not remembered."""
        found = self.texts.get(blob) if blob else None
        if found is None:
            data = read()
            entries = len(parse_document(path, data, kind_of(path)).entries)
            found = Size(len(data.decode("utf-8", "replace")), entries)
            if blob:
                self.texts[blob] = found
        return found

    def save(self) -> None:
        """Write it where that is possible; without it everything is measured again."""
        if (len(self.commits), len(self.texts)) == self._known:
            return
        texts = {blob: self.texts[blob] for blob in self.here if blob in self.texts}
        commits = {name: found for name, found in self.commits.items() if name in self.wanted}
        with contextlib.suppress(OSError, WorkbenchError):
            self.workspace.state_dir()
            write_json(
                self._path,
                {
                    "format": _FORMAT,
                    "commits": {
                        name: [*_pair(m.memory), *_pair(m.logs), m.log_files] for name, m in commits.items()
                    },
                    "texts": {blob: _pair(size) for blob, size in list(texts.items())[:_MOST_TEXTS]},
                },
            )


def _pair(size: Size) -> list[int]:
    return [size.characters, size.entries]


def _rows(raw: object, width: int, make: Callable[[list[int]], Made]) -> dict[str, Made]:
    """The rows of the book that are as they should be."""
    if not isinstance(raw, dict):
        return {}
    return {
        str(name): make(row)
        for name, row in raw.items()
        if isinstance(row, list) and len(row) == width and all(type(n) is int and 0 <= n < _MOST for n in row)
    }


def _measured_row(row: list[int]) -> Measured:
    return Measured(memory=Size(row[0], row[1]), logs=Size(row[2], row[3]), log_files=row[4])
