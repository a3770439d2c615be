"""Forgetting: an entry leaves its file. It stays in history, and one key brings it back."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.errors import NotCuratableError
from workbench.memory.address import find_entry, path_of
from workbench.memory.entry import Entry, Kind
from workbench.memory.markdown import Document
from workbench.memory.names import RelPath
from workbench.memory.removal import take_out
from workbench.workspace.plan import FileEdit, Plan
from workbench.workspace.workspace import Workspace


def plan_forget(workspace: Workspace, addresses: Sequence[str], *, reason: str = "") -> Plan:
    """Take entries out of their files, wherever they stand.

    An address without ``#`` names a whole episode or graph page. Raises EntryNotFoundError,
    NotCuratableError, ...
    """
    pages: dict[RelPath, str] = {}
    documents: dict[str, Document] = {}
    found: dict[RelPath, list[Entry]] = {}
    titles: list[str] = []
    for address in dict.fromkeys(addresses):
        if "#" not in address:
            document = workspace.document(address)
            if document.kind not in (Kind.EPISODE, Kind.ENTITY):
                raise NotCuratableError(
                    f"{address} is a whole file: only episodes and graph pages are forgotten whole",
                    hint="forget its entries: path#hash",
                )
            pages[document.path] = address
            titles.append(document.path)
        else:
            # One reading of each file, so that the spans of all its entries fit the same bytes.
            path = path_of(address)
            if path not in documents:
                documents[path] = workspace.locate(address)[0]
            entry = find_entry(documents[path], address)
            named = found.setdefault(entry.path, [])
            if entry not in named:  # one entry has several spellings: `#7d86`, `#7d86a1`, `#7d86a1~1`
                named.append(entry)
                titles.append(entry.title)
    edits = [FileEdit(path, workspace.read(path), None) for path in pages]
    for path, entries in found.items():
        if path not in pages:
            edits.append(FileEdit(path, documents[path].data, take_out(documents[path], entries)))
    return Plan(
        action="forget",
        summary=titles[0] if len(titles) == 1 else f"{len(titles)} entries",
        edits=tuple(edits),
        entries=tuple(pages) + tuple(e.address for es in found.values() for e in es),
        reason=reason,
    )
