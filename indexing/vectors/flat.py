"""Vectors as plain rows: all of them are compared with a question, which is exact and needs no engine.

Either a copy of the vector table in files of rows, read through a memory map that all processes share, or
the rows of the table itself where there is no such copy.
"""

from __future__ import annotations

import contextlib
import hashlib
import mmap
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from indexing.storage import not_a_link, remove
from indexing.vectors.flat_card import CARD, FlatCopyCard, PartCard, Stamp, fitting_card

if TYPE_CHECKING:
    from indexing.embedding.port import Vectors

_ALIGNED = 64
_ROWS_A_WRITE = 4_096
_FEW = 16
"""Where a filter leaves less than one row of so many, only these are compared."""

_SAME = 2e-6
"""Cosines closer than this are equals: summing in another order moves them as far."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """The entries nearest to a question: (n,) int64 keys and (n,) float32 cosines in [-1, 1]."""

    keys: NDArray[np.int64]
    cosines: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Columns:
    """Rows of the table: ``keys`` and ``files`` (numbers of ``file_key``) are (n,), ``vectors`` (n, d)."""

    keys: NDArray[np.int64]
    files: NDArray[np.uint64]
    vectors: Vectors


@dataclass(frozen=True, slots=True)
class RowBlock:
    """Rows in the order of their keys; ``hidden`` marks (n,) those that are out of date, None: none."""

    rows: Columns
    hidden: NDArray[np.bool_] | None = None

    def cosines(self, vector: Vectors, allowed: NDArray[np.int64] | None) -> NDArray[np.float32]:
        """(n,) the cosine of each row, minus infinity where it is hidden or not ``allowed``."""
        keys, vectors = self.rows.keys, self.rows.vectors
        if allowed is None:
            out = np.asarray(vectors @ vector, np.float32)
        else:
            at, _ = self.find(allowed)
            out = np.full(len(keys), -np.inf, np.float32)
            if len(at) * _FEW < len(keys):
                out[at] = vectors[at] @ vector
            else:
                out[at] = (vectors @ vector)[at]
        if self.hidden is not None:
            out[self.hidden] = -np.inf
        return out

    def find(self, keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Where those of ``keys`` stand that are here, and (len(keys),) which these are."""
        if not len(self.rows.keys):
            return np.zeros(0, np.int64), np.zeros(len(keys), np.bool_)
        at = np.minimum(np.searchsorted(self.rows.keys, keys), len(self.rows.keys) - 1)
        known = self.rows.keys[at] == keys
        if self.hidden is not None:
            known &= ~self.hidden[at]
        return at[known].astype(np.int64), known


@dataclass(frozen=True, slots=True)
class Flat:
    """All vectors of one version of the table. Equal content gives equal answers, however it is divided."""

    parts: tuple[RowBlock, ...]

    def count(self) -> int:
        """Rows that are not hidden."""
        shown = (len(p.rows.keys) - (int(p.hidden.sum()) if p.hidden is not None else 0) for p in self.parts)
        return sum(shown)

    def nearest(self, vector: Vectors, limit: int, allowed: NDArray[np.int64] | None = None) -> Nearest:
        """The best ``limit`` rows, best first, equals by their keys; ``vector`` is (d,) of length 1.

        ``allowed`` are the keys that may answer, sorted; None: all.
        """
        cosines = np.concatenate([part.cosines(vector, allowed) for part in self.parts])
        best = np.flatnonzero(np.isfinite(cosines))
        if limit < len(best):
            least = np.partition(cosines, len(cosines) - limit)[len(cosines) - limit]
            best = np.flatnonzero(cosines >= least - _SAME)
        keys = np.concatenate([part.rows.keys for part in self.parts])
        return merged([Nearest(keys[best], cosines[best])], limit)

    def cosines(self, vector: Vectors, keys: Sequence[int]) -> dict[int, float]:
        """The cosines of the rows with these keys that exist."""
        wanted = np.asarray(keys, np.int64)
        out: dict[int, float] = {}
        for part in self.parts:
            at, known = part.find(wanted)
            values = part.rows.vectors[at] @ vector
            out.update(zip(wanted[known].tolist(), values.tolist(), strict=True))
        return out

    def rows(self) -> Columns:
        """All rows that are not hidden, in the order of their keys."""
        shown = [(part.rows, slice(None) if part.hidden is None else ~part.hidden) for part in self.parts]
        keys = np.concatenate([rows.keys[here] for rows, here in shown])
        order = np.argsort(keys, kind="stable")
        return Columns(
            keys[order],
            np.concatenate([rows.files[here] for rows, here in shown])[order],
            np.concatenate([rows.vectors[here] for rows, here in shown])[order],
        )


def merged(found: Sequence[Nearest], limit: int) -> Nearest:
    """The best ``limit`` of them, equals by their keys."""
    keys = np.concatenate([one.keys for one in found])
    cosines = np.concatenate([one.cosines for one in found])
    order = np.lexsort((keys, -np.round(cosines, 6)))[:limit]
    return Nearest(keys[order], cosines[order])


def in_order(rows: Columns) -> Flat:
    """The rows in the order of their keys, as one part."""
    order = np.argsort(rows.keys, kind="stable")
    return Flat((RowBlock(Columns(rows.keys[order], rows.files[order], rows.vectors[order])),))


def open_flat(flat: Path, vectors: Path, *, tries: int = 3) -> tuple[Flat, FlatCopyCard] | None:
    """The copy in ``flat`` if it is whole and one of the newest version of the table in ``vectors``.

    None otherwise. Takes no lock: a copy that is replaced in this moment is looked for again.
    """
    for _ in range(tries):
        card = fitting_card(flat, vectors)
        if card is None:
            return None
        with contextlib.suppress(OSError, ValueError):
            return _mapped(flat, card), card
    return None


def intact(flat: Path, card: FlatCopyCard) -> bool:
    """Whether every byte of the copy is what was written. Raises OSError."""
    parts = [card.base, *([card.later] if card.later else [])]
    for part in parts:
        with (flat / part.file.name).open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != part.sha256:
                return False
    return True


def write_rows(flat: Path, name: str, rows: Columns) -> PartCard:
    """``rows`` in the order of their keys as a file of ``flat``, durably. Raises OSError."""
    flat.mkdir(exist_ok=True, mode=0o700)
    order = np.argsort(rows.keys, kind="stable")
    digest = hashlib.sha256()
    temporary = flat / f".{name}"
    try:
        with temporary.open("wb") as file:

            def write(data: Any) -> None:
                file.write(data)
                digest.update(data)

            write(np.ascontiguousarray(rows.keys[order], np.int64).tobytes())
            write(np.ascontiguousarray(rows.files[order], np.uint64).tobytes())
            write(bytes(_vectors_at(len(order)) - 16 * len(order)))
            for start in range(0, len(order), _ROWS_A_WRITE):
                some = order[start : start + _ROWS_A_WRITE]
                write(np.ascontiguousarray(rows.vectors[some], np.float32).data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, flat / name)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    status = (flat / name).stat()
    stamp = Stamp(name, status.st_size, status.st_mtime_ns)
    return PartCard(stamp, len(order), digest.hexdigest())


def sweep(flat: Path, card: FlatCopyCard | None) -> None:
    """Remove all that ``card`` does not name. Who has it open keeps it."""
    not_a_link(flat)
    kept = {CARD, card.base.file.name, card.later.file.name if card.later else ""} if card else set[str]()
    with contextlib.suppress(OSError):
        for name in os.listdir(flat):
            if name not in kept:
                remove(flat / name)


def numbers(files: Sequence[str]) -> NDArray[np.uint64]:
    """(n,) the numbers that ``document.file_key`` writes as sixteen hexadecimal digits."""
    return np.array([int(file, 16) for file in files], np.uint64)


def _mapped(flat: Path, card: FlatCopyCard) -> Flat:
    base = _read(flat, card.base, card.dimension)
    if card.later is None:
        return Flat((RowBlock(base),))
    hidden = np.isin(base.files, numbers(card.rewritten))
    return Flat((RowBlock(base, hidden), RowBlock(_read(flat, card.later, card.dimension))))


def _read(flat: Path, part: PartCard, dimension: int) -> Columns:
    """Raises OSError, and ValueError when the file is not of the size that the card says."""
    count, start = part.rows, _vectors_at(part.rows)
    if part.file.size != start + 4 * dimension * count:
        raise ValueError("a file of rows has another size than its rows")
    if not count:
        return Columns(np.zeros(0, np.int64), np.zeros(0, np.uint64), np.zeros((0, dimension), np.float32))
    with (flat / part.file.name).open("rb") as file:
        data = mmap.mmap(file.fileno(), part.file.size, access=mmap.ACCESS_READ)
    vectors = np.frombuffer(data, np.float32, count * dimension, start).reshape(count, dimension)
    return Columns(
        np.frombuffer(data, np.int64, count), np.frombuffer(data, np.uint64, count, 8 * count), vectors
    )


def _vectors_at(rows: int) -> int:
    """Where in a file the vectors begin: after two columns of eight bytes a row, aligned."""
    return -(-16 * rows // _ALIGNED) * _ALIGNED
