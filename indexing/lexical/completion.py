"""Words that are not finished yet, while a person types them or because their beginning says enough.

A whole word comes before words that only begin with it, and a rarer word before a common one. What the
engine does with a prefix is to give every entry the same score; so the terms themselves are looked up.
"""

from __future__ import annotations

from collections.abc import Sequence

from tantivy import Query

from indexing.lexical.schema import BOOSTS, schema, stemmed
from indexing.lexical.terms import Terms, term
from indexing.lexical.vocabulary import Vocabulary
from indexing.words import STOP_WORDS

_WEIGHED = 32
"""The most frequent words that begin so are each weighed by themselves, the others together."""

_BELOW = 0.2
"""The share of its weight that BM25 leaves to a word that stands once in the longest of entries."""

_SHORT = 3
"""From this length on, a beginning is looked for in headings and in the names of months too."""

_MANY, _AT_FIRST = 1_000, 8
"""Of more words than this a beginning so short means only the most frequent; by one letter, a few."""


def completions(terms: Terms, vocabulary: Vocabulary) -> list[Query]:
    """Queries for all that the question has begun."""
    out: list[Query | None] = []
    if start := terms.beginning:
        fields = ("typed", "heading", "date") if len(start) >= _SHORT else ("typed",)
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
    if ceiling:
        full = vocabulary.rarity(0)

        def weight(count: int) -> float:
            return _BELOW * ceiling * vocabulary.rarity(count) / full

        parts = [Query.const_score_query(_any(field, [word]), weight(count)) for word, count in first]
    else:

        def weight(count: int) -> float:
            return BOOSTS[field] * vocabulary.rarity(count)

        parts = [term(field, word) for word, _ in first]
    if others:
        rest = _any(field, [word for word, _ in others])
        parts.append(Query.const_score_query(rest, weight(others[0][1])))
    return Query.disjunction_max_query(parts)


def _any(field: str, values: Sequence[str]) -> Query:
    return Query.term_set_query(schema(), field, values)
