"""Meaning: the LanceDB table of one generation, one row an entry.

Columns: ``key`` (``document.entry_key``), ``file`` (``document.file_key``), ``kind``
(``document.kind_code``), ``day`` (proleptic ordinal, 0: none), ``vector`` (d float32 of length 1).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ.setdefault("LANCEDB_LOG", "error")  # its warnings would draw over a terminal interface

import lancedb
import numpy as np
import pyarrow as pa
from lancedb.index import BTree, IvfRq
from numpy.typing import NDArray

from indexing.engines import engine

if TYPE_CHECKING:
    from indexing.embedding.port import Vectors

INDEX_ROWS = 100_000
"""Up to here a matrix in memory is faster than any index of the engine, and exact."""

PROBES, REFINE = 50, 10
_TABLE, _INDEX = "entries", "nearest"
_CACHE_BYTES = 64 * 1024 * 1024
_KEEP_VERSIONS = timedelta(minutes=10)
_MOST_FRAGMENTS = 20
_UNINDEXED_SHARE = 0.05
_FILES_A_FILTER = 500


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows to write: ``vectors`` is (n, d), the other columns have n values."""

    keys: Sequence[int]
    files: Sequence[str]
    kinds: Sequence[int]
    days: Sequence[int]
    vectors: Vectors


@cache
def _session() -> Any:
    return lancedb.Session(index_cache_size_bytes=_CACHE_BYTES, metadata_cache_size_bytes=_CACHE_BYTES)


def connect(folder: Path) -> Any:
    """A connection that sees other processes' writes at once, with bounded caches."""
    return lancedb.connect(str(folder), read_consistency_interval=timedelta(0), session=_session())


def open_table(folder: Path) -> Any:
    """The table in ``folder``. Raises IndexUnavailableError when there is none or it is damaged."""
    with engine("the vectors cannot be opened"):
        return connect(folder).open_table(_TABLE)


def versions_folder(folder: Path) -> Path:
    """Where the engine adds a file with every write."""
    return folder / f"{_TABLE}.lance" / "_versions"


class VectorWriter:
    """Writes one generation's vectors. All methods raise IndexUnavailableError."""

    def __init__(self, folder: Path, dimension: int) -> None:
        self._dimension = dimension
        with engine("the vectors cannot be written"):
            folder.mkdir(parents=True, exist_ok=True)
            self._table = connect(folder).create_table(_TABLE, schema=_schema(dimension), exist_ok=True)
            if self._table.schema.field("vector").type.list_size != dimension:
                raise ValueError(f"the table is not for {dimension} dimensions")

    def replace(self, files: Sequence[str], rows: Rows | None) -> None:
        """Make ``rows`` all that there is of the files with these keys."""
        with engine("the vectors cannot be written"):
            if self._table.count_rows():
                for some in _groups(files, _FILES_A_FILTER):
                    names = ", ".join(f"'{name}'" for name in some)  # hexadecimal digits only
                    self._table.delete(f"file IN ({names})")
            if rows is not None and len(rows.keys):
                self._table.add(self._batch(rows))
            self.tidy()

    def tidy(self) -> None:
        """Where many small writes left many files, merge them and drop versions no reader looks at."""
        with engine("the vectors cannot be written"):
            if self._table.stats()["fragment_stats"]["num_fragments"] > _MOST_FRAGMENTS:
                self._table.optimize(cleanup_older_than=_KEEP_VERSIONS)

    def build_index(self) -> None:
        """An index for more rows than a matrix in memory should hold; below that, nothing."""
        with engine("the vectors cannot be indexed"):
            rows = self._table.count_rows()
            if rows <= INDEX_ROWS:
                return
            names = {index.name for index in self._table.list_indices()}
            if _INDEX in names:
                known = self._table.index_stats(_INDEX)
                if known is None or known.num_unindexed_rows > rows * _UNINDEXED_SHARE:
                    self._table.optimize(cleanup_older_than=_KEEP_VERSIONS)
                return
            self._table.create_index("vector", config=IvfRq(distance_type="cosine"), name=_INDEX)
            self._table.create_index("key", config=BTree())

    def count(self) -> int:
        """Rows in the newest version."""
        with engine("the vectors cannot be read"):
            return int(self._table.count_rows())

    def _batch(self, rows: Rows) -> Any:
        flat = pa.array(np.ascontiguousarray(rows.vectors, np.float32).reshape(-1))
        columns = [
            pa.array(rows.keys, pa.int64()),
            pa.array(rows.files, pa.string()),
            pa.array(rows.kinds, pa.uint8()),
            pa.array(rows.days, pa.int32()),
            pa.FixedSizeListArray.from_arrays(flat, self._dimension),
        ]
        return pa.Table.from_arrays(columns, schema=_schema(self._dimension))


@dataclass(frozen=True, slots=True)
class Nearest:
    """The entries nearest to a question: (n,) int64 keys and (n,) float32 cosines in [-1, 1]."""

    keys: NDArray[np.int64]
    cosines: NDArray[np.float32]


def _schema(dimension: int) -> Any:
    return pa.schema(
        [
            pa.field("key", pa.int64()),
            pa.field("file", pa.string()),
            pa.field("kind", pa.uint8()),
            pa.field("day", pa.int32()),
            pa.field("vector", pa.list_(pa.float32(), dimension)),
        ]
    )


def _groups(items: Sequence[str], size: int) -> Iterable[Sequence[str]]:
    return (items[at : at + size] for at in range(0, len(items), size))
