"""The fields of the lexical index and the analysers that make their terms."""

from __future__ import annotations

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
    TextAnalyzer,
    TextAnalyzerBuilder,
    Tokenizer,
)

# Measured as shares of evidence found; the maximum is flat around these.
BOOSTS = {
    **{"text": 0.5, "typed": 1.0, "context": 1.0, "heading": 1.0, "date": 1.5},
    **{"exact": 1.0, "pairs": 1.0},
}


@cache
def schema() -> Schema:
    """The fields.

    ``key`` is ``document.entry_key``, ``file`` is ``document.file_key``, ``kind`` a ``document.kind_code``,
    ``day`` a proleptic ordinal (0: no date). ``text``, ``heading``, ``context`` and ``date`` are stemmed;
    ``typed`` holds the words of the text as they are, for prefixes and phrases; ``exact`` and ``pairs`` come
    ready from ``indexing.words``, pairs in their order; ``path`` is the whole path in lower case, ``facet``
    and ``marks`` are those of ``indexing.facets``; ``body`` is what is given back.
    """
    builder = SchemaBuilder()
    builder.add_unsigned_field("key", indexed=True, fast=True)
    for field in ("file", "path", "facet"):
        builder.add_text_field(field, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("kind", indexed=True, fast=True)
    builder.add_unsigned_field("day", indexed=True, fast=True)
    builder.add_unsigned_field("marks", fast=True)
    for field in ("text", "heading", "context", "date"):
        builder.add_text_field(field, tokenizer_name="stemmed", index_option="freq")
    builder.add_text_field("typed", tokenizer_name="words", index_option="position")
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
