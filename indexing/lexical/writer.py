"""Writing words. One writer at a time; a failure rolls back to the last commit."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from tantivy import Document, IndexWriter, Query

from indexing.document import (
    Stored,
    file_key,
    indexed_words,
    kind_code,
    packed,
    path_term,
    unpacked,
)
from indexing.lexical.terms import open_index, schema
from indexing.storage import engine, read_json

_HEAP_BYTES = 96_000_000
_MANAGED = ".managed.json"
"""Where the engine notes the files that it may delete."""


class LexicalWriter:
    """The writer of one generation's lexical index. All methods raise IndexUnavailableError."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with engine("the keyword index cannot be written"):
            folder.mkdir(exist_ok=True)
            _require_own(folder)
            self._index = open_index(folder, create=True)
            # A reader that follows commits by itself takes its lock at any time, also in a folder that is
            # being removed.
            self._index.config_reader("manual")
            self._writer: IndexWriter = self._index.writer(_HEAP_BYTES, 1)
            # What a killed writer left behind would wedge the next one sooner or later.
            self._writer.garbage_collect_files()

    def replace(self, path: str, entries: Sequence[Stored]) -> None:
        """Make ``entries`` all that is indexed of the file ``path``; none removes the file."""
        with self._rolled_back():
            self._writer.delete_documents_by_term("file", file_key(path))
            self._add(entries)

    def add(self, entries: Sequence[Stored], keys: Iterable[int]) -> None:
        """Add entries by ``keys`` of the caller's."""
        with self._rolled_back():
            self._add(entries, keys)

    def commit(self) -> None:
        """Make everything since the last commit visible to readers, durably."""
        with self._rolled_back():
            self._writer.commit()

    def count(self) -> int:
        """Entries in the last commit."""
        with engine("the keyword index cannot be read"):
            self._index.reload()
            return int(self._index.searcher().num_docs)

    def compact(self) -> None:
        """Write every entry anew in canonical order and commit.

        Word statistics count deleted entries until a segment is merged; afterwards every score is what
        a clean build would give. Readers see the old commit until the new one is complete.
        """
        with self._rolled_back():
            self._index.reload()
            searcher = self._index.searcher()
            found = searcher.search(Query.all_query(), max(1, searcher.num_docs), count=False).hits
            bodies = (searcher.doc(address).get_first("body") for _, address in found)
            rows = sorted(map(unpacked, bodies), key=lambda row: (row[0].path, row[1]))
            self._writer.delete_all_documents()
            for _, group in groupby((entry for entry, _ in rows), key=lambda entry: entry.path):
                self._add(list(group))
            self._writer.commit()

    def close(self) -> None:
        """Wait for merges, clear away what they made superfluous, and let the lock go."""
        with engine("the keyword index cannot be written"):
            self._writer.garbage_collect_files()
            self._writer.wait_merging_threads()
            del self._writer

    def _add(self, entries: Sequence[Stored], keys: Iterable[int] | None = None) -> None:
        fields = schema()
        keys = (entry.key for entry in entries) if keys is None else keys
        for at, (entry, words, key) in enumerate(zip(entries, indexed_words(entries), keys, strict=True)):
            document = {
                "key": key,
                "file": file_key(entry.path),
                "kind": kind_code(entry.kind),
                "day": entry.day,
                "marks": entry.facets.marks,
                "path": path_term(entry.path),
                "facet": entry.facets.terms(),
                **words,
                "body": packed(entry, at),
            }
            self._writer.add_document(Document.from_dict(document, fields))

    @contextlib.contextmanager
    def _rolled_back(self) -> Iterator[None]:
        with engine("the keyword index cannot be written"):
            try:
                yield
            except BaseException:
                with contextlib.suppress(Exception):
                    self._writer.rollback()
                raise


def _require_own(folder: Path) -> None:
    """Refuse a list of files that leads out of ``folder``: the engine would delete them.

    Raises ValueError.
    """
    if not os.path.lexists(folder / _MANAGED):
        return
    listed = read_json(folder / _MANAGED)
    if not isinstance(listed, list) or not all(
        isinstance(name, str) and name == os.path.basename(name) and name.strip(".") for name in listed
    ):
        raise ValueError(f"{_MANAGED} lists files that do not belong to it")


def deleted_share(folder: Path) -> float:
    """The share of entries in the segments that are deleted but still counted, in [0, 1]."""
    try:
        segments = json.loads((folder / "meta.json").read_bytes())["segments"]
        total = sum(segment["max_doc"] for segment in segments)
        deleted = sum((segment.get("deletes") or {}).get("num_deleted_docs", 0) for segment in segments)
    except (OSError, ValueError, KeyError, TypeError):
        return 0.0
    return float(deleted / total) if total else 0.0
