"""Meaning: the LanceDB table of one generation, one row an entry.

Columns: ``key`` (``document.entry_key``), ``file`` (``document.file_key``), ``kind``
(``document.kind_code``), ``day`` (proleptic ordinal, 0: none), ``vector`` (d float32 of length 1).
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ.setdefault("LANCEDB_LOG", "error")  # its warnings would draw over a terminal interface

import lancedb
import numpy as np
import pyarrow as pa
from lancedb.index import BTree, IvfRq

from indexing.engines import engine
from indexing.vectors.flat import Columns, numbers, sweep, write_rows
from indexing.vectors.flat_card import INDEX_ROWS, FlatCopyCard, fitting_card, newest_version, write_card

if TYPE_CHECKING:
    from indexing.embedding.port import Vectors

_TABLE, _INDEX = "entries", "nearest"
_CACHE_BYTES = 64 * 1024 * 1024
_KEEP_VERSIONS = timedelta(seconds=30)
"""Readers open the newest version at every search, and no search takes as long."""

_MOST_FRAGMENTS = 100
"""Writing slows down beyond; merging them writes all vectors anew."""

_SPARE_BYTES = 50_000_000
_UNINDEXED_SHARE = 0.05
_FILES_A_FILTER = 500
_LATER_LEAST, _LATER_SHARE, _LATER_FILES = 1_000, 0.05, 2_000
"""Rows beside the flat copy, and files they are of, from which on it is written anew."""


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


def columns(table: Any, condition: str | None = None, *, most: int | None = None) -> Columns:
    """All rows of ``table``, or ``most`` of those that meet ``condition``; raises what the engine raises."""
    search = table.search().select(["key", "file", "vector"])
    search = search.where(condition) if condition else search
    found = search.limit(max(1, table.count_rows() if most is None else most)).to_arrow()
    width = found.schema.field("vector").type.list_size
    flat = found["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return Columns(
        found["key"].to_numpy().astype(np.int64),
        numbers(found["file"].to_pylist()),
        np.asarray(flat, np.float32).reshape(len(found), width),
    )


class VectorWriter:
    """Writes a generation's vectors, and a copy of them to ``flat``. Methods raise IndexUnavailableError."""

    def __init__(self, folder: Path, dimension: int, flat: Path | None = None) -> None:
        self._folder, self._dimension, self._flat = folder, dimension, flat
        with engine("the vectors cannot be written"):
            folder.mkdir(parents=True, exist_ok=True)
            self._table = connect(folder).create_table(_TABLE, schema=_schema(dimension), exist_ok=True)
            if self._table.schema.field("vector").type.list_size != dimension:
                raise ValueError(f"the table is not for {dimension} dimensions")
        self._copied = fitting_card(flat, folder) if flat else None
        self._rewritten: set[str] = set()
        self._let_go()

    def replace(self, files: Sequence[str], rows: Rows | None) -> None:
        """Make ``rows`` all that there is of the files with these keys."""
        self._rewritten.update(files, rows.files if rows else ())
        with engine("the vectors cannot be written"):
            if self._table.count_rows():
                for some in _groups(files, _FILES_A_FILTER):
                    self._table.delete(_in(some))
            if rows is not None and len(rows.keys):
                self._table.add(self._batch(rows))
            self.tidy()

    def tidy(self) -> None:
        """Where many small writes left many files, merge them and drop versions no reader looks at."""
        with engine("the vectors cannot be written"):
            if self._table.stats()["fragment_stats"]["num_fragments"] > _MOST_FRAGMENTS:
                self._merge()

    def _let_go(self) -> None:
        """Where old versions, as a large build leaves them, hold far more of the disk than the rows need."""
        newest = newest_version(self._folder)
        if newest is None or time.time() - newest.mtime_ns / 1e9 < _KEEP_VERSIONS.total_seconds():
            return
        with engine("the vectors cannot be written"):
            data = self._folder / f"{_TABLE}.lance" / "data"
            held = sum(path.stat().st_size for path in data.iterdir()) if data.is_dir() else 0
            if held > _SPARE_BYTES + 1.5 * self._table.stats()["total_bytes"]:
                self._merge()

    def _merge(self) -> None:
        # What no version names is left from a killed sync: nobody else writes beside us.
        self._table.optimize(cleanup_older_than=_KEEP_VERSIONS, delete_unverified=True)

    def build_index(self) -> None:
        """An index for more rows than are compared one by one; below that, nothing."""
        with engine("the vectors cannot be indexed"):
            rows = self._table.count_rows()
            if rows <= INDEX_ROWS:
                return
            names = {index.name for index in self._table.list_indices()}
            if _INDEX in names:
                known = self._table.index_stats(_INDEX)
                if known is None or known.num_unindexed_rows > rows * _UNINDEXED_SHARE:
                    self._merge()
                return
            self._table.create_index("vector", config=IvfRq(distance_type="cosine"), name=_INDEX)
            self._table.create_index("key", config=BTree())

    def copy(self) -> None:
        """Make the flat copy one of this version, last of all; without room for it, there is none."""
        if self._flat is None:
            return
        card = None
        with engine("the vectors cannot be copied"), contextlib.suppress(OSError):
            if self._table.count_rows() <= INDEX_ROWS:
                card = (
                    self._copied_anew(self._flat)
                    if self._copied is None
                    else self._continued(self._flat, self._copied)
                )
                write_card(self._flat, card)
        sweep(self._flat, card)
        self._copied, self._rewritten = card, set()

    def _continued(self, flat: Path, before: FlatCopyCard) -> FlatCopyCard:
        """What was copied before, and beside it the rows of files that were written since."""
        files = {*before.rewritten, *self._rewritten}
        table = newest_version(self._folder)
        if table is None or len(files) > _LATER_FILES:
            return self._copied_anew(flat)
        if not self._rewritten:
            return replace(before, table=table)
        rows = self._of(sorted(files))
        hidden = before.base.rows + len(rows.keys) - int(self._table.count_rows())
        if max(len(rows.keys), hidden) > max(_LATER_LEAST, before.base.rows * _LATER_SHARE):
            return self._copied_anew(flat)
        later = write_rows(flat, f"later-{self._table.version}.rows", rows)
        return FlatCopyCard(self._dimension, table, before.base, later, tuple(sorted(files)))

    def _copied_anew(self, flat: Path) -> FlatCopyCard:
        table = newest_version(self._folder)
        if table is None:
            raise FileNotFoundError("the table has no version")
        sweep(flat, None)  # whoever has it open keeps it; two copies at once would need twice the room
        base = write_rows(flat, f"base-{self._table.version}.rows", columns(self._table))
        return FlatCopyCard(self._dimension, table, base, None, ())

    def _of(self, files: Sequence[str]) -> Columns:
        """The rows of these files."""
        some = [columns(self._table, _in(names)) for names in _groups(files, _FILES_A_FILTER)]
        return Columns(
            np.concatenate([rows.keys for rows in some]),
            np.concatenate([rows.files for rows in some]),
            np.concatenate([rows.vectors for rows in some]),
        )

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


def _in(files: Sequence[str]) -> str:
    names = ", ".join(f"'{name}'" for name in files)  # hexadecimal digits only
    return f"file IN ({names})"


def _groups(items: Sequence[str], size: int) -> Iterable[Sequence[str]]:
    return (items[at : at + size] for at in range(0, len(items), size))
