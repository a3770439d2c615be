"""Forgetting: an entry leaves its file. It stays in history, and one key brings it back."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.memory.edit import take_out
from workbench.memory.file_edit import FileEdit
from workbench.operations.references import telling_lost_links
from workbench.operations.sources import gather
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace


def plan_forget(workspace: Workspace, addresses: Sequence[str], *, reason: str = "") -> Plan:
    """Take entries out of their files, wherever they stand.

    An address without ``#`` names a whole episode or graph page. Raises EntryNotFoundError,
    NotCuratableError, ...
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
        entries=found.addresses,
        reason=reason,
    )
    return telling_lost_links(workspace, plan)
