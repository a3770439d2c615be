"""From the conditions of a question to a tantivy query that scores nothing.

No pattern ever reaches the engine, whose automata a long one would break: what a path or a source has in it
is looked up among the paths and sources that there are.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Collection, Iterator
from functools import partial
from operator import eq, methodcaller

from tantivy import FieldType, Occur, Query

from indexing.document import kind_code, path_term
from indexing.lexical.schema import in_sequence, in_set, schema, stemmed, words
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
    clauses += [(Occur.MustNot, one) for one in _holding(question.without, vocabulary)]
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
        parts += [in_sequence("exact", [sign]) for sign in (exact if not said else [token])]
    elif not whole and len(said) == 1:
        parts += [in_sequence("text", [stem]) for stem in stemmed().analyze(said[0])]
    else:
        pieces = (words().analyze(piece)[:MAX_WORDS] for piece in without_runs(plain))
        parts += [in_sequence("typed", piece) for piece in pieces if piece]
        parts += [in_sequence("exact", [sign]) for sign in exact if not any(map(str.isalnum, sign))]
    return Query.boolean_query([(Occur.Must, one) for one in parts]) if parts else None


def _run(run: str, vocabulary: Vocabulary) -> Query:
    """Entries in which these characters of a script without blanks stand one after the other."""
    if len(run) == 1:
        return in_set("pairs", [pair for pair, _ in vocabulary.beginning("pairs", run)])
    return in_sequence("pairs", [pair for pair in bigrams(run) if len(pair) == 2][: 4 * MAX_WORDS])


def unmet(filters: Filters, vocabulary: Vocabulary) -> list[str]:
    """A sentence for each value that no entry at all has."""
    return [
        f"no entry has {name}:{value}"
        for name, values in _named(filters)
        for value in sorted(values)
        if value and name in ("type", "from", "path", "user") and not _terms(name, value, vocabulary)
    ]


def _holding(filters: Filters, vocabulary: Vocabulary) -> Iterator[Query]:
    """One query a field that says something."""
    if filters.kinds:
        yield Query.term_set_query(schema(), "kind", sorted(map(kind_code, filters.kinds)))
    if filters.since or filters.until:
        first = filters.since.toordinal() if filters.since else 1
        last = filters.until.toordinal() if filters.until else None
        yield Query.range_query(schema(), "day", FieldType.Unsigned, first, last)
    for name, values in _named(filters):
        found = {term for value in values for term in _terms(name, value, vocabulary)}
        if values:
            yield _in_files(found, vocabulary) if name == "path" else in_set("facet", found)


def _named(filters: Filters) -> list[tuple[str, Collection[str]]]:
    """The conditions whose values are terms of the index, or a part of one."""
    return [
        ("type", filters.types),
        ("from", filters.sources),
        ("path", filters.paths),
        ("user", filters.users),
        ("trust", filters.trusts),
        ("pinned", [] if filters.pinned is None else ["yes" if filters.pinned else "no"]),
    ]


def _terms(name: str, value: str, vocabulary: Vocabulary) -> list[str]:
    """The terms that a value of a condition stands for."""
    if name == "path":
        like = _like(path_term(value))
        return [path for path, _ in vocabulary.beginning("path", "") if like(path)]
    prefix, said = f"{name}:", clean(value.lower())
    tests = {"type": methodcaller("startswith", said), "from": methodcaller("__contains__", said)}
    fits = tests.get(name, partial(eq, said))
    known = (term for term, _ in vocabulary.beginning("facet", prefix))
    return [term for term in known if fits(term.removeprefix(prefix))]


def _in_files(paths: Collection[str], vocabulary: Vocabulary) -> Query:
    """The entries of these files; where they are most of all, those of no other: a set costs by its size."""
    every = [path for path, _ in vocabulary.beginning("path", "")]
    if 2 * len(paths) <= len(every):
        return in_set("path", paths)
    others = set(every).difference(paths)
    clauses = [(Occur.Must, Query.all_query())]
    return Query.boolean_query([*clauses, (Occur.MustNot, in_set("path", others))] if others else clauses)


def _like(part: str) -> Callable[[str], object]:
    """Paths with ``part`` in them; where it has wildcards, paths that are like it as a whole."""
    if "*" not in part and "?" not in part:
        return methodcaller("__contains__", part)
    # Python's translation of a glob never goes back behind a star that it has passed.
    glob = re.sub(r"\*+", "*", part).replace("[", "[[]")
    return re.compile(fnmatch.translate(glob)).match
