"""What moving, quarantine, release and the archive have in common: entries change their place.

Each file is read once and written once, however many entries leave it and arrive in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date

from workbench.errors import ConflictError, NotCuratableError, NotMemoryError
from workbench.memory.entry import Entry
from workbench.memory.file_edit import FileEdit
from workbench.memory.invariants import blocks
from workbench.memory.markdown import Document
from workbench.memory.move import Destination, Passage, leave, lift, marked, set_down
from workbench.memory.names import RelPath
from workbench.operations.references import telling_lost_links
from workbench.operations.resolve_entries import Gathered
from workbench.operations.sources import derived_provenance, trust_kept
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

PageMove = tuple[RelPath, RelPath, bytes]
"""A whole page: from where it goes, where it comes to stand, and its bytes."""


class Relocation:
    """Files while entries are taken out of them and set down in them; nothing is written."""

    def __init__(self, workspace: Workspace, found: Gathered) -> None:
        self._workspace = workspace
        self._found = found
        self._before: dict[RelPath, bytes | None] = {p: d.data for p, d in found.documents.items()}
        self._now: dict[RelPath, Document] = dict(found.documents)
        self._arrived: dict[RelPath, list[tuple[Passage, int]]] = {}

    def document(self, path: str) -> Document:
        """A file as it is by now; an empty document where there is none yet. Raises NotMemoryError."""
        name = RelPath(path)
        if name not in self._now:
            if not self._workspace.layout.may_curate(name):
                raise NotMemoryError(name)
            self._before[name] = self._workspace.files.read_or_none(name)
            self._now[name] = self._workspace.parsed(name, self._before[name] or b"")
        return self._now[name]

    def lift(self) -> list[tuple[Document, Passage]]:
        """Take all entries out of their files: what they are, each with the file as it was."""
        out: list[tuple[Document, Passage]] = []
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
        passages: Sequence[Passage],
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
        edits = [edit for page in pages for edit in self._page_edits(*page)]
        if self._arrived or not pages:
            edits += self._edits()
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

    def _edits(self) -> list[FileEdit]:
        changed = [
            FileEdit(path, self._before[path], document.data)
            for path, document in self._now.items()
            if document.data != self._before[path]
        ]
        if not changed:
            raise NotCuratableError("it stands there already", hint="nothing was changed")
        return changed

    def _page_edits(self, old: RelPath, new: RelPath, data: bytes) -> tuple[FileEdit, FileEdit]:
        if self._workspace.files.read_or_none(new) is not None:
            raise ConflictError(
                f"another page stands at {new}; nothing was changed", hint="move that one away first"
            )
        return FileEdit(new, None, data), FileEdit(old, data, None)

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
    document: Document, passage: Passage, today: date, extra: Mapping[str, str], *, may_wrap: bool
) -> Passage:
    """The passage with ``extra`` fields, and with its origin in ``document`` where it names none."""
    entry = passage.entries[0]
    derived = {} if passage.origin else dict(derived_provenance(document, entry, today).fields)
    if derived:
        derived["trust"] = trust_kept(document, entry)
    fields = {**derived, **extra}
    return marked(passage, fields, may_wrap=may_wrap) if fields else passage


def by_section(
    passages: Iterable[tuple[tuple[str, ...], Passage]],
) -> dict[tuple[str, ...], list[Passage]]:
    """Passages by the heading path that they go under, in the order in which they come."""
    out: dict[tuple[str, ...], list[Passage]] = {}
    for path, passage in passages:
        out.setdefault(path, []).append(passage)
    return out
