"""What the table of many workspaces holds of an entry: one row, made from its file alone.

Its vector is that of its text in the passage that it stands in.

The words of a row stand in one column, each term with the letter of its field before it (``t:deploi``): one
full-text index answers for all fields, by the very terms that the index of one workspace has.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from indexing.document import indexed_words, packed, storable
from indexing.embedding.port import Embedder
from indexing.lexical.schema import BOOSTS, stemmed
from indexing.lexical.terms import Terms
from indexing.many_workspaces.workspace_reader import FileRead
from indexing.sync.entry_vectors import TextVectors

FORMAT = 3
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
        pa.field("id", pa.string(), nullable=False),
        pa.field("workspace", pa.string(), nullable=False),
        pa.field("file", pa.string(), nullable=False),
        pa.field("path", pa.string()),
        pa.field("digest", pa.string()),
        pa.field("kind", pa.string()),
        pa.field("day", pa.int32()),
        pa.field("marks", pa.int64()),
        pa.field("body", pa.binary()),
        pa.field("terms", pa.string()),
        pa.field("lacking", pa.bool_()),
    ]
    if dimension:
        columns.append(pa.field("vector", pa.list_(pa.float32(), dimension)))
    return pa.schema(columns, metadata=about)


def row_id(workspace: str, name: str) -> str:
    """Thirty-two hexadecimal digits that stand for a file or an entry: written twice, it is there once."""
    joined = f"{workspace}\0{name}".encode("utf-8", "surrogateescape")
    return hashlib.blake2b(joined, digest_size=16).hexdigest()


def terms_of_file(file: FileRead) -> Iterator[str]:
    """The terms of each entry of a file, in its order."""
    for words in indexed_words(file.entries):
        said = [f"{STEMMED[name]}:{stem}" for name in STEMMED for stem in stemmed().analyze(words[name])]
        said += [f"{READY[name]}:{token}" for name in READY for token in words[name].split()]
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
    """The vectors of all texts in ``files``, each text once. Raises ModelUnavailableError."""
    wanted = dict.fromkeys(entry.text for file in files for entry in file.entries)
    out = TextVectors()
    for portion in embedder.portions(sorted(wanted, key=len)):
        out.take(portion)
    return out


def rows_of(workspace: str, file: FileRead, texts: TextVectors | None, dimension: int) -> list[Row]:
    """The rows of one file; without ``texts`` or for a text that has no vector, rows without one."""
    known = texts.known if texts else {}
    vectors = texts.of(file.entries, dimension) if texts and file.entries else None
    return [
        {
            "id": row_id(workspace, entry.address),
            "workspace": workspace,
            "file": row_id(workspace, entry.path),
            "path": storable(entry.path),
            "digest": file.digest,
            "kind": entry.kind.value,
            "day": entry.date.toordinal() if entry.date else 0,
            "marks": entry.facets.marks,
            "body": packed(entry, 0),
            "terms": terms,
            "lacking": entry.text not in known,
            "vector": vectors[at] if vectors is not None and entry.text in known else None,
        }
        for at, (entry, terms) in enumerate(zip(file.entries, terms_of_file(file), strict=True))
    ]
