"""What an action would do, before it is done."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import field
from datetime import UTC, datetime
from typing import Any, Literal, NewType

from workbench.frozen import frozen, frozen_kw_only
from workbench.memory.entry import RelPath
from workbench.memory.file_edit import FileEdit, unified_diff
from workbench.repository.objects import CommitId

OperationId = NewType("OperationId", str)
"""Twelve hexadecimal digits; names one curation action for ever."""

Book = Literal["recalls", "decisions", "skips", "ingested", "proposals", "undone", "provenance"]
"""``recalls``: what was given to whom for which question. ``decisions``: what a person said of a proposal or
claim. ``skips``: what was considered and not stored, and why. ``ingested``: sources, how far they were read
and what came of them. ``proposals``: what waits for a person. ``undone``: operations whose records count no
more. ``provenance``: what the short marks in curated memory stand for."""


@frozen
class LedgerRecord:
    """A record that an operation adds to the ledger, and its book."""

    book: Book
    fields: Mapping[str, Any]


def ledger_records(
    book: Book, records: Iterable[Mapping[str, Any]], now: datetime
) -> tuple[LedgerRecord, ...]:
    """Records for a plan; each gets ``at`` where it says none."""
    at = now.astimezone(UTC).isoformat(timespec="seconds")
    return tuple(LedgerRecord(book, {"at": at, **record}) for record in records)


@frozen_kw_only
class Plan:
    """An action that has been thought through and not carried out.

    ``summary`` is one line for people (a commit's subject, a toast). ``records`` are added to the ledger.
    ``entries`` are the addresses that the action is about, as they are before it. ``became`` says where each
    of them stands afterwards: as many addresses as ``entries``, or one for all (a merge), or none
    (forgotten).
    ``trailers`` are further lines of the commit. ``notes`` are told to the person (what was left out, and
    why). ``allow_secrets``: the person said that a secret which git does not hold yet may be recorded.
    """

    action: str
    summary: str
    edits: tuple[FileEdit, ...] = ()
    records: tuple[LedgerRecord, ...] = ()
    entries: tuple[str, ...] = ()
    became: tuple[str, ...] = ()
    reason: str = ""
    actor: str = "human"
    undoes: OperationId | None = None
    trailers: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    allow_secrets: bool = False

    @property
    def brings_back(self) -> bool:
        """Whether the texts after it are the history's own: an undo, a redo, a restore."""
        return self.undoes is not None or self.action == "restore"

    @property
    def record_edits(self) -> tuple[FileEdit, ...]:
        """The lines that the ledger gets, as if each book were a file."""
        books: dict[Book, bytes] = defaultdict(bytes)
        for one in self.records:
            books[one.book] += json.dumps(dict(one.fields)).encode() + b"\n"
        return tuple(FileEdit(RelPath(f"ledger:{book}.jsonl"), b"", lines) for book, lines in books.items())

    def diff(self) -> str:
        """The unified diff of all files, and of the ledger; bytes that are not UTF-8 as surrogates."""
        return "".join(unified_diff(edit) for edit in (*self.edits, *self.record_edits))


@frozen_kw_only
class Operation:
    """An action that was carried out: one commit.

    ``undone`` says whether its effect is undone at present. ``notes`` holds what went differently
    than planned but not wrong (a locked git index, an unconfirmed flush).
    """

    id: OperationId
    commit: CommitId
    action: str
    summary: str
    when: datetime
    actor: str
    entries: tuple[str, ...] = ()
    became: tuple[str, ...] = ()
    paths: tuple[RelPath, ...] = ()
    reason: str = ""
    undoes: OperationId | None = None
    undone: bool = False
    trailers: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = field(default=(), compare=False)
