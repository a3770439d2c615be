"""The keyword index of one generation: readers take no lock and see its newest commit; it has one writer."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import groupby
from pathlib import Path

from tantivy import DocAddress, Document, Index, IndexWriter, Occur, Query, Searcher

from indexing.document import (
    Stored,
    file_key,
    indexed_words,
    kind_code,
    kind_of_code,
    packed,
    path_term,
    unpacked,
)
from indexing.lexical.query_rewrite import allowed, fitted, narrowed, preferred, question_terms, standing
from indexing.lexical.terms import (
    Terms,
    Vocabulary,
    any_of,
    completions,
    in_set,
    open_index,
    schema,
    these,
    words_query,
)
from indexing.query.question import Question, WordForm
from indexing.ranking.order import Candidate
from indexing.storage import RefusedError, engine, read_json

_COLUMNS = ("key", "day", "kind", "marks")
_KEPT_CONDITIONS = 8
_MANY_FILES = 50_000
_LONGEST_VALUE = 80
_LOCK = ".tantivy-meta.lock"
_BOOKS = ".managed.json"
"""Needed by writers only, and readable by their owner only."""

_EFFECTIVE = os.access in os.supports_effective_ids


_reading = engine("the keyword index cannot be read")


class Snapshot:
    """One commit of the word index. Nothing in it ever changes; safe from several threads.

    Methods raise IndexUnavailableError.
    """

    def __init__(self, index: Index) -> None:
        self._searcher: Searcher = index.searcher()
        self.is_current = bool(index.schema == schema())
        """Whether its fields are those of this version."""
        self._vocabulary = Vocabulary(self._searcher)
        # Methods of its own in there would keep it, and the files it holds open, until the next collection.
        self._forms = lru_cache(1)(partial(_lone_word_forms, self._vocabulary))
        self._allowed = lru_cache(_KEPT_CONDITIONS)(partial(_allowed_keys, self._vocabulary))

    def count(self) -> int:
        """How many entries there are."""
        return int(self._searcher.num_docs)

    @_reading
    def fitted(self, question: Question, *, guess: bool = True) -> Question:
        """``question`` as this index can answer it, with notes about every difference.

        ``guess`` puts words that there are in the place of those that no entry has.
        """
        return fitted(question, self._vocabulary, guess=guess)

    @_reading
    def values(self, name: str, begun: str, limit: int) -> tuple[tuple[str, int], ...]:
        """The values of a condition that have ``begun`` in them, each with its number of entries.

        Those that begin so come first, then those with more entries, ``limit`` at most. Folders are values of
        ``path`` too. What nobody would type, as it is long or holds a quote, is left out.
        """
        start = path_term(begun)
        facets = self._vocabulary.beginning("facet", f"{name}:")
        known = (
            _paths(self._vocabulary) if name == "path" else ((one.partition(":")[2], n) for one, n in facets)
        )
        fitting = [
            one
            for one in known
            if start in one[0] and one[0] and len(one[0]) <= _LONGEST_VALUE and '"' not in one[0]
        ]
        return tuple(sorted(fitting, key=lambda one: (not one[0].startswith(start), -one[1], one[0]))[:limit])

    @_reading
    def search(self, question: Question, limit: int) -> list[Candidate]:
        """The best ``limit`` entries by their words.

        Best first; the newer of equals first. A question of conditions alone is answered with the newest
        entries that meet them.
        """
        terms = question_terms(question)
        if terms:
            return self._run(narrowed(self._scored(terms, question), question, self._vocabulary), limit)
        if not question.narrows:
            return []
        query = allowed(question, self._vocabulary)
        hits = self._searcher.search(query, limit, count=False, order_by_field="day").hits
        return self._matches([(1.0, address) for _, address in hits])

    @_reading
    def look_up(self, keys: Sequence[int], question: Question) -> list[Candidate]:
        """Those of the entries with these keys that exist, with what their words score."""
        if not keys:
            return []
        return self._run(these(keys, self._scored(question_terms(question), question)), len(keys))

    @_reading
    def with_word(self, question: Question, limit: int) -> list[Candidate]:
        """The best entries that have the word themselves of which alone the question consists."""
        forms = self._forms(question)
        if not forms:
            return []
        having = Query.const_score_query(any_of([form for _, form in forms]), 0.0)
        scored = self._scored(question_terms(question), question)
        query = Query.boolean_query([(Occur.Must, having), (Occur.Should, scored)])
        return self._run(narrowed(query, question, self._vocabulary), limit)

    @_reading
    def word_forms(self, question: Question, keys: Sequence[int]) -> dict[int, WordForm]:
        """In which form those of the entries with these keys have that word that have it themselves."""
        found: dict[int, WordForm] = {}
        for form, query in self._forms(question) if keys else ():
            for key in _keys(self._searcher, these(keys, query, matching=True), len(keys)):
                found.setdefault(key, form)
        return found

    @_reading
    def allowed(self, question: Question) -> array[int]:
        """The keys of all entries that the conditions of the question leave, in no order."""
        return self._allowed(question.conditions)

    @_reading
    def load(self, match: Candidate) -> Stored:
        """The entry itself."""
        return self._body(match.address)[0]

    @_reading
    def everything(self) -> list[tuple[Stored, int, Candidate]]:
        """All entries, each with its position in its file and what the index sorts and filters by."""
        matches = self._run(Query.all_query(), max(1, self.count()))
        return [(*self._body(match.address), match) for match in matches]

    def rarities(self, terms: Terms) -> dict[str, float]:
        """The inverse document frequency of each stem and pair, > 0; the highest: in no entry."""
        return {one: self._vocabulary.rarity(count) for one, count in self.frequencies(terms).items()}

    @_reading
    def frequencies(self, terms: Terms) -> dict[str, int]:
        """In how many entries each stem and pair stands; with ``count`` this adds up over several indexes."""
        fields = {**dict.fromkeys(terms.stems, "text"), **dict.fromkeys(terms.pairs, "pairs")}
        return {one: self._vocabulary.count(field, one) for one, field in fields.items()}

    @_reading
    def under(self, paths: Iterable[str], limit: int) -> list[Stored]:
        """The entries of these files, at most ``limit``, each file's in its order."""
        query = in_set("file", map(file_key, paths))
        hits = self._searcher.search(query, max(1, limit), count=False).hits
        rows = sorted((self._body(address) for _, address in hits), key=lambda row: (row[0].path, row[1]))
        return [entry for entry, _ in rows]

    def _scored(self, terms: Terms, question: Question) -> Query:
        further = [*completions(terms, self._vocabulary), *preferred(question, self._vocabulary)]
        return words_query(terms, further)

    def _body(self, address: DocAddress | None) -> tuple[Stored, int]:
        assert address is not None  # only what was found elsewhere has none
        return unpacked(self._searcher.doc(address).get_first("body"))

    def _run(self, query: Query, limit: int) -> list[Candidate]:
        return self._matches(self._searcher.search(query, limit, count=False).hits)

    def _matches(self, hits: Sequence[tuple[float, DocAddress]]) -> list[Candidate]:
        addresses = [address for _, address in hits]
        columns = [self._searcher.fast_field_values(field, addresses) for field in _COLUMNS]
        found = [
            Candidate(key or 0, kind_of_code(kind or 0), day or 0, score, marks=marks or 0, address=address)
            for (score, address), key, day, kind, marks in zip(hits, *columns, strict=True)
        ]
        return sorted(found, key=lambda match: (-round(match.bm25, 4), -match.day, match.key))


def _paths(vocabulary: Vocabulary) -> Iterable[tuple[str, int]]:
    found: Counter[str] = Counter()
    for path, count in vocabulary.beginning("path", "")[:_MANY_FILES]:
        found[path] += count
        if not path.startswith("/"):  # what lies beside the workspace has its whole path to itself
            at = path.find("/")
            while at > 0:
                found[path[: at + 1]] += count
                at = path.find("/", at + 1)
    return found.items()


def _lone_word_forms(vocabulary: Vocabulary, question: Question) -> list[tuple[WordForm, Query]]:
    """The entries with the lone word of a question: as it is, and by its stem or its beginning."""
    if not question.lone_word:
        return []
    forms: list[tuple[WordForm, Query]] = []
    as_asked = standing(question.lone_word, vocabulary, titles=False)
    if as_asked is not None:
        forms.append((WordForm.AS_ASKED, as_asked))
    terms = question_terms(question)
    if terms and not terms.pairs and len(terms.stems) <= 1:
        further = completions(terms, vocabulary)
        forms.append((WordForm.RELATED, words_query(terms, further, own=True)))
    return forms


def _allowed_keys(vocabulary: Vocabulary, conditions: Question) -> array[int]:
    query = allowed(conditions, vocabulary)
    return array("q", _keys(vocabulary.searcher, query, max(1, vocabulary.entries)))


def _keys(searcher: Searcher, query: Query, limit: int) -> list[int]:
    hits = searcher.search(query, limit, count=False).hits
    keys = searcher.fast_field_values("key", [address for _, address in hits])
    return [int(key or 0) for key in keys]


class LexicalReader:
    """The lexical index in one generation's folder, writable or not. Opening raises IndexUnavailableError.

    To open an index the engine takes a lock in its folder, for reading too. Where nothing can be written
    (``lockable``), it opens a ``stand_in``, and its lock goes there. Once open, it holds the files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._commit = self._stamp()
        self._index: Index | None = None
        with engine("the keyword index cannot be opened"):
            self._snapshot = self._newest()

    def snapshot(self) -> Snapshot:
        """The newest commit; costs one ``stat`` when it is known already."""
        commit = self._stamp()
        if commit != self._commit:
            with engine("the keyword index cannot be read"):
                self._snapshot = self._newest()
            self._commit = commit
        return self._snapshot

    def _newest(self) -> Snapshot:
        if not lockable(self._folder):
            with stand_in(self._folder) as links:
                return _snapshot_of(_opened(links))
        if self._index is None:  # opened once: each one that is open has a thread
            self._index = _opened(self._folder)
        return _snapshot_of(self._index)

    def _stamp(self) -> tuple[int, int, int]:
        try:
            status = (self._folder / "meta.json").stat()
        except OSError:
            return (0, 0, 0)
        return (status.st_ino, status.st_mtime_ns, status.st_size)


def _opened(folder: Path) -> Index:
    index = open_index(folder)
    index.config_reader("manual")
    return index


def _snapshot_of(index: Index) -> Snapshot:
    index.reload()
    return Snapshot(index)


def lockable(folder: Path) -> bool:
    """Whether the engine can take its lock in ``folder``."""
    lock = folder / _LOCK
    return os.access(lock if lock.exists() else folder, os.W_OK, effective_ids=_EFFECTIVE)


@contextlib.contextmanager
def stand_in(folder: Path) -> Iterator[Path]:
    """A private folder with links to all that is in ``folder``; gone after the block.

    It is the same index, on a read-only disk or in somebody else's folder too: segments never change.
    Raises OSError when ``folder`` cannot be listed, RefusedError when there is no place for the links.
    """
    names = [name for name in os.listdir(folder) if name != _BOOKS and not name.endswith(".lock")]
    try:
        links = tempfile.TemporaryDirectory(prefix="workbench-words-", ignore_cleanup_errors=True)
    except OSError as error:
        where = "the keyword index is on a read-only disk, and no temporary folder can be made"
        raise RefusedError(where, error.errno or 0) from error
    with links as place:
        for name in names:
            os.symlink(os.path.join(folder, name), os.path.join(place, name))
        yield Path(place)


_HEAP_BYTES = 96_000_000
_MANAGED = ".managed.json"
"""Where the engine notes the files that it may delete."""


class LexicalWriter:
    """The writer of one generation's lexical index: one at a time. All methods raise IndexUnavailableError.

    A failure rolls back to the last commit.
    """

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
