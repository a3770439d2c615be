"""The ledger: what cannot be derived from memory, one JSON object a line, one file a month and kind.

``_system/ledger/recalls-2026-03.jsonl``. Lines are only added, each in one write at the end of the file, so
that several programs may write at once. What a person decides is written by an operation, so that it can be
undone like anything else (``with_records``); what merely happens (a recall) is appended.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Literal, get_args

from workbench.memory.file_edit import FileEdit
from workbench.memory.names import RelPath
from workbench.workspace.layout import LEDGER
from workbench.workspace.ledger_changes import read_record
from workbench.workspace.workspace import Workspace

Book = Literal["recalls", "decisions", "skips", "ingested", "proposals"]
"""``recalls``: what was given to whom for which question. ``decisions``: what a person said of a proposal or
claim. ``skips``: what was considered and not stored, and why. ``ingested``: sources, how far they were read
and what came of them. ``proposals``: what waits for a person."""
BOOKS: tuple[Book, ...] = get_args(Book)
MAX_LINE = 1_000_000
"""Bytes that a record may have; longer lines are none."""
_TIME = "at"


@dataclass(frozen=True, slots=True)
class LedgerPage:
    """The records of one file, and how many of its lines are none."""

    path: RelPath
    records: tuple[Mapping[str, Any], ...]
    bad: int = 0


def append(workspace: Workspace, book: Book, records: Sequence[Mapping[str, Any]], now: datetime) -> None:
    """Add records at the end of this month's page, in one write; each gets ``at`` where it says none.

    Raises ReadOnlyError or WriteFailedError as ``files.append`` does.
    """
    if records:
        edit = with_records(workspace, book, records, now)
        workspace.files.append(edit.path, (edit.after or b"").removeprefix(edit.before or b""))


def with_records(
    workspace: Workspace, book: Book, records: Sequence[Mapping[str, Any]], now: datetime
) -> FileEdit:
    """The edit that adds records to this month's page, to be a part of an operation's plan."""
    path = page_path(book, now.astimezone(UTC).date())
    before = workspace.files.read_or_none(path)
    return FileEdit(path, before, (before or b"") + _opening(before) + lines(records, now))


def read(workspace: Workspace, book: Book, *, since: date | None = None) -> Iterator[Mapping[str, Any]]:
    """The records of a book, the oldest first; ``since`` skips the pages of earlier months."""
    for page in pages(workspace, book, since=since):
        yield from page.records


def pages(workspace: Workspace, book: Book, *, since: date | None = None) -> Iterator[LedgerPage]:
    """The pages of a book, the oldest first. Lines that are no records are counted."""
    folder = workspace.root / LEDGER
    try:
        names = sorted(item.name for item in folder.iterdir() if item.name.startswith(f"{book}-"))
    except OSError:
        return
    first = page_path(book, since).rpartition("/")[2] if since else ""
    for name in names:
        if name.endswith(".jsonl") and name >= first:
            path = RelPath(f"{LEDGER}{name}")
            data = workspace.files.read_or_none(path)
            if data is not None:
                yield parse_page(path, data)


def share(said: object) -> float:
    """A score in [0, 1] as a record tells it; what is none counts nothing."""
    if isinstance(said, bool) or not isinstance(said, (int, float)) or not math.isfinite(said):
        return 0.0
    return min(1.0, max(0.0, float(said)))


def parse_page(path: RelPath, data: bytes) -> LedgerPage:
    """The records in the bytes of a page; a last line without its end is still being written, or torn."""
    records, bad = [], 0
    for line in data.split(b"\n"):
        record = _record(line)
        if record is not None:
            records.append(record)
        elif line.strip():
            bad += 1
    return LedgerPage(path, tuple(records), bad)


def page_path(book: Book, day: date) -> RelPath:
    """Where the records of a month, by UTC as their moments are, stand."""
    return RelPath(f"{LEDGER}{book}-{day:%Y-%m}.jsonl")


def lines(records: Sequence[Mapping[str, Any]], now: datetime) -> bytes:
    """Records as the ledger writes them: ASCII, one a line."""
    at = now.astimezone(UTC).isoformat(timespec="seconds")
    return b"".join(json.dumps({_TIME: at, **record}).encode() + b"\n" for record in records)


def _opening(before: bytes | None) -> bytes:
    """What ends a line that somebody left torn, so that the next record is one of its own."""
    return b"" if not before or before.endswith(b"\n") else b"\n"


def _record(line: bytes) -> Mapping[str, Any] | None:
    return read_record(line) if len(line) <= MAX_LINE else None
