"""From the conditions of a question to a tantivy query that scores nothing."""

from __future__ import annotations

from collections.abc import Iterable

from tantivy import FieldType, Occur, Query

from indexing.document import kind_code, path_term
from indexing.filters import Filters
from indexing.lexical.schema import schema, stemmed, words
from indexing.question import Question
from indexing.words import bigrams, blankless, exact_tokens, normal

_SPECIAL = frozenset(r"\.+*?()|[]{}^$#&-~/<>@\"")


def conditions(question: Question) -> list[tuple[Occur, Query]]:
    """What must and must not hold of an entry, as clauses; none where everything is in question."""
    clauses = [(Occur.Must, one) for one in _holding(question.within)]
    clauses += [(Occur.Must, one) for text in question.phrases if (one := _standing(text, whole=True))]
    out = _any(_holding(question.without))
    clauses += [(Occur.MustNot, out)] if out else []
    clauses += [(Occur.MustNot, one) for text in question.excluded if (one := _standing(text, whole=False))]
    return [(occur, Query.const_score_query(one, 0.0)) for occur, one in clauses]


def narrowed(scored: Query, question: Question) -> Query:
    """``scored`` within the conditions of the question, which add nothing to a score."""
    clauses = conditions(question)
    return Query.boolean_query([(Occur.Must, scored), *clauses]) if clauses else scored


def allowed(question: Question) -> Query:
    """All entries that the conditions leave, each with the same score."""
    everything = Query.const_score_query(Query.all_query(), 1.0)
    return narrowed(everything, question)


def escaped(text: str) -> str:
    """``text`` as a regular expression of the engine that means just itself."""
    return "".join(f"\\{one}" if one in _SPECIAL else one for one in text)


def _holding(filters: Filters) -> list[Query]:
    """One query a field that says something."""
    out: list[Query | None] = []
    if filters.kinds:
        out.append(Query.term_set_query(schema(), "kind", sorted(map(kind_code, filters.kinds))))
    if filters.since or filters.until:
        first = filters.since.toordinal() if filters.since else 1
        last = filters.until.toordinal() if filters.until else None
        out.append(Query.range_query(schema(), "day", FieldType.Unsigned, first, last))
    if filters.pinned is not None:
        out.append(_facet(f"pinned:{'yes' if filters.pinned else 'no'}"))
    if filters.trusts:
        out.append(_any(_facet(f"trust:{trust}") for trust in sorted(filters.trusts)))
    if filters.users:
        out.append(_any(_facet(f"user:{user.lower()}") for user in sorted(filters.users)))
    out.append(_any(_facet_with("type:", part, inside=False) for part in sorted(filters.types)))
    out.append(_any(_facet_with("from:", part, inside=True) for part in sorted(filters.sources)))
    out.append(_any(_in_path(part) for part in sorted(filters.paths)))
    return [one for one in out if one is not None]


def _any(queries: Iterable[Query]) -> Query | None:
    parts = [(Occur.Should, one) for one in queries]
    return Query.boolean_query(parts) if parts else None


def _facet(term: str) -> Query:
    return Query.term_query(schema(), "facet", term, "basic")


def _facet_with(name: str, part: str, *, inside: bool) -> Query:
    before = ".*" if inside else ""
    return Query.regex_query(schema(), "facet", f"{escaped(name)}{before}{escaped(part.lower())}.*")


def _in_path(part: str) -> Query:
    """Paths with ``part`` in them; where it has wildcards, paths that are like it as a whole."""
    wanted = path_term(part)
    if "*" in wanted or "?" in wanted:
        pattern = "".join({"*": ".*", "?": "."}.get(one, escaped(one)) for one in wanted)
    else:
        pattern = f".*{escaped(wanted)}.*"
    return Query.regex_query(schema(), "path", pattern)


def _standing(text: str, *, whole: bool) -> Query | None:
    """Entries in which ``text`` stands, word for word; a lone word that is not ``whole`` by its stem."""
    plain = normal(text).encode("utf-8", "replace").decode()
    pairs = [_term("pairs", pair) for pair in bigrams(plain)]
    said = [word for word in words().analyze(plain) if not blankless(word)]
    parts = [(Occur.Must, one) for one in pairs]
    exact = exact_tokens(plain)
    if not whole and len(said) == 1:
        parts += [(Occur.Must, _term("text", stem)) for stem in stemmed().analyze(said[0])]
    elif exact and " " not in plain.strip():
        parts.append((Occur.Must, _term("exact", exact[0])))
    elif len(said) > 1:
        parts.append((Occur.Must, Query.phrase_query(schema(), "typed", list(said))))
    elif said:
        parts.append((Occur.Must, _term("typed", said[0])))
    return Query.boolean_query(parts) if parts else None


def _term(field: str, value: str) -> Query:
    return Query.term_query(schema(), field, value, "basic")
