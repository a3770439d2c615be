"""The rows of the table of many workspaces, made from the files of each workspace.

A workspace is only read: not even its ``.workbench`` folder is written. Every worker imports this module, so
it does not import LanceDB (``table`` does).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from indexing.document import Stamp, Stored, indexed_words, packed, storable, stored_entries
from indexing.embedding.port import Embedder, TextVectors, Vectors, vectors_among
from indexing.lexical.terms import BOOSTS, Terms, stemmed
from indexing.sync.entry_vectors import vectors_of
from indexing.sync.sources import MARKDOWN_LIMIT
from workbench.errors import WorkbenchError, WorkspaceError, reason_of
from workbench.frozen import frozen
from workbench.workspace.late_writes import carry_late
from workbench.workspace.layout import MemoryFile
from workbench.workspace.workspace import Workspace


@frozen
class FileRead:
    """One file: its path in the workspace, the SHA-256 of its bytes, its entries in their order."""

    path: str
    digest: str
    entries: list[Stored]


@frozen
class Difference:
    """What of a workspace is not as the table knows it.

    ``changed`` are files to be written, ``removed`` paths that are gone, ``failed`` what cannot be read with
    the reason; what the table has of the latter stays.
    """

    changed: tuple[FileRead, ...]
    removed: tuple[str, ...]
    failed: Mapping[str, str]
    seen: int

    @property
    def behind(self) -> int:
        """Files of which the table says something else."""
        return len(self.changed) + len(self.removed)


def difference(root: Path | str, known: Mapping[str, str], *, believe: bool = False) -> Difference:
    """Compare the workspace in ``root`` with ``known``, which is the digest of each file by its path.

    Extra paths, transcripts, files that the workspace's own rules leave out, and the quarantine are no memory
    of the fleet: the first two are named in the settings of one person. Files without any entry have no rows:
    they are read each time and never are a difference. ``believe`` takes a workspace that lost all its files
    at its word. Raises WorkbenchError (no such folder, settings that make no sense, everything vanished) and
    OSError.
    """
    workspace = Workspace.open(root)
    carry_late(workspace)
    changed: list[FileRead] = []
    failed: dict[str, str] = {}
    files = [file for file in workspace.scan() if not file.is_template]
    if len(known) > 1 and not files and not believe:
        raise WorkspaceError(
            f"all of its {len(known)} files are missing; the table was not changed",
            hint="a folder may not be mounted. If you removed them on purpose, add --full",
        )
    for file in files:
        try:
            read = _read(workspace, file, known.get(file.path))
        except (OSError, WorkbenchError) as error:
            failed[file.path] = reason_of(error)
            continue
        if read is not None and (read.entries or file.path in known):
            changed.append(read)
    there = {file.path for file in files}
    removed = tuple(path for path in known if path not in there)
    return Difference(tuple(changed), removed, failed, len(files))


def _read(workspace: Workspace, file: MemoryFile, known: str | None) -> FileRead | None:
    """The file, or None where its bytes are those that are known."""
    if file.size > MARKDOWN_LIMIT:
        raise WorkspaceError(f"it is larger than {MARKDOWN_LIMIT // 1_000_000:,} MB")
    data = workspace.read(file.path)
    digest = hashlib.sha256(data).hexdigest()
    if digest == known:
        return None
    document = workspace.parsed(file.path, data)
    # Time stamps and inodes are those of one machine: nothing of them is stored for others.
    stamp = Stamp(len(data), 0, 0, digest)
    return FileRead(file.path, digest, stored_entries(document, stamp))


FORMAT = 4
STEMMED = {"text": "t", "context": "c", "heading": "h", "date": "d"}
"""The letter that stands before the terms of each field of stems."""

READY = {"exact": "x", "pairs": "p"}
"""The same of the fields whose terms come ready."""

STORED = ("id", "workspace", "day", "marks", "body")
"""What is read of a row to rank and to show it; ``body`` is the entry, packed as in the word index."""

Row = dict[str, Any]
"""One entry of one workspace as it is to be written, by the names of ``schema``."""


def schema(dimension: int, about: dict[str, str]) -> Any:
    """The columns; ``about`` is kept with the table. Without a dimension there is no column of vectors."""
    columns = [
        pa.field("id", "string", nullable=False),
        pa.field("workspace", "string", nullable=False),
        pa.field("file", "string", nullable=False),
        pa.field("path", "string"),
        pa.field("digest", "string"),
        pa.field("kind", "string"),
        pa.field("day", "int32"),
        pa.field("marks", "int64"),
        pa.field("body", "binary"),
        pa.field("terms", "string"),
        pa.field("lacking", "bool"),
    ]
    if dimension:
        columns.append(pa.field("vector", pa.list_(pa.float32(), dimension)))
    return pa.schema(columns, metadata=about)


def row_id(workspace: str, name: str) -> str:
    """Thirty-two hexadecimal digits that stand for a file or an entry: written twice, it is there once."""
    joined = f"{workspace}\0{name}".encode("utf-8", "surrogateescape")
    return hashlib.blake2b(joined, digest_size=16).hexdigest()


def terms_of_file(file: FileRead) -> Iterator[str]:
    """The terms of each entry of a file, in its order: one column, the letter of its field before each.

    So one full-text index answers for all fields, by the very terms that the index of one workspace has.
    """
    for words in indexed_words(file.entries):
        said = [
            f"{letter}:{stem}"
            for name, letter in STEMMED.items()
            for part in words[name]
            for stem in stemmed().analyze(part)
        ]
        said += [
            f"{letter}:{token}"
            for name, letter in READY.items()
            for part in words[name]
            for token in part.split()
        ]
        yield " ".join(said)


def asked_terms(terms: Terms) -> Iterator[tuple[str, float]]:
    """The terms of a question as the column has them, each field's with what it counts."""
    sought = {name: (letter, (*terms.stems, *terms.guessed)) for name, letter in STEMMED.items()}
    sought["exact"] = READY["exact"], terms.exact
    sought["pairs"] = READY["pairs"], (*terms.pairs, *terms.lone)
    for name, (letter, tokens) in sought.items():
        if tokens:
            yield " ".join(f"{letter}:{token}" for token in tokens), BOOSTS[name]


def as_table(rows: Sequence[Row], dimension: int) -> Any:
    """The rows as an Arrow table of ``schema(dimension)``."""
    return pa.Table.from_pylist(rows, schema=schema(dimension, {}))


def quoted(values: Iterable[str]) -> str:
    """``values`` as a list in a condition: ``('a','it''s')``."""
    return "(" + ",".join("'" + value.replace("'", "''") + "'" for value in values) + ")"


def embedded(embedder: Embedder, files: Iterable[FileRead]) -> TextVectors:
    """The (d,) vectors of all texts in ``files``, each text once. Raises ModelUnavailableError."""
    wanted = dict.fromkeys(entry.text for file in files for entry in file.entries)
    out: TextVectors = {}
    for portion in embedder.portions(sorted(wanted, key=len)):
        out |= vectors_among(portion)
    return out


def rows_of(workspace: str, file: FileRead, texts: Mapping[str, Vectors] | None, dimension: int) -> list[Row]:
    """The rows of one file; without ``texts`` or for a text that has no vector, rows without one.

    The vector of an entry is that of its text in the passage that it stands in.
    """
    known = texts or {}
    vectors = vectors_of(file.entries, known, dimension) if known and file.entries else None
    return [
        {
            "id": row_id(workspace, entry.address),
            "workspace": workspace,
            "file": row_id(workspace, entry.path),
            "path": storable(entry.path),
            "digest": file.digest,
            "kind": entry.kind.value,
            "day": entry.day,
            "marks": entry.facets.marks,
            "body": packed(entry, 0),
            "terms": terms,
            "lacking": entry.text not in known,
            "vector": vectors[at] if vectors is not None and entry.text in known else None,
        }
        for at, (entry, terms) in enumerate(zip(file.entries, terms_of_file(file), strict=True))
    ]
