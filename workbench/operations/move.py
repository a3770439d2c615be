"""Moving entries to another place, and the relocation that quarantine and the archive share with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from functools import partial

from workbench.errors import ConflictError, NotCuratableError, NotMemoryError, UsageError
from workbench.memory.edit import find_section
from workbench.memory.entry import Entry, Kind, RelPath
from workbench.memory.file_edit import FileEdit
from workbench.memory.invariants import blocks
from workbench.memory.markdown import Document
from workbench.memory.move import (
    Destination,
    MovedBlock,
    file_end,
    leave,
    lift,
    marked,
    named_section,
    set_down,
    unmarked,
)
from workbench.memory.provenance import least_trusted
from workbench.operations.references import telling_lost_links
from workbench.operations.sections import heading_for, require_heading
from workbench.operations.sources import (
    ResolvedEntries,
    derived_provenance,
    gather,
    require_clean,
    require_released,
    trust_kept,
)
from workbench.workspace.layout import ARCHIVE, is_quarantined
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

PageMove = tuple[RelPath, RelPath, bytes]
"""A whole page: from where it goes, where it comes to stand, and its bytes."""


class Relocation:
    """Files while entries are taken out of them and set down in them; nothing is written.

    Each file is read once and written once, however many entries leave it and arrive in it.
    """

    def __init__(self, workspace: Workspace, found: ResolvedEntries) -> None:
        self._workspace = workspace
        self._found = found
        self._before: dict[RelPath, bytes | None] = {p: d.data for p, d in found.documents.items()}
        self._now: dict[RelPath, Document] = dict(found.documents)
        self._arrived: dict[RelPath, list[tuple[MovedBlock, int]]] = {}

    def document(self, path: str) -> Document:
        """A file as it is by now; an empty document where there is none yet. Raises NotMemoryError."""
        name = RelPath(path)
        if name not in self._now:
            if not self._workspace.layout.may_curate(name):
                raise NotMemoryError(name)
            self._before[name] = self._workspace.files.read_or_none(name)
            self._now[name] = self._workspace.parsed(name, self._before[name] or b"")
        return self._now[name]

    def lift(self) -> list[tuple[Document, MovedBlock]]:
        """Take all entries out of their files: what they are, each with the file as it was."""
        out: list[tuple[Document, MovedBlock]] = []
        for path, entries in self._found.entries.items():
            document = self._now[path]
            passages = lift(document, entries)
            self._now[path] = leave(document, passages)
            out += ((document, passage) for passage in passages)
        return out

    def set_down(
        self,
        path: str,
        place: Destination | Callable[[Document], Destination],
        passages: Sequence[MovedBlock],
    ) -> None:
        """Set passages down together at a place in the file, or at the one that is found in it."""
        document = self.document(path)
        where = place(document) if callable(place) else place
        after, index = set_down(document, where, passages)
        arrived = self._arrived.setdefault(after.path, [])
        arrived[:] = [(p, at + len(passages) if at >= index else at) for p, at in arrived]
        arrived += ((passage, index + number) for number, passage in enumerate(passages))
        self._now[after.path] = after

    def plan(
        self,
        action: str,
        *,
        reason: str = "",
        notes: Sequence[str] = (),
        trailers: Sequence[tuple[str, str]] = (),
        pages: Sequence[PageMove] = (),
    ) -> Plan:
        """The operation that does all this, and moves whole ``pages`` as well.

        Raises NotCuratableError when it changes nothing, ConflictError where another page stands at a place.
        """
        edits: list[FileEdit] = []
        for old, new, data in pages:
            if self._workspace.files.read_or_none(new) is not None:
                raise ConflictError(
                    f"there is another page at {new}; nothing was changed", hint="move that page first"
                )
            edits += (FileEdit(new, None, data), FileEdit(old, data, None))
        if self._arrived or not pages:
            changed = [
                FileEdit(path, self._before[path], document.data)
                for path, document in self._now.items()
                if document.data != self._before[path]
            ]
            if not changed:
                raise NotCuratableError("it is already there", hint="nothing was changed")
            edits += changed
        entries = [entry for _, entry in self._found]
        plan = Plan(
            action=action,
            summary=self._found.summary,
            edits=tuple(edits),
            entries=(*(old for old, _, _ in pages), *(entry.address for entry in entries)),
            became=(*(new for _, new, _ in pages), *self._became(entries)),
            reason=reason,
            trailers=tuple(trailers),
            notes=tuple(notes),
        )
        return telling_lost_links(self._workspace, plan)

    def _became(self, entries: Iterable[Entry]) -> tuple[str, ...]:
        """Where each of these entries stands now."""
        addresses: dict[str, str] = {}
        for path, arrived in self._arrived.items():
            standing = blocks(self._now[path])
            for passage, index in arrived:
                block = standing[index]
                for number, entry in enumerate(passage.entries):  # a long one may be cut in other places
                    addresses[entry.address] = block[min(number, len(block) - 1)].address
        return tuple(addresses[entry.address] for entry in entries)


def with_origin(
    document: Document, passage: MovedBlock, today: date, extra: Mapping[str, str], *, may_wrap: bool
) -> MovedBlock:
    """The passage with ``extra`` fields, and with its origin in ``document`` where it names none."""
    entry = passage.entries[0]
    derived = {} if passage.origin else dict(derived_provenance(document, entry, today).fields)
    if derived:
        derived["trust"] = trust_kept(document, entry)
    fields = {**derived, **extra}
    return marked(passage, fields, may_wrap=may_wrap) if fields else passage


def plan_move(
    workspace: Workspace,
    addresses: Sequence[str],
    *,
    to: str | None = None,
    section: str | None = None,
    reason: str = "",
    allow_flagged: bool = False,
    today: date | None = None,
) -> Plan:
    """Take entries to the end of ``section`` of the file ``to``; the file is their own when not said.

    Without ``section`` they go under the heading of the same name, else to the end of the file, and in
    MEMORY.md under the heading that fits each of them. File and section are made when they are missing.
    An entry without provenance that comes into another file says from then on where it stood, and no entry
    says more trust there than it had. Hidden text and secrets enter curated memory only with
    ``allow_flagged``. Raises FlaggedError, NotCuratableError, EntryNotFoundError, NotMemoryError, UsageError.
    """
    require_heading(section)
    if to is None and section is None:
        raise UsageError("no destination was given", hint="choose a file (--to) or a heading (--heading)")
    if to is not None:
        _require_target(workspace, to)
    for address in addresses:
        require_released(address)
    today = today or date.today()
    found = gather(workspace, addresses)
    if to is not None and workspace.layout.kind_of(to) is Kind.MEMORY and not allow_flagged:
        require_clean(entry for _, entry in found)
    relocation = Relocation(workspace, found)
    notes: list[str] = []
    groups: dict[tuple[str, str | None], list[MovedBlock]] = {}
    for document, passage in relocation.lift():
        target = to or document.path
        if document.kind is Kind.DREAM and target != document.path:
            raise NotCuratableError(
                f"“{passage.title}” cannot be moved: dream output is never a source, because dreams would "
                "repeat themselves"
            )
        if target == document.path and section is None:
            raise UsageError(
                f"“{passage.title}” is already in {target}", hint="choose another heading (--heading)"
            )
        carried = passage
        if target != document.path:
            carried, note = _carried(document, passage, relocation.document(target), today)
            notes += [note] if note else []
        name = section or _same_section(relocation.document(target), passage)
        groups.setdefault((target, name), []).append(carried)
    for (target, name), passages in groups.items():
        place = file_end if name is None else partial(named_section, name=name)
        relocation.set_down(target, place, passages)
    named = [("Section", name) for name in dict.fromkeys(name for _, name in groups) if name]
    return relocation.plan("move", reason=reason, trailers=named, notes=notes)


def _require_target(workspace: Workspace, path: str) -> None:
    if is_quarantined(path):
        raise NotCuratableError(f"{path} is in quarantine", hint="`workbench quarantine` moves entries there")
    workspace.require_own(path)
    if not workspace.layout.holds(path):
        raise NotMemoryError(path)
    if workspace.layout.kind_of(path) is Kind.DREAM:
        raise NotCuratableError(f"{path} is dream output, which only dreaming adds to")


def _carried(
    document: Document, passage: MovedBlock, target: Document, today: date
) -> tuple[MovedBlock, str]:
    """The passage as it stands in another file, and the note about it for the person."""
    trust = trust_kept(document, passage.entries[0])
    if document.path.startswith(ARCHIVE) and passage.origin:
        carried, note = unmarked(passage, ("archived",)), ""
        trust = least_trusted(carried.origin.get("trust") if carried.origin else None)
    else:
        lowered = {"trust": trust} if passage.origin and passage.origin.get("trust") != trust else {}
        try:
            carried, note = with_origin(document, passage, today, lowered, may_wrap=False), ""
        except NotCuratableError:
            carried = passage
            note = f"“{passage.title}” cannot record its origin: only the history shows it"
    there = _trust_there(carried, target)
    if least_trusted(trust, there) != there:
        raise NotCuratableError(
            f"“{passage.title}” would be trusted more in {target.path} than here, and cannot record that",
            hint="nothing was changed; make it a list item or a paragraph first",
        )
    return carried, note


def _trust_there(passage: MovedBlock, target: Document) -> str:
    """The trust that a passage would have in another file."""
    said = passage.origin.get("trust") if passage.origin else None
    by_line = target.kind is Kind.MEMORY
    vouched = None if by_line else target.header.text("trust")
    return least_trusted(said or vouched, vouched or said)


def _same_section(document: Document, passage: MovedBlock) -> str | None:
    entry = passage.entries[0]
    if document.kind is Kind.MEMORY:
        return heading_for(entry.text, document)
    heading = find_section(document, entry.heading[-1]) if entry.heading else None
    return heading.path[-1] if heading else None
