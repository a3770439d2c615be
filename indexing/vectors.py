"""The vectors of one generation of the index: a LanceDB table with a row for each entry.

A sync writes it, and every search reads it without a lock.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

from workbench.frozen import frozen

os.environ.setdefault("LANCEDB_LOG", "error")  # its warnings would draw over a terminal interface

import lancedb
import numpy as np
import pyarrow as pa
from lancedb.index import BTree, IvfFlat, IvfRq
from numpy.typing import NDArray

from indexing.embedding.port import Vectors
from indexing.storage import engine

INDEX_ROWS = 4_000
EXACT_ROWS = 200_000
PROBES, REFINE = 100, 10
"""Partitions of an IVF_RQ index that are looked into, and how many times the limit is compared exactly."""

_TABLE, _INDEX = "entries", "nearest"
_APPROXIMATE = "IVF_RQ"
_EVERY_PARTITION = 100_000
_INDEX_CACHE_BYTES = 400_000_000
"""Room for an IVF_FLAT index of EXACT_ROWS vectors of 384 numbers; what does not fit is read again."""

_METADATA_CACHE_BYTES = 64_000_000
_KEEP_VERSIONS = timedelta(seconds=30)
"""Readers open the newest version at every search, and no search takes as long."""

_MOST_FRAGMENTS = 100
"""Writing slows down beyond; merging them writes all vectors anew."""

_SPARE_BYTES = 50_000_000
_UNINDEXED_SHARE = 0.05
_FILES_A_FILTER = 500
_SAME = 2e-6
"""Cosines closer than this are equals: summing in another order moves them as far."""

_MARGIN = 16
"""Rows fetched beyond the limit, to see whether the last ones are equals."""

_ROWS_A_KEY = 8
"""Fetching so many rows more costs as much as one more key in a condition."""


@frozen
class Rows:
    """Rows to write: ``vectors`` is (n, d), the other columns have n values."""

    keys: Sequence[int]
    files: Sequence[str]
    kinds: Sequence[int]
    days: Sequence[int]
    vectors: Vectors


@frozen
class NearestEntries:
    """The entries nearest to a question: (n,) int64 keys and (n,) float32 cosines in [-1, 1]."""

    keys: NDArray[np.int64]
    cosines: NDArray[np.float32]


def open_table(folder: Path) -> Any:
    """The newest version of the table in ``folder``.

    Raises IndexUnavailableError when there is none or it is damaged.
    """
    with engine("the vectors cannot be opened"):
        return _connect(folder).open_table(_TABLE)


def vectors_in(rows: Any) -> Vectors:
    """(n, d) the vectors in an Arrow table of rows."""
    width = rows.schema.field("vector").type.list_size
    flat = rows["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return np.asarray(flat, np.float32).reshape(len(rows), width)


class VectorReader:
    """Searches the table in ``folder``; takes no lock. All methods raise IndexUnavailableError.

    A question is compared with every vector up to EXACT_ROWS rows. Above INDEX_ROWS, the rows lie in an
    IVF_FLAT index, whose partitions are all searched; this is only faster. Above EXACT_ROWS, an IVF_RQ index
    proposes candidates, which are compared exactly.

    Equal values of ``version`` hold the same rows. ``approximate``: an index proposes candidates, which may
    lack some of the nearest.
    """

    def __init__(self, folder: Path) -> None:
        self._table = open_table(folder)
        self.version = 0
        self._rows = 0
        self.approximate = False
        self.refresh()

    @engine("the vectors cannot be read")
    def refresh(self) -> None:
        """Take in what was written since the last call. Until then, every answer is of one version."""
        self._table.checkout_latest()
        version = int(self._table.version)
        if version == self.version:
            return
        self._rows = int(self._table.count_rows())
        known = self._table.index_stats(_INDEX)
        self.approximate = known is not None and known.index_type == _APPROXIMATE
        self.version = version

    def count(self) -> int:
        """Rows in the version at hand."""
        return self._rows

    def nearest(self, vector: Vectors, limit: int, allowed: Sequence[int] | None = None) -> NearestEntries:
        """The best ``limit`` rows, best first, equals by their keys; ``vector`` is (d,) of length 1.

        ``allowed`` are the keys that may answer, None: all. Few are a condition of the search; of many, more
        rows than asked for are fetched, until enough of them are allowed.
        """
        only: Sequence[int] | None = None
        fetched = limit + _MARGIN
        if allowed is not None:
            expected = 2 * limit * self._rows // max(1, len(allowed))
            if len(allowed) * _ROWS_A_KEY <= expected:
                only = allowed
            else:
                fetched = max(fetched, expected)
        while True:
            found = self._search(vector, fetched, only)
            complete = len(found.keys) < fetched
            if allowed is not None and only is None:
                here = np.isin(found.keys, allowed)
                found = NearestEntries(found.keys[here], found.cosines[here])
                if complete and self.approximate and len(found.keys) < min(limit, len(allowed)):
                    only, fetched = allowed, limit + _MARGIN
                    continue
            beyond = len(found.keys) > limit and found.cosines[limit - 1] - found.cosines[-1] > _SAME
            if complete or beyond:
                order = np.lexsort((found.keys, -np.round(found.cosines, 6)))[:limit]
                return NearestEntries(found.keys[order], found.cosines[order])
            fetched *= 4

    def cosines(self, vector: Vectors, keys: Sequence[int]) -> dict[int, float]:
        """The cosines of the rows with these keys that exist."""
        found = self._search(vector, len(keys), keys)
        return dict(zip(found.keys.tolist(), found.cosines.tolist(), strict=True))

    def _search(self, vector: Vectors, limit: int, only: Sequence[int] | None) -> NearestEntries:
        """The best ``limit`` rows, ``only`` among those with these keys where there are any given."""
        if only is not None and not len(only):
            return NearestEntries(np.zeros(0, np.int64), np.zeros(0, np.float32))
        with engine("the vectors cannot be read"):
            search = self._table.search(vector).distance_type("cosine").select(["key", "_distance"])
            if only is not None:
                names = ", ".join(map(str, only))
                search = search.where(f"key IN ({names})", prefilter=True)
            if not self.approximate:
                search = search.nprobes(_EVERY_PARTITION)
            elif only is not None:
                search = search.bypass_vector_index()
            else:
                search = search.nprobes(PROBES).refine_factor(REFINE)
            found = search.limit(limit).to_arrow()
            cosines = (1.0 - found["_distance"].to_numpy()).astype(np.float32)
            return NearestEntries(found["key"].to_numpy().astype(np.int64), cosines)


class VectorWriter:
    """Writes a generation's vectors. Methods raise IndexUnavailableError."""

    def __init__(self, folder: Path, dimension: int) -> None:
        self._folder, self._dimension = folder, dimension
        with engine("the vectors cannot be written"):
            folder.mkdir(exist_ok=True)
            self._table = _connect(folder).create_table(_TABLE, schema=_schema(dimension), exist_ok=True)
            if self._table.schema.field("vector").type.list_size != dimension:
                raise ValueError(f"the table is not for {dimension} dimensions")
        self._let_go()

    @engine("the vectors cannot be written")
    def replace(self, files: Sequence[str], rows: Rows | None) -> None:
        """Make ``rows`` all that there is of the files with these keys."""
        if not self._folder.is_dir():  # the engine would make a state folder anew that git is not kept out of
            raise FileNotFoundError("the folder of the index was removed")
        if self._table.count_rows():
            for start in range(0, len(files), _FILES_A_FILTER):
                some = files[start : start + _FILES_A_FILTER]
                names = ", ".join(f"'{name}'" for name in some)  # hexadecimal digits only
                self._table.delete(f"file IN ({names})")
        if rows is not None and len(rows.keys):
            self._table.add(self._batch(rows))
        if self._table.stats()["fragment_stats"]["num_fragments"] > _MOST_FRAGMENTS:
            self._merge()

    @engine("the vectors cannot be indexed")
    def build_index(self) -> None:
        """Make the index that this many rows are searched by, or take what is new into it."""
        rows = self._table.count_rows()
        exact = rows <= EXACT_ROWS
        known = self._table.index_stats(_INDEX)
        if rows <= INDEX_ROWS:
            if known is not None and known.index_type == _APPROXIMATE:
                self._table.drop_index(_INDEX)
            return
        if known is not None and (known.index_type == _APPROXIMATE) != exact:
            if known.num_unindexed_rows > rows * _UNINDEXED_SHARE:
                self._merge()
            return
        config = IvfFlat(distance_type="cosine") if exact else IvfRq(distance_type="cosine")
        self._table.create_index("vector", config=config, name=_INDEX, replace=True)
        if known is None:
            self._table.create_index("key", config=BTree())

    @engine("the vectors cannot be read")
    def count(self) -> int:
        """Rows in the newest version."""
        return int(self._table.count_rows())

    @engine("the vectors cannot be written")
    def _let_go(self) -> None:
        """Merge where old versions, as a large build leaves them, hold far more of the disk than the rows."""
        written = self._table.list_versions()[-1]["timestamp"].timestamp()
        if time.time() - written < _KEEP_VERSIONS.total_seconds():
            return
        data = self._folder / f"{_TABLE}.lance" / "data"
        held = sum(path.stat().st_size for path in data.iterdir()) if data.is_dir() else 0
        if held > _SPARE_BYTES + 1.5 * self._table.stats()["total_bytes"]:
            self._merge()

    def _merge(self) -> None:
        # What no version names is left from a killed sync: nobody else writes beside us.
        self._table.optimize(cleanup_older_than=_KEEP_VERSIONS, delete_unverified=True)

    def _batch(self, rows: Rows) -> Any:
        flat = pa.array(np.ascontiguousarray(rows.vectors, np.float32).reshape(-1))
        columns = {
            "key": rows.keys,
            "file": rows.files,
            "kind": rows.kinds,
            "day": rows.days,
            "vector": pa.FixedSizeListArray.from_arrays(flat, self._dimension),
        }
        return pa.table(columns, schema=_schema(self._dimension))


@cache
def _session() -> Any:
    return lancedb.Session(
        index_cache_size_bytes=_INDEX_CACHE_BYTES, metadata_cache_size_bytes=_METADATA_CACHE_BYTES
    )


def _connect(folder: Path) -> Any:
    return lancedb.connect(str(folder), session=_session())


def _schema(dimension: int) -> Any:
    """The columns, an entry in each row.

    ``key`` is ``document.entry_key``, ``file`` is ``document.file_key``, ``kind`` a ``document.kind_code``,
    ``day`` a proleptic ordinal (0: none), ``vector`` d float32 of length 1.
    """
    return pa.schema(
        [
            pa.field("key", pa.int64()),
            pa.field("file", pa.string()),
            pa.field("kind", pa.uint8()),
            pa.field("day", pa.int32()),
            pa.field("vector", pa.list_(pa.float32(), dimension)),
        ]
    )
