"""Short marks: in curated memory a comment of twenty characters stands for what the ledger knows of an entry.

An agent loads curated memory whole, and a comment that says all costs more than the sentence before it. So
whatever an action writes into MEMORY.md is shortened here, in one place, and the details become records of
the same operation. A mark counts for the words that it was written for, and for no others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from workbench.memory.edit import replaced
from workbench.memory.entry import Kind, Span, entry_hash
from workbench.memory.file_edit import FileEdit
from workbench.memory.markdown import Document, parse_document
from workbench.memory.provenance import COMMENT, Fields, MarkReader, as_short_mark, mark_in, with_comment
from workbench.workspace.plan import LedgerRecord, Plan

Mark = tuple[str, str]
"""What a mark is known by: its name, and the hash of the words that it was written for."""
_LONG = b"<!-- wb: "


def shortened(plan: Plan, marks: MarkReader, kind_of: Callable[[str], Kind]) -> Plan:
    """The plan with short marks in curated memory, and what they stand for in its records.

    ``kind_of`` says of which kind a file is. What an undo or a restored file brings back stays as it was.
    """
    if plan.undoes is not None:
        return plan
    edits, records = [], [*plan.records]
    for edit in plan.edits:
        is_whole = plan.action == "restore" and plan.became == (edit.path,)
        short, details = (edit, []) if is_whole else shortened_edit(edit, marks, kind_of(edit.path))
        edits.append(short)
        records += details
    return replace(plan, edits=tuple(edits), records=tuple(records))


def shortened_edit(
    edit: FileEdit, marks: MarkReader, kind: Kind, *, every: bool = False
) -> tuple[FileEdit, list[LedgerRecord]]:
    """An edit of curated memory with short marks for the comments that it adds (or ``every`` one), and the
    records of what these say. Comments that cannot be shortened without changing an entry stay."""
    if kind is not Kind.MEMORY or edit.after is None or _LONG not in edit.after:
        return edit, []
    before = "" if every else (edit.before or b"").decode("utf-8", "surrogateescape")
    known = {found[0].strip() for found in COMMENT.finditer(before)}
    document = parse_document(edit.path, edit.after, kind, marks)
    changes: list[tuple[Span, bytes]] = []
    records: list[LedgerRecord] = []
    for entry in document.entries:
        source = edit.after[entry.whole.start : entry.whole.end].decode("utf-8", "surrogateescape")
        found = COMMENT.search(source)
        if entry.part > 1 or entry.provenance is None or found is None:
            continue
        if mark_in(found) or found[0].strip() in known:
            continue
        name = entry_hash(document.text_of(entry))
        short, details = as_short_mark(entry.provenance.fields, name)
        if details:
            changes.append(
                (entry.whole, with_comment(source, found, short).encode("utf-8", "surrogateescape"))
            )
            told = {"id": short.mark, "hash": name, "fields": [list(field) for field in details]}
            records.append(LedgerRecord("provenance", told))
    data = replaced(edit.after, changes)
    known_now = details_of([record.fields for record in records])
    after = parse_document(edit.path, data, document.kind, lambda *mark: known_now.get(mark) or marks(*mark))
    if _said(after) != _said(document):
        return edit, []
    return replace(edit, after=data), records


def details_of(records: Sequence[Mapping[str, object]]) -> dict[Mark, Fields]:
    """What records of the ledger's book of provenance say; those that are none are passed over."""
    found: dict[Mark, Fields] = {}
    for record in records:
        fields = record.get("fields")
        if isinstance(fields, list) and all(isinstance(one, list) and len(one) == 2 for one in fields):
            said = tuple((str(name), str(value)) for name, value in fields)
            found[str(record.get("id")), str(record.get("hash"))] = said
    return found


def _said(document: Document) -> list[tuple[str, list[tuple[str, str]]]]:
    """What is said of each entry, in whichever order."""
    entries = document.entries
    return [(entry.address, sorted(entry.provenance.fields) if entry.provenance else []) for entry in entries]
