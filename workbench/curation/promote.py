"""Promotion: an entry enters long-term memory, with the way back to where it came from."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from workbench.curation.sections import section_for
from workbench.errors import NotCuratableError, UsageError
from workbench.memory.edit import as_item, insert_item, is_heading, marker_in
from workbench.memory.entry import Entry, Form, Kind, entry_hash
from workbench.memory.episode import read_episode
from workbench.memory.frontmatter import set_front_matter
from workbench.memory.markdown import Document, parse_document
from workbench.memory.names import RelPath
from workbench.memory.provenance import Provenance, least_trusted, provenance
from workbench.visible import visible
from workbench.workspace.plan import FileEdit, Plan
from workbench.workspace.workspace import Workspace

_REFUSED = {
    Kind.MEMORY: "it is in long-term memory already",
    Kind.DREAM: "dream output is never a source: it would feed on itself",
    Kind.BOOTSTRAP: "bootstrap files are loaded by the agent as they are",
}


def plan_promote(
    workspace: Workspace,
    addresses: Sequence[str],
    *,
    section: str | None = None,
    reason: str = "",
    today: date | None = None,
) -> Plan:
    """Copy entries into MEMORY.md, under ``section`` or the one that fits each of them.

    An episode that an entry comes from is marked as promoted. An address without ``#`` names a whole
    episode and promotes its abstract. Raises NotCuratableError with the reason, EntryNotFoundError, ...
    """
    if section is not None and not is_heading(section):
        raise UsageError(
            f"“{visible(section[:80], one_line=True)}” cannot be a heading",
            hint="a heading is one line of visible text without marks",
        )
    today = today or date.today()
    memory = workspace.memory_document()
    before = memory.data if _exists(workspace, memory.path) else None
    known = {entry.hash for entry in memory.entries}
    episodes: dict[RelPath, FileEdit] = {}
    entries: list[Entry] = []
    sections: list[str] = []
    for address in dict.fromkeys(addresses):
        source = _source(workspace, address)
        entry = source.entry
        if entry.kind in _REFUSED:
            raise NotCuratableError(f"{address} cannot be promoted: {_REFUSED[entry.kind]}")
        if entry.hash in known:
            raise NotCuratableError(
                f"“{entry.title}” is in {memory.path} already", hint="nothing was changed"
            )
        known.add(entry.hash)
        target = section or section_for(entry.text, memory)
        origin = source.provenance(today)
        item = as_item(entry.text, origin, marker_in(memory, target))
        memory = parse_document(memory.path, insert_item(memory, target, item), Kind.MEMORY)
        if not _stands_in(memory, entry, origin):
            raise NotCuratableError(
                f"“{entry.title}” would not be an entry of {memory.path}: a code block, comment or HTML "
                "that is not closed there swallows it",
                hint="close it, or choose a section before it with --heading",
            )
        entries.append(entry)
        sections.append(target)
        if entry.kind is Kind.EPISODE and entry.path not in episodes:
            edit = _mark_promoted(source.document, today)
            if edit:
                episodes[entry.path] = edit
    what = entries[0].title if len(entries) == 1 else f"{len(entries)} entries"
    return Plan(
        action="promote",
        summary=what,
        edits=(FileEdit(memory.path, before, memory.data), *episodes.values()),
        entries=tuple(entry.address for entry in entries),
        reason=reason,
        trailers=(
            *(("Source", f"{e.path}#L{e.start_line}") for e in entries),
            *(("Section", name) for name in dict.fromkeys(sections)),
        ),
    )


@dataclass(frozen=True, slots=True)
class _Source:
    """The entry to promote, in the file that it stands in."""

    document: Document
    entry: Entry

    def provenance(self, today: date) -> Provenance:
        """Where the copy will say it came from."""
        entry, header = self.entry, self.document.front_matter
        own = entry.provenance
        session = (own and own.get("session")) or (header and header.text("session"))
        return provenance(
            {
                "id": "m" + secrets.token_hex(3),
                "src": f"{entry.path}#L{entry.start_line}",
                "entry": entry.hash,
                "session": session or None,
                "trust": self.trust(),
                "occurred_at": entry.date.isoformat() if entry.date else None,
                "at": today.isoformat(),
            }
        )

    def trust(self) -> str:
        """No line speaks louder than the file that it stands in, and a log vouches for nobody."""
        if self.entry.kind is Kind.LOG:
            return "unknown"
        header, own = self.document.front_matter, self.entry.provenance
        in_file = header.text("trust") if header else None
        return least_trusted(in_file, (own and own.get("trust")) or in_file)


def _source(workspace: Workspace, address: str) -> _Source:
    if "#" in address:
        return _Source(*workspace.locate(address))
    document = workspace.document(address)
    if document.kind is not Kind.EPISODE or not document.entries:
        raise NotCuratableError(f"{address} is a whole file", hint="promote one of its entries: path#hash")
    abstract = read_episode(document).abstract
    first = document.entries[0]
    matching = next((e for e in document.entries if e.text == abstract), None)
    return _Source(
        document, matching or replace(first, text=abstract, form=Form.PARAGRAPH, hash=entry_hash(abstract))
    )


def _mark_promoted(document: Document, today: date) -> FileEdit | None:
    header = document.front_matter
    if header is None or header.problem or header.text("promoted_at"):
        return None
    after = set_front_matter(document.data, "promoted_at", today.isoformat())
    return FileEdit(document.path, document.data, after) if after != document.data else None


def _stands_in(memory: Document, entry: Entry, origin: Provenance) -> bool:
    """Whether the copy is an entry by itself, or the parts of one where it is longer than a window."""
    name = origin.get("id")
    return any(
        e.hash == entry.hash
        or (e.parts > 1 and e.form is Form.ITEM and e.provenance and e.provenance.get("id") == name)
        for e in memory.entries
    )


def _exists(workspace: Workspace, path: RelPath) -> bool:
    return workspace.files.read_or_none(path) is not None
