"""From addresses to entries: those that an operation changes, and those whose words it takes elsewhere."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from workbench.errors import FlaggedError, NotCuratableError
from workbench.frozen import frozen
from workbench.memory.entry import Entry, Form, Kind, RelPath, entry_hash, path_of
from workbench.memory.episode import is_session_file, read_episode
from workbench.memory.file_edit import FileEdit
from workbench.memory.frontmatter import set_front_matter
from workbench.memory.markdown import Document
from workbench.memory.origin import OriginReader, log_trust
from workbench.memory.provenance import Provenance, least_trusted, provenance
from workbench.safety.hidden_text import unsafe_in
from workbench.safety.secrets import masked_line, secrets_in
from workbench.safety.terminal import cut
from workbench.workspace.layout import ARCHIVE, is_quarantined
from workbench.workspace.workspace import Workspace

_TITLE = 60


# -- entries by their addresses ----------------------------------------------------------------------

PAGES = (Kind.EPISODE, Kind.ENTITY)
"""What is acted upon as a whole page."""
NEVER_A_SOURCE = {
    Kind.DREAM: "dream output is never a source, because dreams would repeat themselves",
    Kind.BOOTSTRAP: "bootstrap files are loaded by the agent as they are",
}


@dataclass(slots=True)
class ResolvedEntries:
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


def gather(workspace: Workspace, addresses: Sequence[str], *, pages: str = "") -> ResolvedEntries:
    """The entries, and where ``pages`` says what is done to them (“forgotten”) the whole pages, named.

    An address without ``#`` is a whole episode or graph page. One entry has several spellings (`#7d86`,
    `#7d86a1`, `#7d86a1~1`); it counts once, and not at all beside the page that it stands in. Raises
    EntryNotFoundError, AmbiguousEntryError, NotMemoryError, NotCuratableError. Each file is read once, so
    that all spans fit the same bytes.
    """
    found = ResolvedEntries()
    for address in dict.fromkeys(addresses):
        if "#" in address:
            path = RelPath(path_of(address))
            if path in found.documents:
                entry = found.documents[path].find(address)
            else:
                found.documents[path], entry = workspace.locate(address)
            named = found.entries.setdefault(path, [])
            if entry not in named:
                named.append(entry)
                found.titles.append(entry.plain_title)
            continue
        document = workspace.document(address)
        if not pages or document.kind not in PAGES:
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


# -- entries whose words are taken: which may be, and what is said of their origin there -------------


@frozen
class PromotionSource:
    """An entry whose words are taken, in the file that it stands in."""

    document: Document
    entry: Entry

    @property
    def place(self) -> str:
        """``path#L12``: where the words stand now."""
        return f"{self.entry.path}#L{self.entry.start_line}"


def source_at(workspace: Workspace, address: str) -> PromotionSource:
    """The entry at ``address``, or of a whole episode its abstract.

    Raises NotCuratableError for another whole file and for what is in quarantine, EntryNotFoundError, ...
    """
    require_released(address)
    if "#" in address:
        return PromotionSource(*workspace.locate(address))
    document = workspace.document(address)
    if document.kind is not Kind.EPISODE or not document.entries:
        raise NotCuratableError(f"{address} is a whole file", hint="promote one of its entries: path#hash")
    abstract = read_episode(document).abstract
    first = document.entries[0]
    matching = next((e for e in document.entries if e.text == abstract), None)
    return PromotionSource(
        document, matching or replace(first, text=abstract, form=Form.PARAGRAPH, hash=entry_hash(abstract))
    )


def marks(sources: Sequence[PromotionSource], today: date) -> list[FileEdit]:
    """The edits that mark the episodes among ``sources`` as promoted, where their header can say so."""
    episodes = {s.document.path: s.document for s in sources if s.entry.kind is Kind.EPISODE}
    edits = []
    for path, document in episodes.items():
        if document.front_matter is None or document.header.text("promoted_at"):
            continue
        after = set_front_matter(document.data, "promoted_at", today.isoformat())
        if after != document.data:
            edits.append(FileEdit(path, document.data, after))
    return edits


def derived_provenance(document: Document, entry: Entry, today: date) -> Provenance:
    """The provenance of ``entry`` of ``document`` for the place that it goes to."""
    return provenance(
        {
            "id": "m" + secrets.token_hex(3),
            "src": f"{entry.path}#L{entry.start_line}",
            "entry": entry.hash,
            "session": entry.field("session") or document.header.text("session"),
            "trust": trust_of(document, entry),
            "occurred_at": entry.date.isoformat() if entry.date else None,
            "at": today.isoformat(),
        }
    )


def trust_of(document: Document, entry: Entry) -> str:
    """No line speaks louder than the file that it stands in; a log is the agent's, but for what it quotes."""
    if entry.kind is Kind.LOG or is_session_file(document):
        return log_trust(OriginReader(document), entry)
    in_file = document.header.text("trust")
    return least_trusted(in_file, entry.field("trust") or in_file)


def trust_kept(document: Document, entry: Entry) -> str:
    """The trust that an entry keeps when it goes elsewhere itself.

    Curated memory speaks for itself line by line, and so does what left it for the archive.
    """
    if entry.kind is Kind.MEMORY or entry.path.startswith(ARCHIVE):
        return least_trusted(entry.field("trust"))
    return trust_of(document, entry)


# -- the gate before long-term memory ----------------------------------------------------------------
# An entry that hides text or holds a secret does not pass unseen.


def held_back(entries: Mapping[str, Entry]) -> dict[str, str]:
    """Those of the entries, by the name they were asked for with, that do not pass, and a sentence why.

    Raises FlaggedError when none passes: then there is nothing to be done without a person's word.
    """
    held = {name: "; ".join(found) for name, entry in entries.items() if (found := unsafe_in(entry.text))}
    if held and len(held) == len(entries):
        secret = any(secrets_in(entry.text) for entry in entries.values())
        raise FlaggedError({_title(entries[name]): why for name, why in held.items()}, secret=secret)
    return held


def require_clean(entries: Iterable[Entry]) -> None:
    """Raise FlaggedError for the first that does not pass; what is in long-term memory has passed."""
    for entry in entries:
        if entry.kind is not Kind.MEMORY:
            held_back({entry.address: entry})


def left_out(entries: Mapping[str, Entry], held: Mapping[str, str]) -> tuple[str, ...]:
    """What to tell of the entries that were held back while others passed."""
    return tuple(
        f"left out: “{_title(entries[name])}”: {why} (--allow-flagged takes it)" for name, why in held.items()
    )


def _title(entry: Entry) -> str:
    return cut(masked_line(entry.plain_title), _TITLE)
