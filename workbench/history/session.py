"""What one session left in memory, wherever it went since."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.errors import NotMemoryError
from workbench.memory.address import hash_of, path_of
from workbench.memory.entry import Kind
from workbench.memory.episode import is_session_file
from workbench.memory.markdown import Document
from workbench.memory.names import RelPath
from workbench.memory.provenance import provenance
from workbench.memory.session_blocks import session_blocks
from workbench.workspace import layout
from workbench.workspace.workspace import Workspace


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
