"""From the conditions of a question to a tantivy query that scores nothing.

No pattern ever reaches the engine, whose automata a long one would break: what a path or a source has in it
is looked up among the paths and sources that there are.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable, Iterator

from tantivy import FieldType, Occur, Query

from indexing.document import kind_code, path_term
from indexing.lexical.schema import schema, stemmed, words
from indexing.lexical.vocabulary import Vocabulary
from indexing.query.filters import Filters
from indexing.query.question import Question
from indexing.words import bigrams, blankless_runs, clean, exact_tokens, normal, without_runs

MAX_WORDS = 64
"""Words of a phrase that are compared."""


def conditions(question: Question, vocabulary: Vocabulary) -> list[tuple[Occur, Query]]:
    """What must and must not hold of an entry, as clauses; none where everything is in question."""
    clauses = [(Occur.Must, one) for one in _holding(question.within, vocabulary)]
    phrases = (standing(text, vocabulary) for text in question.phrases)
    clauses += [(Occur.Must, one) for one in phrases if one]
    out = _any(_holding(question.without, vocabulary))
    clauses += [(Occur.MustNot, out)] if out else []
    excluded = (standing(text, vocabulary, whole=False) for text in question.excluded)
    clauses += [(Occur.MustNot, one) for one in excluded if one]
    return [(occur, Query.const_score_query(one, 0.0)) for occur, one in clauses]


def narrowed(scored: Query, question: Question, vocabulary: Vocabulary) -> Query:
    """``scored`` within the conditions of the question, which add nothing to a score."""
    clauses = conditions(question, vocabulary)
    return Query.boolean_query([(Occur.Must, scored), *clauses]) if clauses else scored


def allowed(question: Question, vocabulary: Vocabulary) -> Query:
    """All entries that the conditions leave, each with the same score."""
    everything = Query.const_score_query(Query.all_query(), 1.0)
    return narrowed(everything, question, vocabulary)


def preferred(question: Question, vocabulary: Vocabulary) -> list[Query]:
    """What is better to have than not, scored."""
    found = (standing(text, vocabulary) for text in question.preferred)
    return [one for one in found if one is not None]


def standing(text: str, vocabulary: Vocabulary, *, whole: bool = True) -> Query | None:
    """Entries in which ``text`` stands, word for word; a lone word that is not ``whole`` by its stem.

    None where there is nothing in ``text`` that an entry could have.
    """
    plain = normal(text)
    parts = [_run(run, vocabulary) for run in blankless_runs(plain)[:MAX_WORDS]]
    said = [word for piece in without_runs(plain) for word in words().analyze(piece)]
    exact = exact_tokens(plain)[:MAX_WORDS]
    token = exact[0] if exact and len(plain.split()) == 1 else ""
    if token and (len(said) != 1 or token != said[0]) and (not said or vocabulary.count("exact", token)):
        parts += [_term("exact", sign) for sign in (exact if not said else [token])]
    elif not whole and len(said) == 1:
        parts += [_term("text", stem) for stem in stemmed().analyze(said[0])]
    else:
        pieces = (words().analyze(piece)[:MAX_WORDS] for piece in without_runs(plain))
        parts += [_sequence("typed", piece) for piece in pieces if piece]
        parts += [_term("exact", sign) for sign in exact if not any(map(str.isalnum, sign))]
    return Query.boolean_query([(Occur.Must, one) for one in parts]) if parts else None


def unmet(filters: Filters, vocabulary: Vocabulary) -> list[str]:
    """A sentence for each value that no entry at all has."""
    alone = [(f"type:{one}", Filters(types=frozenset({one}))) for one in sorted(filters.types)]
    alone += [(f"from:{one}", Filters(sources=frozenset({one}))) for one in sorted(filters.sources)]
    alone += [(f"path:{one}", Filters(paths=frozenset({one}))) for one in sorted(filters.paths)]
    out = [f"no entry has {said}" for said, one in alone if not any(_found(one, vocabulary))]
    for user in sorted(filters.users):
        if user and not vocabulary.count("facet", clean(f"user:{user.lower()}")):
            out.append(f"no entry has user:{user}")
    return out


def _found(filters: Filters, vocabulary: Vocabulary) -> Iterator[list[str]]:
    return (terms for _, terms in _looked_up(filters, vocabulary))


def _holding(filters: Filters, vocabulary: Vocabulary) -> list[Query]:
    """One query a field that says something."""
    out: list[Query | None] = []
    if filters.kinds:
        out.append(Query.term_set_query(schema(), "kind", sorted(map(kind_code, filters.kinds))))
    if filters.since or filters.until:
        first = filters.since.toordinal() if filters.since else 1
        last = filters.until.toordinal() if filters.until else None
        out.append(Query.range_query(schema(), "day", FieldType.Unsigned, first, last))
    if filters.pinned is not None:
        out.append(_set("facet", [f"pinned:{'yes' if filters.pinned else 'no'}"]))
    if filters.trusts:
        out.append(_set("facet", [f"trust:{trust}" for trust in filters.trusts]))
    if filters.users:
        out.append(_set("facet", [clean(f"user:{user.lower()}") for user in filters.users]))
    for field, found in _looked_up(filters, vocabulary):
        out.append(_set(field, found) if field == "facet" else _in_files(found, vocabulary))
    return [one for one in out if one is not None]


def _in_files(paths: list[str], vocabulary: Vocabulary) -> Query:
    """The entries of these files; where they are most of all, those of no other: a set costs by its size."""
    every = [path for path, _ in vocabulary.beginning("path", "")]
    if 2 * len(paths) <= len(every):
        return _set("path", paths)
    others = set(every).difference(paths)
    clauses = [(Occur.Must, Query.all_query())]
    return Query.boolean_query([*clauses, (Occur.MustNot, _set("path", others))] if others else clauses)


def _looked_up(filters: Filters, vocabulary: Vocabulary) -> Iterator[tuple[str, list[str]]]:
    """The field and its terms for each condition that says only a part of what an entry has."""
    for name, values, test in (("type:", filters.types, _begins), ("from:", filters.sources, _holds)):
        if values:
            tests = [test(clean(value.lower())) for value in values]
            known = ((term.removeprefix(name), count) for term, count in vocabulary.beginning("facet", name))
            yield "facet", [f"{name}{value}" for value in _where(known, tests) if value]
    if filters.paths:
        paths = vocabulary.beginning("path", "")
        yield "path", _where(paths, [_like(path_term(value)) for value in filters.paths])


def _where(known: Iterable[tuple[str, int]], tests: list[Callable[[str], object]]) -> list[str]:
    return [value for value, _ in known if any(test(value) for test in tests)]


def _begins(part: str) -> Callable[[str], object]:
    return lambda value: value.startswith(part)


def _holds(part: str) -> Callable[[str], object]:
    return lambda value: part in value


def _like(part: str) -> Callable[[str], object]:
    """Paths with ``part`` in them; where it has wildcards, paths that are like it as a whole."""
    if "*" not in part and "?" not in part:
        return _holds(part)
    # Python's translation of a glob never goes back behind a star that it has passed.
    glob = re.sub(r"\*+", "*", part).replace("[", "[[]")
    return re.compile(fnmatch.translate(glob)).match


def _any(queries: Iterable[Query]) -> Query | None:
    parts = [(Occur.Should, one) for one in queries]
    return Query.boolean_query(parts) if parts else None


def _set(field: str, values: Iterable[str]) -> Query:
    return Query.term_set_query(schema(), field, sorted(values))


def _run(run: str, vocabulary: Vocabulary) -> Query:
    """Entries in which these characters of a script without blanks stand one after the other."""
    if len(run) == 1:
        return _set("pairs", [pair for pair, _ in vocabulary.beginning("pairs", run)])
    return _sequence("pairs", [pair for pair in bigrams(run) if len(pair) == 2][: 4 * MAX_WORDS])


def _sequence(field: str, values: list[str]) -> Query:
    return Query.phrase_query(schema(), field, list(values)) if len(values) > 1 else _term(field, values[0])


def _term(field: str, value: str) -> Query:
    return Query.term_query(schema(), field, value, "basic")
