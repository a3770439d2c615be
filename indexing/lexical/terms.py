"""The fields and terms of the keyword index, and the tantivy query for the words that a person typed.

The query is built term by term, without tantivy's query parser, so that no text is a syntax error.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from tantivy import (
    Filter,
    Index,
    Occur,
    Query,
    Schema,
    SchemaBuilder,
    Searcher,
    TextAnalyzer,
    TextAnalyzerBuilder,
    Tokenizer,
)

from indexing.query.dates import named_days
from indexing.words import (
    STOP_WORDS,
    bigrams,
    blankless,
    blankless_runs,
    clean,
    date_words,
    exact_tokens,
    identifies,
    normal,
    stop_words,
    without_question_words,
)
from workbench.frozen import frozen

# Measured as shares of evidence found; the maximum is flat around these.
BOOSTS = dict.fromkeys(("typed", "title", "context", "heading", "exact", "pairs"), 1.0)
BOOSTS |= {"text": 0.5, "date": 1.5}


# -- the fields of the index and the analysers that make their terms ---------------------------------


@cache
def schema() -> Schema:
    """The fields.

    ``key`` is ``document.entry_key``, ``file`` is ``document.file_key``, ``kind`` a ``document.kind_code``,
    ``day`` a proleptic ordinal (0: no date). ``text``, ``heading``, ``context`` and ``date`` are stemmed;
    ``typed`` and ``title`` are the words of text and heading as they are, for prefixes and phrases; ``exact``
    of the text and ``pairs`` of both come ready from ``indexing.words``, pairs in their order; ``path`` is
    the whole path in lower case, ``facet`` and ``marks`` are those of ``indexing.document``; ``body`` is what
    is given back.
    """
    builder = SchemaBuilder()
    builder.add_unsigned_field("key", indexed=True, fast=True)
    for field in ("file", "path", "facet"):
        builder.add_text_field(field, tokenizer_name="raw", index_option="basic")
    for field in ("kind", "day"):
        builder.add_unsigned_field(field, indexed=True, fast=True)
    builder.add_unsigned_field("marks", fast=True)
    for field in ("text", "heading", "context", "date"):
        builder.add_text_field(field, tokenizer_name="stemmed", index_option="freq")
    for field in ("typed", "title"):
        builder.add_text_field(field, tokenizer_name="words", index_option="position")
    builder.add_text_field("exact", tokenizer_name="ready", index_option="freq")
    builder.add_text_field("pairs", tokenizer_name="ready", index_option="position")
    builder.add_bytes_field("body", stored=True)
    return builder.build()


@cache
def stemmed() -> TextAnalyzer:
    """Words in lower case, without accents, by their English stem."""
    return _lower_case().filter(Filter.stemmer("english")).build()


@cache
def words() -> TextAnalyzer:
    """Words in lower case, without accents."""
    return _lower_case().build()


def _lower_case() -> TextAnalyzerBuilder:
    # A regular expression would keep combining marks inside words, and halves the speed of indexing.
    builder = TextAnalyzerBuilder(Tokenizer.simple())
    return builder.filter(Filter.lowercase()).filter(Filter.ascii_fold())


@cache
def _ready() -> TextAnalyzer:
    return TextAnalyzerBuilder(Tokenizer.whitespace()).build()


def open_index(folder: Path, *, create: bool = False) -> Index:
    """The index in ``folder`` with its analysers, which every opened index object needs anew.

    Raises what tantivy raises; callers stand behind ``engine``.
    """
    index = Index(schema(), path=str(folder)) if create else Index.open(str(folder))
    index.register_tokenizer("stemmed", stemmed())
    index.register_tokenizer("words", words())
    index.register_tokenizer("ready", _ready())
    return index


def any_of(queries: Iterable[Query]) -> Query:
    """Entries that answer one of the queries; the more, the better."""
    return Query.boolean_query([(Occur.Should, one) for one in queries])


def in_set(field: str, values: Iterable[str]) -> Query:
    """Entries with one of these terms in ``field``, all with the same score."""
    return Query.term_set_query(schema(), field, sorted(values))


def in_sequence(field: str, values: Sequence[str]) -> Query:
    """Entries in which these terms of ``field`` stand one after the other."""
    if len(values) > 1:
        return Query.phrase_query(schema(), field, list(values))
    return Query.term_query(schema(), field, values[0], "basic")


# -- the terms that there are ------------------------------------------------------------------------

_KEPT, _KEPT_TERMS = 64, 50_000
"""Answers that are kept, and terms of one: what is asked while a person types is asked again and again."""


def rarity(count: int, entries: int) -> float:
    """The inverse document frequency of BM25 for a term that stands in ``count`` of ``entries``, > 0."""
    return math.log(1 + (entries - count + 0.5) / (count + 0.5))


class Vocabulary:
    """The terms of one searcher, which is one commit, and in how many entries each stands.

    Methods raise what the engine raises; callers stand behind ``engine``.
    """

    def __init__(self, searcher: Searcher) -> None:
        self.searcher = searcher
        self.entries = int(searcher.num_docs)
        self._kept: dict[tuple[str, str], tuple[tuple[str, int], ...]] = {}

    def rarity(self, count: int) -> float:
        """The inverse document frequency of BM25 for a term that stands in ``count`` entries, > 0."""
        return rarity(count, self.entries)

    def knows(self, stem: str) -> bool:
        """Whether a stem stands in any field of stems; the words of neighbours are those of texts."""
        return any(self.count(field, stem) for field in ("text", "heading", "date"))

    def weight(self, stem: str) -> float:
        """The least that BM25 gives in any field for a stem that stands there, before the length counts."""
        counts = ((self.count(field, stem), BOOSTS[field]) for field in ("text", "heading"))
        return min((boost * self.rarity(count) for count, boost in counts if count), default=0.0)

    def count(self, field: str, term: str) -> int:
        """In how many entries ``term`` stands."""
        return self.searcher.doc_freq(field, clean(term))

    def beginning(self, field: str, start: str) -> tuple[tuple[str, int], ...]:
        """The terms of ``field`` that begin with ``start`` and their entries, the most frequent first."""
        key = field, clean(start)
        found = self._kept.get(key)
        if found is None:
            found = tuple(self.searcher.terms_with_prefix(*key))
            if len(self._kept) >= _KEPT:
                self._kept.clear()
            if len(found) <= _KEPT_TERMS:
                self._kept[key] = found
        return found


# -- the terms of a question -------------------------------------------------------------------------

MAX_WORDS = 64
"""Further words of a longer question or phrase are not searched for: its topic has been said by then."""

MAX_CHARACTERS = 8_192
"""Characters of a question that are read."""

MAX_BEGINNING = 64
"""Characters of an unfinished word that are compared."""

DOUBT = 0.6
"""What a word counts that is looked for instead of one that nothing has."""

_OPENINGS = 8
_WEIGHED = 32
"""The most frequent words that begin so are each weighed by themselves, the others together."""

_BELOW = 0.2
"""The share of its weight that BM25 leaves to a word that stands once in the longest of entries."""

_SHORT = 3
"""From this length on, a beginning is looked for in headings and in the names of months too."""

_MANY, _AT_FIRST = 1_000, 8
"""Of more words than this a beginning so short means only the most frequent; by one letter, a few."""


@frozen
class Terms:
    """The terms of a question.

    ``stems`` of words, ``exact`` tokens, ``pairs`` of characters, ``lone`` characters of scripts without
    blanks; ``beginning`` is a word not finished yet, ``openings`` are exact tokens that may go on;
    ``guessed`` stems stand for words that no entry has.
    """

    stems: tuple[str, ...]
    exact: tuple[str, ...]
    pairs: tuple[str, ...]
    beginning: str = ""
    openings: tuple[str, ...] = ()
    lone: tuple[str, ...] = ()
    guessed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self != NO_TERMS


NO_TERMS = Terms((), (), ())


def terms_of(text: str, *, prefix: bool = False, guessed: Sequence[str] = ()) -> Terms:
    """The terms in ``text`` and of the ``guessed`` words; function words only where there is nothing else."""
    plain = normal(text[:MAX_CHARACTERS])
    asked = without_question_words(plain)
    typed = words().analyze(plain)
    functional = stop_words(plain)
    topical = [word for word in typed if word not in functional]
    unfinished = prefix and not plain[-1:].isspace() and not blankless(plain.rstrip()[-1:])
    beginning = typed[-1][:MAX_BEGINNING] if unfinished and typed and plain[-1:].isalnum() else ""
    exact = exact_tokens(plain)[:MAX_WORDS]
    openings = [token for token in dict.fromkeys((*exact, *topical)) if identifies(token)]
    if unfinished and (chunk := _opening(plain)):
        openings.insert(0, chunk)
    kept = [word for word in dict.fromkeys(topical or typed) if not blankless(word)]
    days = [word for day in named_days(plain) for word in words().analyze(date_words(day))]
    return Terms(
        _stems([*kept[:MAX_WORDS], *days]),
        tuple(exact),
        tuple(dict.fromkeys(pair for pair in bigrams(asked) if len(pair) == 2))[: 4 * MAX_WORDS],
        beginning,
        tuple(dict.fromkeys(openings))[:_OPENINGS],
        tuple(dict.fromkeys(run for run in blankless_runs(plain) if len(run) == 1 and run in asked))[
            :MAX_WORDS
        ],
        _stems(guessed),
    )


def words_query(terms: Terms, further: Sequence[Query] = (), *, own: bool = False) -> Query:
    """Any of the terms, in any field that holds words, or any of the ``further`` queries.

    ``own`` leaves the words of neighbours out.
    """
    parts: list[Query] = []
    fields = ("text", "heading") if own else ("text", "context", "heading")
    for stem in terms.stems:
        parts += [term(field, stem) for field in (*fields, "date")]
    for stem in terms.guessed:
        guess = [term(field, stem) for field in fields]
        parts.append(Query.boost_query(any_of(guess), DOUBT))
    parts += [term("exact", token) for token in terms.exact]
    parts += [term("pairs", pair) for pair in terms.pairs]
    return any_of([*parts, *further])


def these(keys: Sequence[int], scored: Query, *, matching: bool = False) -> Query:
    """The entries with these keys, or the ``matching`` ones of them, with the score that ``scored`` gives."""
    wanted = Query.const_score_query(Query.term_set_query(schema(), "key", keys), 0.0)
    return Query.boolean_query([(Occur.Must, wanted), (Occur.Must if matching else Occur.Should, scored)])


def term(field: str, value: str) -> Query:
    """The entries with this term in ``field``, by BM25 and the weight of the field."""
    query = Query.term_query(schema(), field, value, "freq")
    boost = BOOSTS[field]
    return query if boost == 1.0 else Query.boost_query(query, boost)


def _stems(typed: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(stem for word in typed for stem in stemmed().analyze(word)))


def _opening(plain: str) -> str:
    """The chunk that is being typed, where it is more than a word: ``err_conn``, ``memory/2026-``."""
    chunk = plain.rsplit(None, 1)[-1].lstrip("\"'`([{<“‘«").lower() if plain.strip() else ""
    if chunk.isalnum() or chunk[:1] == "-" or len(chunk) < 2 or not any(map(str.isalnum, chunk)):
        return ""
    return chunk[:MAX_BEGINNING]


def completions(terms: Terms, vocabulary: Vocabulary) -> list[Query]:
    """Queries for all that the question has begun.

    Words may be unfinished, while a person types them or because their beginning says enough. A whole word
    comes before words that only begin with it, and a rarer word before a common one. The engine gives every
    entry the same score for a prefix; so the terms themselves are looked up.
    """
    out: list[Query | None] = []
    if start := terms.beginning:
        fields = ("typed", "title", "date") if len(start) >= _SHORT else ("typed",)
        ceiling = max((vocabulary.weight(stem) for stem in stemmed().analyze(start)), default=0.0)
        out += [_begun(field, start, vocabulary, ceiling) for field in fields]
    for opening in terms.openings:
        ceiling = vocabulary.rarity(count) if (count := vocabulary.count("exact", opening)) else 0.0
        out.append(_begun("exact", opening, vocabulary, ceiling))
        if opening.isalpha():  # the digits of a hash may all be letters: then it is a word like any other
            out.append(_begun("typed", opening, vocabulary, 0.0))
    out += [_begun("pairs", character, vocabulary, 0.0) for character in terms.lone]
    return [one for one in out if one is not None]


def _begun(field: str, start: str, vocabulary: Vocabulary, ceiling: float) -> Query | None:
    """Entries with longer words of ``field``; they stay below the ``ceiling`` where there is one."""
    known = vocabulary.beginning(field, start)
    longer = [one for one in known if field == "pairs" or (one[0] != start and one[0] not in STOP_WORDS)]
    if not longer:
        return None
    brief = len(start) < _SHORT and field != "pairs"
    weighed = _WEIGHED if len(start) > 1 else _AT_FIRST
    first, others = longer[:weighed], [] if brief and len(longer) > _MANY else longer[weighed:]
    scale = _BELOW * ceiling / vocabulary.rarity(0) if ceiling else BOOSTS[field]
    parts = [
        Query.const_score_query(in_set(field, [word]), scale * vocabulary.rarity(count))
        if ceiling
        else term(field, word)
        for word, count in first
    ]
    if others:
        rest = in_set(field, [word for word, _ in others])
        parts.append(Query.const_score_query(rest, scale * vocabulary.rarity(others[0][1])))
    return Query.disjunction_max_query(parts)
