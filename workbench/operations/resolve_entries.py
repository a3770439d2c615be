"""From addresses to entries, with one reading of each file, so that all spans fit the same bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from workbench.errors import NotCuratableError
from workbench.memory.address import find_entry, path_of
from workbench.memory.entry import Entry, Kind
from workbench.memory.markdown import Document
from workbench.memory.names import RelPath
from workbench.workspace.layout import is_quarantined
from workbench.workspace.workspace import Workspace

_PAGES = (Kind.EPISODE, Kind.ENTITY)


@dataclass(slots=True)
class Gathered:
    """What a list of addresses means at this moment.

    ``pages`` are whole episodes and graph pages; ``entries`` are the single entries of each other file,
    in the order in which they were named; ``documents`` are all files concerned, as they were read.
    """

    documents: dict[RelPath, Document] = field(default_factory=dict)
    pages: dict[RelPath, Document] = field(default_factory=dict)
    entries: dict[RelPath, list[Entry]] = field(default_factory=dict)
    titles: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[tuple[Document, Entry]]:
        """Each single entry with the document that it stands in."""
        for path, entries in self.entries.items():
            for entry in entries:
                yield self.documents[path], entry

    @property
    def addresses(self) -> tuple[str, ...]:
        """What was named, each once: the pages, then the entries."""
        return (*self.pages, *(entry.address for _, entry in self))

    @property
    def summary(self) -> str:
        """One line for people."""
        return self.titles[0] if len(self.titles) == 1 else f"{len(self.titles)} entries"


def gather(workspace: Workspace, addresses: Sequence[str], *, pages: str = "") -> Gathered:
    """The entries, and where ``pages`` says what is done to them (“forgotten”) the whole pages, named.

    An address without ``#`` is a whole episode or graph page. One entry has several spellings (`#7d86`,
    `#7d86a1`, `#7d86a1~1`); it counts once, and not at all beside the page that it stands in. Raises
    EntryNotFoundError, AmbiguousEntryError, NotMemoryError, NotCuratableError.
    """
    found = Gathered()
    for address in dict.fromkeys(addresses):
        if "#" in address:
            path = RelPath(path_of(address))
            if path in found.documents:
                entry = find_entry(found.documents[path], address)
            else:
                found.documents[path], entry = workspace.locate(address)
            named = found.entries.setdefault(path, [])
            if entry not in named:
                named.append(entry)
                found.titles.append(entry.plain_title)
            continue
        document = workspace.document(address)
        if not pages or document.kind not in _PAGES:
            allowed = f": only episodes and graph pages are {pages} whole" if pages else ""
            raise NotCuratableError(
                f"{address} is a whole file{allowed}", hint="name its entries: path#hash or path:line"
            )
        found.documents[document.path] = found.pages[document.path] = document
        found.titles.append(document.path)
    for path in found.pages:
        found.entries.pop(path, None)
    return found


def require_released(address: str) -> None:
    """Raise NotCuratableError for what is in quarantine: it is released before anything else uses it."""
    if is_quarantined(path_of(address) or address):
        raise NotCuratableError(
            f"{address} is in quarantine",
            hint="`workbench quarantine --release` moves it back first",
        )
