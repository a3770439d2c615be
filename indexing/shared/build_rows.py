"""From files to rows: their words, and the vectors of their texts in the passage they stand in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from indexing.embedding.port import Embedder, portions
from indexing.shared.rows import Row, terms_of_file
from indexing.shared.workspace_reader import FileRead
from indexing.sync.embed_missing import sections, with_context

if TYPE_CHECKING:
    from indexing.embedding.port import Vectors

_TEXTS_A_STEP = 64


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
    vectors = _vectors(file, texts, dimension) if texts is not None and file.entries else None
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


def _vectors(file: FileRead, texts: Texts, dimension: int) -> Vectors:
    none = np.zeros(dimension, np.float32)
    own: Sequence[Vectors] = [texts.known.get(entry.text, none) for entry in file.entries]
    return with_context(np.stack(own), sections(file.entries))
