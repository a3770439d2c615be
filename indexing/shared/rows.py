"""What the table of many workspaces holds of an entry: one row, made from its file alone.

Its vector is that of its text in the passage that it stands in.

The words of a row stand in one column, each term with the letter of its field before it (``t:deploi``): one
full-text index answers for all fields, by the very terms that the index of one workspace has.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from indexing.document import Stored, indexed_words, packed, storable
from indexing.embedding.port import Embedder, portions
from indexing.lexical.schema import BOOSTS, stemmed
from indexing.lexical.terms import Terms
from indexing.shared.workspace_reader import FileRead
from indexing.sync.embed_missing import sections, with_context

if TYPE_CHECKING:
    from indexing.embedding.port import Vectors

FORMAT = 3
FIELDS = {"text": "t", "context": "c", "heading": "h", "date": "d", "exact": "x", "pairs": "p"}
"""The letter that stands before the terms of each field."""

STORED = ("id", "workspace", "day", "marks", "body")
"""What is read of a row to rank and to show it; ``body`` is the entry, packed as in the word index."""

_TEXTS_A_STEP = 64


@dataclass(frozen=True, slots=True)
class Row:
    """One entry of one workspace as it is to be written. ``vector`` is (d,), None where there is none."""

    workspace: str
    digest: str
    entry: Stored
    terms: str
    vector: Vectors | None


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


def file_id(workspace: str, path: str) -> str:
    """Thirty-two hexadecimal digits that stand for a file of a workspace."""
    return _digest(workspace, path)


def entry_id(workspace: str, address: str) -> str:
    """Thirty-two hexadecimal digits that stand for an entry: written twice, it is there once."""
    return _digest(workspace, address)


def terms_of_file(file: FileRead) -> Iterator[str]:
    """The terms of each entry of a file, in its order."""
    stems = stemmed().analyze
    for words in indexed_words(file.entries):
        said = [
            *(f"t:{stem}" for stem in stems(words.text)),
            *(f"c:{stem}" for stem in stems(words.context)),
            *(f"h:{stem}" for stem in stems(words.heading)),
            *(f"d:{stem}" for stem in stems(words.date)),
            *(f"x:{token}" for token in words.exact.split()),
            *(f"p:{pair}" for pair in words.pairs.split()),
        ]
        yield " ".join(said)


def asked_terms(terms: Terms) -> Iterator[tuple[str, float]]:
    """The terms of a question as the column has them, each field's with what it counts."""
    stems = (*terms.stems, *terms.guessed)
    for name in ("text", "context", "heading", "date"):
        if stems:
            yield " ".join(f"{FIELDS[name]}:{stem}" for stem in stems), BOOSTS[name]
    for name, tokens in (("exact", terms.exact), ("pairs", (*terms.pairs, *terms.lone))):
        if tokens:
            yield " ".join(f"{FIELDS[name]}:{token}" for token in tokens), BOOSTS[name]


def as_table(rows: Sequence[Row], dimension: int) -> Any:
    """The rows as an Arrow table of ``schema(dimension)``."""
    entries = [row.entry for row in rows]
    columns: list[Any] = [
        pa.array([entry_id(row.workspace, row.entry.address) for row in rows], pa.string()),
        pa.array([row.workspace for row in rows], pa.string()),
        pa.array([file_id(row.workspace, row.entry.path) for row in rows], pa.string()),
        pa.array([storable(entry.path) for entry in entries], pa.string()),
        pa.array([row.digest for row in rows], pa.string()),
        pa.array([entry.kind.value for entry in entries], pa.string()),
        pa.array([entry.date.toordinal() if entry.date else 0 for entry in entries], pa.int32()),
        pa.array([entry.facets.marks for entry in entries], pa.int64()),
        pa.array([packed(entry, 0) for entry in entries], pa.binary()),
        pa.array([row.terms for row in rows], pa.string()),
        pa.array([row.vector is None for row in rows], pa.bool_()),
    ]
    if dimension:
        columns.append(_vectors(rows, dimension))
    return pa.Table.from_arrays(columns, schema=schema(dimension, {}))


def quoted(values: Iterable[str]) -> str:
    """``values`` as a list in a condition: ``('a','it''s')``."""
    return "(" + ",".join("'" + value.replace("'", "''") + "'" for value in values) + ")"


def _vectors(rows: Sequence[Row], dimension: int) -> Any:
    flat = np.zeros((len(rows), dimension), np.float32)
    for at, row in enumerate(rows):
        if row.vector is not None:
            flat[at] = row.vector
    lacking = pa.array([row.vector is None for row in rows], pa.bool_())
    return pa.FixedSizeListArray.from_arrays(pa.array(flat.reshape(-1)), dimension, mask=lacking)


def _digest(*parts: str) -> str:
    joined = "\0".join(parts).encode("utf-8", "surrogateescape")
    return hashlib.blake2b(joined, digest_size=16).hexdigest()


@dataclass(slots=True)
class Texts:
    """The vectors of texts by text, and why others have none."""

    known: dict[str, Vectors] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


def embedded(embedder: Embedder, files: Iterable[FileRead]) -> Texts:
    """The vectors of all texts in ``files``, each text once. Raises ModelUnavailableError."""
    wanted = dict.fromkeys(entry.text for file in files for entry in file.entries)
    out = Texts()
    for portion in portions(embedder, sorted(wanted, key=len), step=_TEXTS_A_STEP):
        out.known.update(portion.vectors)
        out.failed.update(portion.failed)
    return out


def rows_of(workspace: str, file: FileRead, texts: Texts | None, dimension: int) -> list[Row]:
    """The rows of one file; without ``texts`` or for a text that has no vector, rows without one."""
    vectors = _in_passages(file, texts, dimension) if texts is not None and file.entries else None
    return [
        Row(
            workspace,
            file.digest,
            entry,
            terms,
            None if vectors is None or texts is None or entry.text not in texts.known else vectors[at],
        )
        for at, (entry, terms) in enumerate(zip(file.entries, terms_of_file(file), strict=True))
    ]


def _in_passages(file: FileRead, texts: Texts, dimension: int) -> Vectors:
    none = np.zeros(dimension, np.float32)
    own: Sequence[Vectors] = [texts.known.get(entry.text, none) for entry in file.entries]
    return with_context(np.stack(own), sections(file.entries))
