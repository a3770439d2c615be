"""Forgetting: an entry leaves its file. It stays in history, and one key brings it back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from workbench.memory.edit import take_out
from workbench.memory.entry import Kind
from workbench.memory.file_edit import FileEdit
from workbench.memory.graph_page import key_of, read_entity
from workbench.operations.references import telling_lost_links
from workbench.operations.sources import ResolvedEntries, gather
from workbench.workspace.decisions import decision
from workbench.workspace.plan import LedgerRecord, Plan, ledger_records
from workbench.workspace.workspace import Workspace


def plan_forget(workspace: Workspace, addresses: Sequence[str], *, reason: str = "") -> Plan:
    """Take entries out of their files, wherever they stand.

    An address without ``#`` names a whole episode or graph page. That lines of the graph were forgotten is
    recorded, so that no automation learns them again. Raises EntryNotFoundError, NotCuratableError, ...
    """
    found = gather(workspace, addresses, pages="forgotten")
    edits = [FileEdit(path, page.data, None) for path, page in found.pages.items()]
    for path, entries in found.entries.items():
        document = found.documents[path]
        edits.append(FileEdit(path, document.data, take_out(document, entries)))
    plan = Plan(
        action="forget",
        summary=found.summary,
        edits=tuple(edits),
        records=_decisions(found, reason),
        entries=found.addresses,
        reason=reason,
    )
    return telling_lost_links(workspace, plan)


def _decisions(found: ResolvedEntries, reason: str) -> tuple[LedgerRecord, ...]:
    lines = [(found.documents[path], entry) for path, some in found.entries.items() for entry in some]
    pages = [page for page in found.pages.values() if page.kind is Kind.ENTITY]
    lines += [(page, line.entry) for page in pages for line in read_entity(page).lines]
    records = [
        decision(key_of(document, entry), "rejected", claim=entry.text, reason=reason, by="human")
        for document, entry in lines
        if document.kind is Kind.ENTITY
    ]
    return ledger_records("decisions", records, datetime.now(UTC)) if records else ()
