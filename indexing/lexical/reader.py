"""Reading words. Readers take no lock and see the newest commit at every search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tantivy import DocAddress, Index, Occur, Searcher
from tantivy import Query as EngineQuery

from indexing.document import Stored, file_key
from indexing.engines import engine
from indexing.lexical.completion import completions
from indexing.lexical.filter_query import allowed, narrowed, preferred, standing
from indexing.lexical.query_rewrite import fitted, question_terms
from indexing.lexical.read_only_reader import lockable, stand_in
from indexing.lexical.schema import open_index, schema, stemmed
from indexing.lexical.stored_fields import read_body
from indexing.lexical.terms import Terms, any_of, these, words_query
from indexing.lexical.values import values
from indexing.lexical.vocabulary import Vocabulary
from indexing.query.question import Question, WordForm
from indexing.words import WORD, normal

_COLUMNS = ("key", "day", "kind", "marks")


@dataclass(frozen=True, slots=True)
class KeywordMatch:
    """An entry of a snapshot: its key, day (ordinal, 0: none), kind code, ``Facets.marks``, and BM25.

    ``score`` is the sum of the fields' BM25 with their boosts; 0 when it shares no word.
    """

    key: int
    score: float
    day: int
    kind: int
    marks: int
    address: DocAddress


class Snapshot:
    """One commit of the word index. Nothing in it ever changes; safe from several threads."""

    def __init__(self, searcher: Searcher) -> None:
        self._searcher = searcher
        self._vocabulary = Vocabulary(searcher)
        self._last_forms: tuple[Question, list[tuple[WordForm, EngineQuery]]] | None = None

    def count(self) -> int:
        """How many entries there are."""
        return int(self._searcher.num_docs)

    def fitted(self, question: Question, *, guess: bool = True) -> Question:
        """``question`` as this index can answer it, with notes about every difference.

        ``guess`` puts words that there are in the place of those that no entry has.
        """
        with engine("the word index cannot be read"):
            return fitted(question, self._searcher, self._vocabulary, guess=guess)

    def values(self, name: str, begun: str, limit: int) -> tuple[tuple[str, int], ...]:
        """The values of a condition that have ``begun`` in them, and in how many entries each stands."""
        with engine("the word index cannot be read"):
            return values(self._vocabulary, name, begun, limit)

    def search(self, question: Question, limit: int) -> list[KeywordMatch]:
        """The best ``limit`` entries by their words.

        Best first; the newer of equals first. A question of conditions alone is answered with the newest
        entries that meet them. Raises IndexUnavailableError, as all methods do.
        """
        terms = question_terms(question)
        if not terms:
            return self._newest(question, limit) if question.narrows else []
        with engine("the word index cannot be read"):
            query = narrowed(self._scored(terms, question), question, self._vocabulary)
        return self._run(query, limit)

    def look_up(self, keys: Sequence[int], question: Question) -> list[KeywordMatch]:
        """Those of the entries with these keys that exist, with what their words score."""
        if not keys:
            return []
        with engine("the word index cannot be read"):
            query = these(keys, self._scored(question_terms(question), question))
        return self._run(query, len(keys))

    def with_word(self, question: Question, limit: int) -> list[KeywordMatch]:
        """The best entries that have the word themselves of which alone the question consists."""
        with engine("the word index cannot be read"):
            forms = self._forms(question)
            if not forms:
                return []
            having = EngineQuery.const_score_query(any_of([form for _, form in forms]), 0.0)
            scored = self._scored(question_terms(question), question)
            query = EngineQuery.boolean_query([(Occur.Must, having), (Occur.Should, scored)])
            query = narrowed(query, question, self._vocabulary)
        return self._run(query, limit)

    def word_forms(self, question: Question, keys: Sequence[int]) -> dict[int, WordForm]:
        """In which form those of the entries with these keys have that word that have it themselves."""
        found: dict[int, WordForm] = {}
        with engine("the word index cannot be read"):
            for form, query in self._forms(question) if keys else ():
                hits = self._searcher.search(these(keys, query, matching=True), len(keys), count=False).hits
                known = self._searcher.fast_field_values("key", [address for _, address in hits])
                for key in known:
                    found.setdefault(int(key or 0), form)
        return found

    def _forms(self, question: Question) -> list[tuple[WordForm, EngineQuery]]:
        """The entries with the lone word of a question: as it is, and by its stem or its beginning."""
        if not question.lone_word:
            return []
        known = self._last_forms
        if known is None or known[0] != question:
            self._last_forms = known = (question, self._forms_anew(question))
        return known[1]

    def _forms_anew(self, question: Question) -> list[tuple[WordForm, EngineQuery]]:
        forms: list[tuple[WordForm, EngineQuery]] = []
        as_asked = standing(question.lone_word, self._vocabulary)
        if as_asked is not None:
            forms.append((WordForm.AS_ASKED, as_asked))
        terms = question_terms(question)
        if terms and not terms.pairs and len(terms.stems) <= 1:
            further = completions(terms, self._vocabulary)
            forms.append((WordForm.RELATED, words_query(terms, further, own=True)))
        return forms

    def _scored(self, terms: Terms, question: Question) -> EngineQuery:
        further = [*completions(terms, self._vocabulary), *preferred(question, self._vocabulary)]
        return words_query(terms, further)

    def allowed(self, question: Question) -> list[int]:
        """The keys of all entries that the conditions of the question leave, in no order."""
        with engine("the word index cannot be read"):
            hits = self._searcher.search(
                allowed(question, self._vocabulary), max(1, self.count()), count=False
            ).hits
            keys = self._searcher.fast_field_values("key", [address for _, address in hits])
        return [int(key or 0) for key in keys]

    def load(self, match: KeywordMatch) -> Stored:
        """The entry itself."""
        with engine("the word index cannot be read"):
            return read_body(self._searcher.doc(match.address).get_first("body"))[0]

    def everything(self) -> list[tuple[Stored, int, KeywordMatch]]:
        """All entries, each with its position in its file and what the index sorts and filters by."""
        matches = self._run(EngineQuery.all_query(), max(1, self.count()))
        with engine("the word index cannot be read"):
            bodies = (self._searcher.doc(match.address).get_first("body") for match in matches)
            return [(*read_body(body), match) for body, match in zip(bodies, matches, strict=True)]

    def rarities(self, terms: Terms) -> dict[str, float]:
        """The inverse document frequency of each stem and pair, > 0; the highest: in no entry."""
        return {one: self._vocabulary.rarity(count) for one, count in self.frequencies(terms).items()}

    def frequencies(self, terms: Terms) -> dict[str, int]:
        """In how many entries each stem and pair stands; with ``count`` this adds up over several indexes."""
        fields = {**dict.fromkeys(terms.stems, "text"), **dict.fromkeys(terms.pairs, "pairs")}
        with engine("the word index cannot be read"):
            return {one: self._vocabulary.count(field, one) for one, field in fields.items()}

    def under(self, paths: Iterable[str], limit: int) -> list[Stored]:
        """The entries of these files, at most ``limit``, each file's in its order."""
        with engine("the word index cannot be read"):
            keys = [file_key(path) for path in paths]
            query = EngineQuery.term_set_query(schema(), "file", keys)
            hits = self._searcher.search(query, max(1, limit), count=False).hits
            bodies = (self._searcher.doc(address).get_first("body") for _, address in hits)
            rows = sorted(map(read_body, bodies), key=lambda row: (row[0].path, row[1]))
            return [entry for entry, _ in rows]

    def _newest(self, question: Question, limit: int) -> list[KeywordMatch]:
        with engine("the word index cannot be read"):
            query = allowed(question, self._vocabulary)
            hits = self._searcher.search(query, limit, count=False, order_by_field="day").hits
            return self._matches([(1.0, address) for _, address in hits])

    def _run(self, query: EngineQuery, limit: int) -> list[KeywordMatch]:
        with engine("the word index cannot be read"):
            return self._matches(self._searcher.search(query, limit, count=False).hits)

    def _matches(self, hits: Sequence[tuple[float, DocAddress]]) -> list[KeywordMatch]:
        addresses = [address for _, address in hits]
        columns = [self._searcher.fast_field_values(field, addresses) for field in _COLUMNS]
        found = [
            KeywordMatch(int(key or 0), float(score), int(day or 0), int(kind or 0), int(marks or 0), address)
            for (score, address), key, day, kind, marks in zip(hits, *columns, strict=True)
        ]
        return sorted(found, key=lambda match: (-round(match.score, 4), -match.day, match.key))


class LexicalReader:
    """The lexical index in one generation's folder, writable or not. Opening raises IndexUnavailableError."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._commit = self._stamp()
        self._index: Index | None = None
        with engine("the word index cannot be opened"):
            self._snapshot = self._newest()

    def snapshot(self) -> Snapshot:
        """The newest commit; costs one ``stat`` when it is known already."""
        commit = self._stamp()
        if commit != self._commit:
            with engine("the word index cannot be read"):
                self._snapshot = self._newest()
            self._commit = commit
        return self._snapshot

    def _newest(self) -> Snapshot:
        if not lockable(self._folder):
            with stand_in(self._folder) as links:
                return _snapshot_of(_opened(links))
        if self._index is None:
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
    return Snapshot(index.searcher())


def shared_words(terms: Terms, text: str) -> list[str]:
    """The words that were asked for as ``text`` has them, in lower case and in the order of the question."""
    standing: dict[str, str] = {}
    for match in WORD.finditer(text):
        for stem in stemmed().analyze(normal(match[0])):
            standing.setdefault(stem, match[0].lower())
    return [standing[stem] for stem in (*terms.stems, *terms.guessed) if stem in standing]
