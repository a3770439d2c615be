"""From what a person typed to a tantivy query. Never through a parser: any text is a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tantivy import Occur, Query

from indexing.lexical.narrowing import escaped
from indexing.lexical.schema import schema, stemmed, words
from indexing.words import STOP_WORDS, bigrams, blankless, exact_tokens, normal

MAX_WORDS = 64
"""Further words of a longer question are not searched for: its topic has been said by then."""

MAX_BEGINNING = 64
"""Characters of an unfinished word that are compared; the engine bounds its automata."""

# Measured as shares of evidence found; the maximum is flat around these.
BOOSTS = {"text": 1.0, "context": 0.6, "heading": 0.5, "date": 1.5, "exact": 1.0, "pairs": 1.0}


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a question: stems, exact tokens, character pairs, and a word not finished yet."""

    stems: tuple[str, ...]
    exact: tuple[str, ...]
    pairs: tuple[str, ...]
    beginning: str = ""

    def __bool__(self) -> bool:
        return bool(self.stems or self.exact or self.pairs or self.beginning)


def terms_of(text: str, *, prefix: bool = False) -> Terms:
    """The terms in ``text``; function words only where there is nothing else."""
    plain = normal(text).encode("utf-8", "replace").decode()
    typed = words().analyze(plain)
    topical = [word for word in typed if word not in STOP_WORDS]
    beginning = ""
    if prefix and typed and plain[-1:].isalnum():
        beginning = typed[-1][:MAX_BEGINNING]
    kept = [word for word in dict.fromkeys(topical or typed) if not blankless(word)]
    return Terms(
        tuple(dict.fromkeys(stem for word in kept[:MAX_WORDS] for stem in stemmed().analyze(word))),
        tuple(exact_tokens(plain)[:MAX_WORDS]),
        tuple(bigrams(plain)[: 4 * MAX_WORDS]),
        beginning,
    )


def words_query(terms: Terms) -> Query:
    """Any of the terms, in any field that holds words."""
    parts: list[Query] = []
    for stem in terms.stems:
        parts += [_term(field, stem) for field in ("text", "context", "heading", "date")]
    parts += [_term("exact", token) for token in terms.exact]
    parts += [_term("pairs", pair) for pair in terms.pairs]
    if terms.beginning:
        parts.append(Query.regex_query(schema(), "typed", escaped(terms.beginning) + ".*"))
    return Query.boolean_query([(Occur.Should, part) for part in parts])


def fuzzy_query(terms: Terms) -> Query:
    """The stems of five letters and more, with one letter wrong: for questions that found nothing."""
    parts = [Query.fuzzy_term_query(schema(), "text", stem, 1) for stem in terms.stems if len(stem) > 4]
    return Query.boolean_query([(Occur.Should, part) for part in parts])


def these(keys: Sequence[int], scored: Query) -> Query:
    """The entries with these keys, with the score that ``scored`` gives them or none."""
    wanted = Query.const_score_query(Query.term_set_query(schema(), "key", keys), 0.0)
    return Query.boolean_query([(Occur.Must, wanted), (Occur.Should, scored)])


def _term(field: str, value: str) -> Query:
    query = Query.term_query(schema(), field, value, "freq")
    boost = BOOSTS[field]
    return query if boost == 1.0 else Query.boost_query(query, boost)
