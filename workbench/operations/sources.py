"""Entries whose words are taken: which may be, and what is said of their origin where they go.

The gate before long-term memory: what hides text or holds a secret does not pass unseen.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from workbench.errors import FlaggedError, NotCuratableError
from workbench.memory.entry import Entry, Form, Kind, entry_hash
from workbench.memory.episode import is_session_file, read_episode
from workbench.memory.file_edit import FileEdit
from workbench.memory.frontmatter import set_front_matter
from workbench.memory.markdown import Document
from workbench.memory.origin import OriginReader, log_trust
from workbench.memory.provenance import Provenance, least_trusted, provenance
from workbench.operations.resolve_entries import require_released
from workbench.safety.hidden_text import hidden_in
from workbench.safety.secrets import by_rule, masked, secrets_in
from workbench.safety.terminal import cut, visible
from workbench.workspace.layout import ARCHIVE
from workbench.workspace.workspace import Workspace

_TITLE = 60
NEVER_A_SOURCE = {
    Kind.DREAM: "dream output is never a source, because dreams would repeat themselves",
    Kind.BOOTSTRAP: "bootstrap files are loaded by the agent as they are",
}


@dataclass(frozen=True, slots=True)
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


def held_back(entries: Mapping[str, Entry]) -> dict[str, str]:
    """Those of the entries, by the name they were asked for with, that do not pass, and a sentence why.

    Raises FlaggedError when none passes: then there is nothing to be done without a person's word.
    """
    held: dict[str, str] = {}
    secret = False
    for name, entry in entries.items():
        secrets = secrets_in(entry.text)
        if findings := (*secrets, *hidden_in(entry.text)):
            held[name] = "; ".join(by_rule(findings))
            secret = secret or bool(secrets)
    if held and len(held) == len(entries):
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
    return cut(visible(masked(entry.plain_title), one_line=True), _TITLE)
