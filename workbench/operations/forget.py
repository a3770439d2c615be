"""Forgetting: an entry leaves its file. It stays in history, and one key brings it back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from workbench.memory.edit import take_out
from workbench.memory.entry import Kind
from workbench.memory.file_edit import FileEdit
from workbench.memory.graph_page import forgotten_key, keys_of, read_entity
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
    pages = [page for page in found.documents.values() if page.kind is Kind.ENTITY]
    records = []
    for page in pages:
        whole = [line.entry for line in read_entity(page).lines] if page.path in found.pages else []
        for key in keys_of(page, [*whole, *found.entries.get(page.path, ())]):
            about = forgotten_key(key)
            records.append(decision(about, "rejected", claim=about, reason=reason, by="human"))
    return ledger_records("decisions", records, datetime.now(UTC)) if records else ()
