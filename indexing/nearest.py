"""Searching vectors: a matrix in memory up to a size, the engine's index beyond it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from indexing.answer import Query
from indexing.document import kind_code
from indexing.engines import engine
from indexing.vectors import INDEX_ROWS, PROBES, REFINE, Nearest, open_table, versions_folder

if TYPE_CHECKING:
    from indexing.embedding.port import Vectors

_SETTLED_NS = 1_000_000_000
_COLUMNS = ["key", "kind", "day", "vector"]


@dataclass(frozen=True, slots=True)
class _Matrix:
    """All rows, in the order of their keys, so that equal content gives equal answers."""

    keys: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    days: NDArray[np.int32]
    vectors: Vectors

    def nearest(self, vector: Vectors, query: Query, limit: int) -> Nearest:
        cosines = self.vectors @ vector
        allowed = self._allowed(query)
        if allowed is not None:
            cosines = np.where(allowed, cosines, -np.inf)
        best = np.arange(len(cosines))
        if limit < len(cosines):
            best = np.argpartition(-cosines, limit)[:limit]
        best = best[np.lexsort((self.keys[best], -cosines[best]))]
        best = best[np.isfinite(cosines[best])]
        return Nearest(self.keys[best], cosines[best].astype(np.float32))

    def cosines(self, vector: Vectors, keys: Sequence[int]) -> dict[int, float]:
        if not len(self.keys):
            return {}
        wanted = np.asarray(keys, np.int64)
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        known = self.keys[at] == wanted
        values = self.vectors[at[known]] @ vector
        return dict(zip(wanted[known].tolist(), values.tolist(), strict=True))

    def _allowed(self, query: Query) -> NDArray[np.bool_] | None:
        allowed: NDArray[np.bool_] | None = None
        if query.kinds:
            allowed = np.isin(self.kinds, [kind_code(kind) for kind in query.kinds])
        if query.since or query.until:
            first = query.since.toordinal() if query.since else 1
            inside = self.days >= first
            if query.until:
                inside &= self.days <= query.until.toordinal()
            allowed = inside if allowed is None else allowed & inside
        return allowed


class VectorReader:
    """The vectors in one generation's folder. All methods raise IndexUnavailableError.

    Reads the newest version at every search; takes no lock.
    """

    def __init__(self, folder: Path, *, index_rows: int = INDEX_ROWS) -> None:
        self._table = open_table(folder)
        self._versions = versions_folder(folder)
        self._stamp = 0
        self._index_rows = index_rows
        self._version = -1
        self._count = 0
        self._matrix: _Matrix | None = None
        self.refresh()

    def refresh(self) -> None:
        """Take in what was written since the last call."""
        with engine("the vectors cannot be read"):
            # Asking the engine costs milliseconds; every write adds a file to this folder.
            stamp = self._versions.stat().st_mtime_ns
            if stamp == self._stamp:
                return
            # So young that another write may leave the same stamp: ask again next time.
            self._stamp = stamp if time.time_ns() - stamp > _SETTLED_NS else 0
            version = int(self._table.version)
            if version == self._version:
                return
            self._count = int(self._table.count_rows())
            if self._count <= self._index_rows:
                self._matrix = self._load()
            else:
                self._matrix = None
            self._version = version

    def count(self) -> int:
        """Rows in the version at hand."""
        return self._count

    def nearest(self, vector: Vectors, query: Query, limit: int) -> Nearest:
        """The best ``limit`` rows within the query's filters, best first; ``vector`` is (d,)."""
        with engine("the vectors cannot be read"):
            if self._matrix is not None:
                return self._matrix.nearest(vector, query, limit)
            search = self._table.search(vector).distance_type("cosine").select(["key"])
            search = search.nprobes(PROBES).refine_factor(REFINE).limit(limit)
            if condition := _condition(query):
                search = search.where(condition, prefilter=True)
            found = search.to_arrow()
            keys = found["key"].to_numpy().astype(np.int64)
            return Nearest(keys, (1.0 - found["_distance"].to_numpy()).astype(np.float32))

    def cosines(self, vector: Vectors, keys: Sequence[int]) -> dict[int, float]:
        """The cosines of the rows with these keys that exist."""
        if not keys:
            return {}
        with engine("the vectors cannot be read"):
            if self._matrix is not None:
                return self._matrix.cosines(vector, keys)
            names = ", ".join(map(str, keys))
            rows = self._table.search().where(f"key IN ({names})").select(["key", "vector"])
            found = rows.limit(len(keys)).to_arrow()
            values = _vectors(found) @ vector
            return dict(zip(found["key"].to_pylist(), values.tolist(), strict=True))

    def _load(self) -> _Matrix:
        count = max(1, self._table.count_rows())
        rows = self._table.search().select(_COLUMNS).limit(count).to_arrow()
        keys = rows["key"].to_numpy()
        order = np.argsort(keys, kind="stable")
        return _Matrix(
            keys[order],
            rows["kind"].to_numpy()[order],
            rows["day"].to_numpy()[order],
            np.ascontiguousarray(_vectors(rows)[order]),
        )


def _vectors(rows: Any) -> Vectors:
    """(n, d) float32 from a table's column of vectors."""
    column = rows["vector"].combine_chunks()
    width = rows.schema.field("vector").type.list_size
    return np.asarray(column.flatten().to_numpy(), np.float32).reshape(len(rows), width)


def _condition(query: Query) -> str:
    parts = []
    if query.kinds:
        parts.append(f"kind IN ({', '.join(str(kind_code(kind)) for kind in sorted(query.kinds))})")
    if query.since or query.until:
        parts.append(f"day >= {query.since.toordinal() if query.since else 1}")
    if query.until:
        parts.append(f"day <= {query.until.toordinal()}")
    return " AND ".join(parts)
