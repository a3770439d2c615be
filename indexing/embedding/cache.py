"""The cache of vectors, by model and text, so that no text is embedded twice."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from indexing.embedding.port import TextVectors, Vectors
from indexing.storage import not_a_link, remove, set_aside_here
from workbench.special_files import kind_of_special

_T = TypeVar("_T")
MAX_ROWS = 200_000
BUSY_SECONDS = 5.0
_KEYS_A_QUERY = 500
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS models (model INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE)",
    "CREATE TABLE IF NOT EXISTS vectors (number INTEGER PRIMARY KEY, model INTEGER NOT NULL, "
    "text BLOB NOT NULL, vector BLOB NOT NULL, UNIQUE (model, text))",
)


class EmbeddingCache:
    """A bounded SQLite table of float32 vectors; the oldest go first.

    A cache never fails a run: a damaged file is set aside, one that cannot be written is done without.
    """

    def __init__(self, path: Path, *, max_rows: int = MAX_ROWS) -> None:
        self._path = path
        self._max_rows = max_rows
        self._base: sqlite3.Connection | None = None
        self._rows = 0
        self._numbers: dict[str, int] = {}
        self._open()

    def get(self, model: str, texts: Sequence[str], dimension: int) -> TextVectors:
        """The known vectors of ``texts``, by text."""
        keys = {text_key(text): text for text in texts}
        number = self._number(model)
        found: TextVectors = {}
        wanted = list(keys) if number else []
        for start in range(0, len(wanted), _KEYS_A_QUERY):
            some = wanted[start : start + _KEYS_A_QUERY]
            marks = ",".join("?" * len(some))
            rows = self._run(
                f"SELECT text, vector FROM vectors WHERE model = ? AND text IN ({marks})",  # noqa: S608
                number,
                *some,
            )
            for key, blob in rows:
                vector = np.frombuffer(blob, np.float32)
                if len(vector) == dimension:
                    found[keys[key]] = vector
        return found

    def dimension(self, model: str) -> int:
        """The length of the newest vector of ``model``; 0 where there is none."""
        newest = "SELECT vector FROM vectors WHERE model = ? ORDER BY number DESC LIMIT 1"
        rows = self._run(newest, self._number(model))
        return len(rows[0][0]) // 4 if rows else 0

    def put(self, model: str, vectors: Mapping[str, Vectors]) -> None:
        """Remember ``vectors``, and forget the oldest beyond the bound."""
        number = self._number(model)
        if not number or not vectors:
            return
        rows = [
            (number, text_key(text), np.ascontiguousarray(vector, np.float32).tobytes())
            for text, vector in vectors.items()
        ]
        statement = "INSERT OR REPLACE INTO vectors (model, text, vector) VALUES (?, ?, ?)"
        self._tried(lambda base: base.executemany(statement, rows))
        self._rows += len(rows)  # from above: what was replaced is counted twice
        if self._rows > self._max_rows:
            self._rows = self.count()
        if self._rows > self._max_rows:
            self._run(
                "DELETE FROM vectors WHERE number IN (SELECT number FROM vectors ORDER BY number LIMIT ?)",
                self._rows - self._max_rows,
            )
            self._rows = self._max_rows

    def count(self) -> int:
        """How many vectors are remembered."""
        rows = self._run("SELECT COUNT(*) FROM vectors")
        return int(rows[0][0]) if rows else 0

    def _number(self, model: str) -> int:
        """The number that stands for a model in this file; 0, which none has, when it cannot be told."""
        if model not in self._numbers:
            self._run("INSERT OR IGNORE INTO models (identity) VALUES (?)", model)
            found = self._run("SELECT model FROM models WHERE identity = ?", model)
            if not found:
                return 0
            self._numbers[model] = int(found[0][0])
        return self._numbers[model]

    def close(self) -> None:
        """Let the file go."""
        if self._base is not None:
            with contextlib.suppress(sqlite3.Error):
                self._base.close()
            self._base = None
        self._numbers.clear()

    def _run(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        return self._tried(lambda base: base.execute(statement, values).fetchall()) or []

    def _tried(self, work: Callable[[sqlite3.Connection], _T]) -> _T | None:
        """What ``work`` gives, as one transaction; None where the file cannot be used."""
        if self._base is None:
            return None
        try:
            with self._base:
                return work(self._base)
        except sqlite3.Error as error:
            self._failed(error)
            return None

    def _open(self) -> None:
        files = [Path(f"{self._path}{end}") for end in ("", "-wal", "-shm", "-journal")]
        for file in files:
            not_a_link(file)  # the engine would write into whatever it leads to
        if any(map(kind_of_special, files)):
            return
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            os.close(descriptor)
            base = sqlite3.connect(self._path, timeout=BUSY_SECONDS, check_same_thread=False)
        except (OSError, sqlite3.Error):
            return
        try:
            base.execute("PRAGMA journal_mode=WAL")
            base.execute("PRAGMA synchronous=NORMAL")
            with base:
                for statement in _SCHEMA:
                    base.execute(statement)
                base.execute("SELECT model, text, vector FROM vectors LIMIT 1").fetchall()
                (self._rows,) = base.execute("SELECT COUNT(*) FROM vectors").fetchone()
            self._base = base
        except sqlite3.Error as error:
            base.close()
            self._failed(error)

    def _failed(self, error: sqlite3.Error) -> None:
        """Set a damaged file aside and begin another; do without one that is merely locked or full."""
        self.close()
        if isinstance(error, sqlite3.OperationalError):
            return
        with contextlib.suppress(OSError):
            set_aside_here(self._path)
            for end in ("-wal", "-shm"):
                remove(Path(f"{self._path}{end}"))
            self._open()


def text_key(text: str) -> bytes:
    """Sixteen bytes that stand for a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
