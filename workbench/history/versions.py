"""The versions of a file and what each of them held, read no more often than needed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from workbench.errors import EntryNotFoundError, NotMemoryError
from workbench.frozen import frozen
from workbench.history.origin import UNRECORDED, Attribution, deed_of
from workbench.memory.entry import Entry, EntryHash, RelPath, entry_hash, hash_of
from workbench.memory.file_edit import hunks
from workbench.memory.frontmatter import read_front_matter
from workbench.memory.markdown import Document
from workbench.memory.plain_blocks import plain_blocks
from workbench.memory.provenance import split_provenance
from workbench.repository.git_repository import History
from workbench.repository.objects import BlobId, Commit, CommitId
from workbench.safety.terminal import visible_line
from workbench.workspace.snapshot import PastWorkspace
from workbench.workspace.workspace import Workspace

# -- whether a commit can have made an entry appear or vanish, told from bytes alone -----------------
# Parsing two thousand versions of a file takes a minute; looking for the entry's lines in them takes a blink.
# Where its lines stand in both versions between the same neighbours, nothing happened to it.

_LINES_BELOW = 2
_MOST_LINES = 8
_MARKER = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)]|>)\s+")


def surroundings(data: bytes, spellings: Iterable[bytes]) -> tuple[bytes, ...]:
    """Each place where one of ``spellings`` stands in ``data``, from the line above to two lines below."""
    found: list[tuple[int, bytes]] = []
    for spelling in spellings:
        at = data.find(spelling) if spelling else -1
        while at >= 0:
            found.append((at, _window(data, at, at + len(spelling))))
            at = data.find(spelling, at + len(spelling))
    return tuple(window for _, window in sorted(found))


def plain_count(data: bytes, spellings: Collection[bytes]) -> int | None:
    """How many blocks of ``data`` are one of ``spellings``, where each block is read from its own lines.

    None for all other bytes: there an entry can change by what stands beside it.
    """
    header = read_front_matter(data)
    body = header.body if header else 0
    plain = plain_blocks(data, body, data.count(b"\n", 0, body))
    if plain.end < len(data):
        return None
    lines = data.split(b"\n")
    return sum(b"\n".join(lines[first:last]).strip() in spellings for _, first, last, *_ in plain.blocks)


def _window(data: bytes, start: int, end: int) -> bytes:
    own_line = data.rfind(b"\n", 0, start) + 1
    above = data.rfind(b"\n", 0, max(own_line - 1, 0)) + 1
    below = end
    for _ in range(_LINES_BELOW + 1):
        newline = data.find(b"\n", below)
        below = len(data) if newline < 0 else newline + 1
    return data[above:below]


def loses(before: bytes, after: bytes, digits: str) -> bool:
    """Whether some lines that ``after`` lacks are, by themselves, an entry whose hash begins so.

    A hash is blind to white space, so the lines of a short entry give it without any parsing; a no is no
    proof for a long one.
    """
    for hunk in hunks(before, after):
        lines = [line.decode("utf-8", "replace") for line in hunk.old]
        for first in range(len(lines)):
            for last in range(first + 1, min(first + _MOST_LINES, len(lines)) + 1):
                text = split_provenance("".join(lines[first:last]))[0]
                if entry_hash(_MARKER.sub("", text, count=1)).startswith(digits):
                    return True
    return False


# -- the versions of a file --------------------------------------------------------------------------

_KEPT_BYTES = 64 << 20
"""Bytes of versions that are kept: they are looked through again for each entry that is followed."""


@frozen
class FileVersion:
    """A file after a commit and before it (after each of the latest earlier commits that changed it).

    ``name`` is that of the commit; None for what is on disk.
    """

    history: History
    path: RelPath
    name: CommitId | None
    after: BlobId | None
    before: tuple[BlobId | None, ...]

    @property
    def commit(self) -> Commit | None:
        """The commit that made this version, read when it is asked for."""
        return None if self.name is None else self.history.commit(self.name)

    @property
    def deed(self) -> Attribution:
        """Who made this version."""
        commit = self.commit
        return deed_of(commit) if commit else UNRECORDED


class Versions:
    """Files of a workspace through time. Bytes are kept up to a limit, parsed documents all."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.history = workspace.history
        self._data: dict[BlobId, bytes] = {}
        self._size = 0
        self._disk: dict[BlobId, bytes] = {}
        self._documents: dict[tuple[RelPath, BlobId | None], Document] = {}
        self._versions: dict[RelPath, tuple[FileVersion, ...]] = {}
        self._blobs: dict[tuple[CommitId, RelPath], BlobId | None] = {}
        self._spellings: dict[tuple[RelPath, EntryHash], set[bytes]] = {}

    def of(self, path: RelPath) -> tuple[FileVersion, ...]:
        """All versions of a file, newest first; the first is the one on disk where no commit has it."""
        if path not in self._versions:
            self._versions[path] = tuple(self._walk(path))
        return self._versions[path]

    def blob_id(self, commit: CommitId, path: RelPath) -> BlobId | None:
        """The name of a file's bytes in a commit."""
        key = (commit, path)
        if key not in self._blobs:
            self._blobs[key] = self.history.blob_id(commit, path)
        return self._blobs[key]

    def data(self, blob: BlobId | None) -> bytes:
        """The bytes of one version; none where there is no file."""
        if blob is None:
            return b""
        if blob in self._disk:
            return self._disk[blob]
        if blob not in self._data:
            self._data[blob] = self.history.stored(blob)
            self._size += len(self._data[blob])
            while self._size > _KEPT_BYTES and len(self._data) > 1:
                self._size -= len(self._data.pop(next(iter(self._data))))
        return self._data[blob]

    def document(self, path: RelPath, blob: BlobId | None) -> Document:
        """One version, parsed; an empty document where there is no file."""
        key = (path, blob)
        if key not in self._documents:
            document = self.workspace.parsed(path, self.data(blob))
            for entry in document.entries:
                spelling = document.data[entry.span.start : entry.span.end].strip()
                self._spellings.setdefault((path, entry.hash), set()).add(spelling)
            self._documents[key] = document
        return self._documents[key]

    def spellings(self, entry: Entry) -> frozenset[bytes]:
        """The bytes of an entry in the versions of its file that were parsed so far."""
        return frozenset(self._spellings.get((entry.path, entry.hash), ()))

    def document_at(self, commit: CommitId, path: RelPath) -> Document:
        """A file in a commit, parsed."""
        return self.document(path, self.blob_id(commit, path))

    def last_seen(self, address: str) -> Entry:
        """The entry at ``address`` as it is on disk, else as it last stood in its file.

        Raises EntryNotFoundError where the file never held it, AmbiguousEntryError, NotMemoryError.
        """
        path = RelPath(address.rpartition("#")[0])
        if not self.workspace.layout.may_curate(path):
            raise NotMemoryError(path)
        newest = self.of(path)[:1]
        try:
            return self.document(path, newest[0].after if newest else None).find(address)
        except EntryNotFoundError:
            found = self._named_by_operation(address, path) or self._removed(address, path)
            if found is None:
                raise
            return found

    def _named_by_operation(self, address: str, path: RelPath) -> Entry | None:
        """An entry that one of our operations took away: its trailers name it."""
        for commit in self.history.commits(saying=f"Entry: {spoken(address)}"):
            for parent in commit.parents:
                if found := entry_in(self.document_at(parent, path), address):
                    return found
        return None

    def _removed(self, address: str, path: RelPath) -> Entry | None:
        """An entry that anybody took away. Versions whose lost lines have its hash are parsed first."""
        digits = hash_of(address)
        later: list[BlobId] = []
        for version in self.of(path):
            after = self.data(version.after)
            for before in filter(None, version.before):
                if after.startswith(self.data(before)):
                    continue  # nothing was taken out
                if not loses(self.data(before), after, digits):
                    later.append(before)
                elif found := entry_in(self.document(path, before), address):
                    return found
        return next((found for b in later if (found := entry_in(self.document(path, b), address))), None)

    def _walk(self, path: RelPath) -> Iterator[FileVersion]:
        head = self.history.head()
        recorded = self.blob_id(head, path) if head else None
        here = self.data(recorded) if isinstance(self.workspace, PastWorkspace) else self._now(path)
        if here != self.data(recorded):
            disk = BlobId(f"disk {path}")
            self._disk[disk] = here
            yield FileVersion(self.history, path, None, disk, (recorded,))
        found = list(self.history.versions(path))
        known = self.history.blob_changes(
            path, ((name, before[0]) for name, before in found if len(before) == 1)
        )
        for (name, old), (then, now) in known.items():
            self._blobs[old, path], self._blobs[name, path] = then, now
        for name, before in found:
            earlier = tuple(self.blob_id(one, path) for one in before)
            yield FileVersion(self.history, path, name, self.blob_id(name, path), earlier)

    def _now(self, path: RelPath) -> bytes:
        try:
            return self.workspace.files.read_or_none(path) or b""
        except (NotMemoryError, OSError):  # a link or a folder took its place
            return b""


def entry_in(document: Document, address: str) -> Entry | None:
    """The entry of a document with that hash, which may be the first digits of one."""
    try:
        return document.find(address)
    except EntryNotFoundError:
        return None


def spoken(address: str) -> str:
    """An address as a trailer spells it."""
    return " ".join(visible_line(address).split())
