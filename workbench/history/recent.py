"""Entries written since a moment (by whom, in which commit, from which session), and those of a session."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from workbench.errors import NotMemoryError
from workbench.frozen import frozen_kw_only
from workbench.history.origin import line_deeds, newest, origin_of
from workbench.memory.entry import Entry, Form, Kind, RelPath, hash_of, path_of
from workbench.memory.episode import is_session_field, is_session_file, session_blocks
from workbench.memory.markdown import Document
from workbench.memory.provenance import provenance
from workbench.repository.objects import CommitId
from workbench.safety.hidden_text import hidden_in
from workbench.workspace import layout
from workbench.workspace.layout import MemoryFile
from workbench.workspace.plan import OperationId
from workbench.workspace.workspace import Workspace

_NANOSECONDS = 1e9


@frozen_kw_only
class RecentEntry:
    """An entry that stands in memory and has a line that was written lately.

    ``when`` is the moment of the youngest of its lines: of the commit, else of the file.
    ``who`` and ``actor`` are as in ``Attribution``; ``operation`` is what `undo` takes, None before a commit.
    """

    entry: str
    path: str
    line: int
    title: str
    when: datetime
    who: str
    actor: str
    action: str
    operation: OperationId | None
    commit: CommitId | None
    session: str | None


def recent_entries(workspace: Workspace, since: datetime) -> list[RecentEntry]:
    """What was written at or after ``since``, the newest first. Raises what reading the history raises."""
    found = [
        one
        for file, document in _changed(workspace, since)
        for one in _recent_in(workspace, file, document, since)
    ]
    return sorted(found, key=lambda one: (-one.when.timestamp(), one.path, one.line))


def _changed(workspace: Workspace, since: datetime) -> Iterator[tuple[MemoryFile, Document]]:
    """The files of memory that a commit since then changed, or that differ from the last one."""
    history = workspace.history
    head, committed = history.head(), set[RelPath]()
    for commit in history.commits():
        if commit.when < since:
            break
        committed.update(history.changed_paths(commit))
    for file in workspace.scan():
        touched = file.ctime_ns / _NANOSECONDS >= since.timestamp()
        if not touched and file.path not in committed:
            continue
        try:
            document = workspace.document(file.path)
        except (FileNotFoundError, NotMemoryError):  # removed meanwhile
            continue
        if file.path in committed or history.blob(head, file.path) != document.data:
            yield file, document


def _recent_in(
    workspace: Workspace, file: MemoryFile, document: Document, since: datetime
) -> Iterator[RecentEntry]:
    deeds, sessions = line_deeds(workspace, document), session_blocks(document)
    changed = datetime.fromtimestamp(file.ctime_ns / _NANOSECONDS).astimezone()
    for entry in document.entries:
        if entry.form is Form.HEADING or entry.part > 1 or _says_nothing(entry):
            continue
        deed = newest(workspace, deeds, entry)
        when = deed.when or changed
        if when < since:
            continue
        origin = origin_of(document, entry, deed, sessions=sessions)
        yield RecentEntry(
            entry=entry.address,
            path=document.path,
            line=entry.start_line,
            title=entry.plain_title,
            when=when,
            who=deed.who,
            actor=deed.actor,
            action=deed.action,
            operation=deed.operation,
            commit=deed.commit,
            session=origin.session,
        )


def _says_nothing(entry: Entry) -> bool:
    """Whether it only tells programs where a part of a file begins, or of which session it is."""
    is_marker = entry.text.startswith("<!--") and entry.text.endswith("-->") and not hidden_in(entry.text)
    return is_marker or is_session_field(entry)


# -- all that a session left in memory, wherever it went since ---------------------------------------


def entries_of_session(workspace: Workspace, session: str) -> tuple[str, ...]:
    """The addresses of all that comes from ``session``, quarantine included, in the order of the files.

    An episode counts as a whole (its address is its path). A copy counts where its comment leads to
    something that counts, over any number of copies.
    """
    files = list(_candidates(workspace, session))
    found: dict[str, None] = {}
    for document in files:
        found |= dict.fromkeys(_own(document, session))
    while more := [
        address for document in files for address in _copies(document, found) if address not in found
    ]:
        found |= dict.fromkeys(more)
    pages = {address for address in found if "#" not in address}
    place = {document.path: number for number, document in enumerate(files)}
    kept = [address for address in found if address in pages or path_of(address) not in pages]
    return tuple(
        sorted(kept, key=lambda address: place[RelPath(address if address in pages else path_of(address))])
    )


def _candidates(workspace: Workspace, session: str) -> Iterator[Document]:
    """The files in which the session's name, or the source of a copy, stands."""
    names = {session.encode("utf-8", "surrogateescape")}
    comment = provenance({"session": session}).render()  # where odd characters are spelt otherwise
    names.add(comment.partition("session=")[2].removesuffix(" -->").encode())
    for file in (*workspace.scan(), *layout.scan(workspace.root, layout.SET_ASIDE)):
        try:
            data = workspace.files.read(file.path)
        except (OSError, NotMemoryError):
            continue
        has_marks = file.kind is Kind.MEMORY and b"<!-- wb:" in data
        if has_marks or b"src=" in data or any(name in data for name in names):
            yield workspace.document(file.path)


def _own(document: Document, session: str) -> Iterator[str]:
    """What a file itself says comes from the session."""
    source = document.header.text("source_id") or ""
    blocks = [block for block in session_blocks(document) if session in block.names]
    is_ours = document.kind is Kind.EPISODE and not is_session_file(document)
    if is_ours and (blocks or source == session or source.startswith(session + ":")):
        yield document.path
        return
    for entry in document.entries:
        if entry.field("session") == session or any(
            block.first <= entry.start_line <= block.last for block in blocks
        ):
            yield entry.address


def _copies(document: Document, found: dict[str, None]) -> Iterator[str]:
    """Entries whose comment names as their source what was found already."""
    hashes = {(path_of(address), hash_of(address)) for address in found if "#" in address}
    for entry in document.entries:
        source = entry.field("src")
        if not source:
            continue
        path = path_of(source) or source
        if path in found or (path, entry.field("entry") or entry.hash) in hashes:
            yield entry.address
