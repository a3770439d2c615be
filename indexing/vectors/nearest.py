"""Searching vectors: all of them compared with the question up to a size, the engine's index beyond it.

Up to that size the flat copy is read, and neither LanceDB nor Arrow is loaded; where there is no copy of the
newest version, the table itself is.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from indexing.engines import engine
from indexing.vectors.flat import Flat, Nearest, in_order, merged, open_flat
from indexing.vectors.flat_card import INDEX_ROWS, Stamp, newest_version, versions_folder

if TYPE_CHECKING:
    from indexing.embedding.port import Vectors

PROBES, REFINE = 100, 10
"""Partitions looked into, and how many times the limit is compared exactly. See benchmarks/growth.py."""

_SETTLED_NS = 1_000_000_000
_KEYS_A_FILTER = 2_000
_MOST_FETCHED = 20_000


class VectorReader:
    """The vectors in one generation: ``folder`` holds the table, ``flat`` its copy where there is one.

    Reads the newest version at every search; takes no lock. All methods raise IndexUnavailableError.
    """

    def __init__(self, folder: Path, flat: Path | None = None, *, index_rows: int = INDEX_ROWS) -> None:
        self._folder, self._copy = folder, flat
        self._index_rows = index_rows
        self._table: Any = None
        self._stamp = 0
        self._version: Stamp | None = None
        self._count = 0
        self._flat: Flat | None = None
        self.refresh()

    def refresh(self) -> None:
        """Take in what was written since the last call."""
        with engine("the vectors cannot be read"):
            # Every write adds a file to this folder.
            try:
                stamp = versions_folder(self._folder).stat().st_mtime_ns
            except FileNotFoundError:
                stamp = 0  # no table, or none any more: opening it says so
            if stamp == self._stamp != 0:
                return
            # So young that another write may leave the same stamp: ask again next time.
            settled = abs(time.time_ns() - stamp) > _SETTLED_NS  # clocks step back
            self._stamp = stamp if settled else 0
            newest = newest_version(self._folder)
            if newest is not None and newest == self._version:
                return
            self._take(newest, settled=settled)

    def _take(self, newest: Stamp | None, *, settled: bool) -> None:
        opened = open_flat(self._copy, self._folder) if self._copy else None
        if opened is not None and (count := opened[0].count()) <= self._index_rows:
            self._flat, self._count, self._version = opened[0], count, opened[1].table
            self._table = None
            return
        if self._flat is not None and self._table is None and not settled:
            return  # a sync is writing: its copy comes in a moment, and what is at hand is whole
        if self._table is None:
            from indexing.vectors.table import open_table  # noqa: PLC0415 - imports lancedb

            self._table = open_table(self._folder)
        self._count = int(self._table.count_rows())
        self._flat = self._load() if self._count <= self._index_rows else None
        self._version = newest

    def _load(self) -> Flat:
        from indexing.vectors.table import columns  # noqa: PLC0415 - imports lancedb

        return in_order(columns(self._table))

    @property
    def version(self) -> tuple[Stamp | None, int]:
        """Which version is at hand: equal ones hold the same rows."""
        return self._version, self._count

    def count(self) -> int:
        """Rows in the version at hand."""
        return self._count

    def nearest(self, vector: Vectors, limit: int, allowed: NDArray[np.int64] | None = None) -> Nearest:
        """The best ``limit`` rows, best first, among those with the ``allowed`` keys where these are given.

        ``vector`` is (d,), ``allowed`` sorted.
        """
        with engine("the vectors cannot be read"):
            if self._flat is not None:
                return self._flat.nearest(vector, limit, allowed)
            if allowed is None:
                return self._indexed(vector, limit)
            return self._within(vector, limit, allowed)

    def cosines(self, vector: Vectors, keys: Sequence[int]) -> dict[int, float]:
        """The cosines of the rows with these keys that exist."""
        if not keys:
            return {}
        with engine("the vectors cannot be read"):
            if self._flat is not None:
                return self._flat.cosines(vector, keys)
            return self._some(np.asarray(keys, np.int64)).cosines(vector, keys)

    def _indexed(self, vector: Vectors, limit: int) -> Nearest:
        search = self._table.search(vector).distance_type("cosine").select(["key", "_distance"])
        found = search.nprobes(PROBES).refine_factor(REFINE).limit(limit).to_arrow()
        keys = found["key"].to_numpy().astype(np.int64)
        return Nearest(keys, (1.0 - found["_distance"].to_numpy()).astype(np.float32))

    def _within(self, vector: Vectors, limit: int, allowed: NDArray[np.int64]) -> Nearest:
        """The allowed ones among more than asked for, or all that are allowed where that is less work."""
        expected = limit * self._count / max(1, len(allowed))
        if len(allowed) > _KEYS_A_FILTER and 2 * expected <= _MOST_FETCHED:
            found = self._indexed(vector, min(_MOST_FETCHED, int(4 * expected)))
            here = np.isin(found.keys, allowed)
            if here.sum() >= limit:
                return Nearest(found.keys[here][:limit], found.cosines[here][:limit])
        groups = [allowed[at : at + _KEYS_A_FILTER] for at in range(0, len(allowed), _KEYS_A_FILTER)]
        best = [self._some(keys).nearest(vector, limit) for keys in groups]
        if not best:
            return Nearest(np.zeros(0, np.int64), np.zeros(0, np.float32))
        return merged(best, limit)

    def _some(self, keys: NDArray[np.int64]) -> Flat:
        from indexing.vectors.table import columns  # noqa: PLC0415 - imports lancedb

        names = ", ".join(map(str, keys.tolist()))
        return in_order(columns(self._table, f"key IN ({names})", most=len(keys)))
