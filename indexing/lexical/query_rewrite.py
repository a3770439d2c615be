"""A parsed question fitted to the index: queries for its conditions, near words in place of unknown ones, and
the share of it that keywords answer better than vectors. Each change is noted in ``Question.notes``.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import chain

from rapidfuzz.distance import OSA
from tantivy import FieldType, Occur, Query

from indexing.document import kind_code, path_term, unpacked
from indexing.lexical.terms import (
    MAX_CHARACTERS,
    MAX_WORDS,
    NO_TERMS,
    Terms,
    Vocabulary,
    any_of,
    in_sequence,
    in_set,
    schema,
    stemmed,
    terms_of,
    words,
)
from indexing.query.question import Filters, Question
from indexing.words import (
    AROUND,
    STOP_WORDS,
    bigrams,
    blankless_runs,
    clean,
    exact_tokens,
    identifies,
    normal,
    stop_words,
    without_runs,
)

# -- conditions as queries that add nothing to a score -----------------------------------------------
# A pattern never becomes an automaton of the engine, which a long one would break: paths and sources that
# match are looked up among those of the index.


def narrowed(scored: Query, question: Question, vocabulary: Vocabulary) -> Query:
    """``scored`` within the conditions of the question, which add nothing to a score."""
    phrases = (standing(text, vocabulary) for text in question.phrases)
    # An entry is not left out for its heading or the name of its file, which all of a file may have.
    excluded = (standing(text, vocabulary, whole=False, titles=False) for text in question.excluded)
    wanted = [*_holding(question.within, vocabulary), *phrases]
    unwanted = [*_holding(question.without, vocabulary), *excluded]
    clauses = [(Occur.Must, one) for one in wanted if one]
    clauses += [(Occur.MustNot, one) for one in unwanted if one]
    if not clauses:
        return scored
    unscored = ((occur, Query.const_score_query(one, 0.0)) for occur, one in clauses)
    return Query.boolean_query([(Occur.Must, scored), *unscored])


def allowed(question: Question, vocabulary: Vocabulary) -> Query:
    """All entries that meet the conditions of the question, each with the same score."""
    everything = Query.const_score_query(Query.all_query(), 1.0)
    return narrowed(everything, question, vocabulary)


def preferred(question: Question, vocabulary: Vocabulary) -> list[Query]:
    """A scored query for each phrase that an entry should have but need not."""
    found = (standing(text, vocabulary) for text in question.preferred)
    return [one for one in found if one is not None]


def standing(text: str, vocabulary: Vocabulary, *, whole: bool = True, titles: bool = True) -> Query | None:
    """Entries that have ``text`` word for word, or with ``titles`` stand under a heading that has it.

    A lone word is matched by its stem unless ``whole``. None where ``text`` has nothing that is indexed.
    """
    plain = normal(text)
    parts = [_run(run, vocabulary) for run in blankless_runs(plain)[:MAX_WORDS]]
    pieces = [words().analyze(piece) for piece in without_runs(plain)]
    said = list(chain(*pieces))
    exact = exact_tokens(plain)[:MAX_WORDS]
    token = exact[0] if exact and len(plain.split()) == 1 else ""
    if token and (len(said) != 1 or token != said[0]) and (not said or vocabulary.count("exact", token)):
        # Of a lone `C++` or `.env` a heading has no more than its letters.
        in_title = [in_sequence("title", said[:MAX_WORDS])] if titles and len(said) > 1 else []
        signs = exact if not said else [token]
        parts += [any_of([in_sequence("exact", [sign]), *in_title]) for sign in signs]
    elif not whole and len(said) == 1:
        parts += [in_sequence("text", [stem]) for stem in stemmed().analyze(said[0])]
    else:
        fields = ("typed", "title") if titles else ("typed",)
        parts += [
            any_of(in_sequence(field, piece[:MAX_WORDS]) for field in fields) for piece in pieces if piece
        ]
        parts += [in_sequence("exact", [sign]) for sign in exact if not any(map(str.isalnum, sign))]
    return Query.boolean_query([(Occur.Must, one) for one in parts]) if parts else None


def _run(run: str, vocabulary: Vocabulary) -> Query:
    """Entries in which these characters of a script without blanks stand one after the other."""
    if len(run) == 1:
        return in_set("pairs", [pair for pair, _ in vocabulary.beginning("pairs", run)])
    return in_sequence("pairs", [pair for pair in bigrams(run) if len(pair) == 2][: 4 * MAX_WORDS])


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
        return _paths_like(path_term(value), vocabulary)
    said = clean(value.lower())
    if name == "from":
        known = vocabulary.beginning("facet", "from:")
        return [term for term, _ in known if said in term.removeprefix("from:")]
    whole = f"{name}:{said}"
    return [term for term, _ in vocabulary.beginning("facet", whole) if name == "type" or term == whole]


def _in_files(paths: Collection[str], vocabulary: Vocabulary) -> Query:
    """The entries of these files; where they are most of all, those of no other: a set costs by its size."""
    every = [path for path, _ in vocabulary.beginning("path", "")]
    if 2 * len(paths) <= len(every):
        return in_set("path", paths)
    others = set(every).difference(paths)
    clauses = [(Occur.Must, Query.all_query())]
    return Query.boolean_query([*clauses, (Occur.MustNot, in_set("path", others))] if others else clauses)


def _paths_like(part: str, vocabulary: Vocabulary) -> list[str]:
    """Paths with ``part`` in them; where it has wildcards, paths that are like it as a whole."""
    every = (path for path, _ in vocabulary.beginning("path", ""))
    if "*" not in part and "?" not in part:
        return [path for path in every if part in path]
    # Python's translation of a glob never goes back behind a star that it has passed.
    glob = re.sub(r"\*+", "*", part).replace("[", "[[]")
    return list(filter(re.compile(fnmatch.translate(glob)).match, every))


# -- phrases, other words, and exactness -------------------------------------------------------------

_PARTS = re.compile(r"[-‐–—/]+")
_AROUND = "\"'“”‘’„«»()[]{}<>,;:!?.…*_`|"
_OWNER = re.compile(r"['’]s?$", re.IGNORECASE)
_MOST_GUESSED = 4
_SPOKEN = re.compile(r"(?:[^\W\d_]+(?:[-'’/&][^\W\d_]+)*|(?:[^\W\d_]\.)+[^\W\d_]?)[+]?")
"""Words and their compounds: ``self-care``, ``Nate's``, ``and/or``, ``U.S.``, ``LGBTQ+``."""

_JOINED_CASE = re.compile(r"[a-z][A-Z]")
_COUNTED = re.compile(
    r"\d{1,4}(?:st|nd|rd|th|[a-z])?|\d{1,4}[.:,/-]\d{1,4}(?:[./-]\d{1,4})?%?", re.IGNORECASE
)
"""Numbers, times and days, which people say in words too. ``1.2.3`` is as well a day as a version."""

SHORTEST, LONG = 4, 8
"""Letters from which on one edit is forgiven, and two."""

LONGEST = 40
"""Longer words are not looked at: no person mistyped them."""

_SUREST = 5
_OFFERED = 3
_ROUNDS, _ENTRIES_A_ROUND = 6, 20


def fitted(question: Question, vocabulary: Vocabulary, *, guess: bool = True) -> Question:
    """``question`` with phrases that stand nowhere as words, and other words for those that no entry has.

    The latter only to ``guess``, where words are looked for and not their meaning alone.
    Each change is in its notes. Raises what the engine raises.
    """
    notes = list(question.notes)
    if len(question.text) > MAX_CHARACTERS:
        notes.append(f"only the first {MAX_CHARACTERS:,} characters were used")
    phrases = _found_phrases(question, vocabulary, notes)
    notes += _doubtful_exclusions(question, vocabulary)
    notes += [
        f"no entry has {name}:{value}"
        for name, values in _named(question.within)
        for value in sorted(values)
        if value and name in ("type", "from", "path", "user") and not _terms(name, value, vocabulary)
    ]
    instead = _guesses(question, vocabulary) if guess else ()
    for word, offered in instead:
        other = " and ".join(f"“{one}”" for one in offered)
        notes.append(f"nothing has “{word}”; searched for {other} instead")
    if question.text.strip() and not (question.prefix or terms_of(question.text)):
        notes.append("it has no searchable words")
    question = replace(question, phrases=phrases, instead=instead, notes=tuple(dict.fromkeys(notes)))
    return replace(question, exact=exactness(question, vocabulary))


@lru_cache(32)
def question_terms(question: Question) -> Terms:
    """The terms of a question, with those of the words that were put in the place of others."""
    if not question.sought.strip():
        return NO_TERMS
    guessed = [word for _, offered in question.instead for word in offered]
    return terms_of(question.sought, prefix=question.prefix, guessed=guessed)


def _found_phrases(question: Question, vocabulary: Vocabulary, notes: list[str]) -> tuple[str, ...]:
    kept = []
    for phrase in question.phrases:
        query = standing(phrase, vocabulary)
        if query is None:
            notes.append(f"“{phrase}” has no searchable words")
        elif vocabulary.searcher.search(query, 1, count=False).hits:
            kept.append(phrase)
        else:
            notes.append(f"no entry has “{phrase}” literally; its words were searched for")
    return tuple(kept)


def _doubtful_exclusions(question: Question, vocabulary: Vocabulary) -> Iterator[str]:
    for text in question.excluded:
        if standing(text, vocabulary, whole=False, titles=False) is None:
            yield f"-“{text}” excludes nothing"
        elif vocabulary.count("exact", f"-{text}".lower()):
            yield f'-{text} excludes entries with “{text}”; quoted, "-{text}" is searched for literally'


def _guesses(question: Question, vocabulary: Vocabulary) -> tuple[tuple[str, tuple[str, ...]], ...]:
    strange: dict[str, tuple[str, bool]] = {}
    familiar = False
    for word, plain, last in _plain_words(question.sought[:MAX_CHARACTERS]):
        begun = last and question.prefix
        if _known(plain, vocabulary, begun=begun):
            familiar = True
        elif forgiven(plain):
            strange.setdefault(plain, (word, begun))
    if len(strange) > _MOST_GUESSED:
        return ()  # another language, or no question at all: guesses would only be noise
    familiar = familiar or bool(blankless_runs(normal(question.text[:MAX_CHARACTERS])))
    guesses = (
        (word, nearest(plain, vocabulary, begun=begun, sure=familiar))
        for plain, (word, begun) in strange.items()
    )
    return tuple((word, offered) for word, offered in guesses if offered)


def _known(plain: str, vocabulary: Vocabulary, *, begun: bool) -> bool:
    if any(map(vocabulary.knows, stemmed().analyze(plain))) or vocabulary.count("exact", plain):
        return True
    return begun and bool(vocabulary.beginning("typed", plain) or vocabulary.beginning("title", plain))


def _plain_words(text: str) -> Iterator[tuple[str, str, bool]]:
    """The words of ``text`` that are no identifiers: as they stand, in plain form, whether one ends it."""
    functional = stop_words(text)
    for chunk in text.split():
        for part in _PARTS.split(_OWNER.sub("", chunk.strip(_AROUND))):
            if not part.isalpha() or not (part.islower() or part.isupper() or part.istitle()):
                continue
            plain = words().analyze(normal(part))
            if len(plain) == 1 and plain[0] not in functional:
                yield part, plain[0], text.endswith(part)


def exactness(question: Question, vocabulary: Vocabulary) -> float:
    """The share of what ``question`` says that it says exactly, in [0, 1]; function words do not count.

    An identifier counts as one word, where some entry has it or, of one whose beginning is enough, one that
    begins so. Of quotes all words count. Raises what the engine raises.

    An embedding model does not know ``ERR_POOL_TIMEOUT`` or a hash: its nearest entries are chance, and would
    outrank the entry that has the identifier. So ``ranking`` counts vectors less, the more is exact.
    """
    left = question.text
    exact = spoken = 0
    for phrase in (*question.phrases, *question.preferred):
        exact += topics(phrase)
        left = left.replace(phrase, " ", 1)
    for chunk in normal(left).split():
        if _is_name(chunk.strip(AROUND), vocabulary):
            exact += 1
        else:
            spoken += topics(chunk)
    return exact / (exact + spoken) if exact else 0.0


def _is_name(chunk: str, vocabulary: Vocabulary) -> bool:
    """Whether a chunk is an identifier that some entry has."""
    if (_SPOKEN.fullmatch(chunk) and not _JOINED_CASE.search(chunk)) or _COUNTED.fullmatch(chunk):
        return False
    tokens = exact_tokens(chunk)
    if any(vocabulary.count("exact", token) for token in tokens[:1]):
        return True
    beginning = chunk.lower()
    return identifies(beginning) and bool(vocabulary.beginning("exact", beginning))


def topics(text: str) -> int:
    """Words that carry a topic, and pairs of characters in scripts without blanks."""
    plain = normal(text)
    said = [word for piece in without_runs(plain) for word in words().analyze(piece)]
    functional = stop_words(plain)
    return sum(word not in functional for word in said) + len(bigrams(plain))


def forgiven(word: str) -> int:
    """How many edits ``word`` may be away from what was meant; digits are never wrong."""
    if not SHORTEST <= len(word) <= LONGEST or not word.isalpha():
        return 0
    return 2 if len(word) >= LONG else 1


def nearest(word: str, vocabulary: Vocabulary, *, begun: bool = False, sure: bool = False) -> tuple[str, ...]:
    """The words nearest to ``word``, one a stem: with the same first letter rather than nearer.

    ``begun`` compares with beginnings of words. ``sure``, for words beside others that are right, asks for
    more than likeness: ``state`` is no mistake for ``stage``. One letter behind the first may be missing,
    superfluous or swapped with the next, but none be another. Raises what the engine raises.
    """
    most = forgiven(word)
    if sure:
        most = min(most, 1) if len(word) >= _SUREST else 0
    found: dict[str, tuple[bool, int]] = {}
    if not most:
        return ()
    for candidate in _candidates(word, most, vocabulary, begun=begun):
        away = _away(word, candidate, begun=begun, sure=sure)
        if away <= most and candidate not in STOP_WORDS and candidate.isalpha():
            found[candidate] = (candidate[0] != word[0], away)
    best = min(found.values(), default=None)
    if best is None or (sure and best[0]):
        return ()
    alike = [one for one, rank in found.items() if rank == best]
    alike.sort(key=lambda one: (-vocabulary.count("typed", one), one))
    return tuple({"".join(stemmed().analyze(one)): one for one in reversed(alike)}.values())[::-1][:_OFFERED]


def _away(word: str, candidate: str, *, begun: bool, sure: bool = False) -> int:
    """How far ``candidate``, or its nearest beginning, is from ``word``; much where the lengths say so."""
    if not begun:
        return _distance(word, candidate, sure) if abs(len(word) - len(candidate)) <= 2 else len(word)
    ends = range(max(1, len(word) - 2), min(len(candidate), len(word) + 2) + 1)
    return min((_distance(word, candidate[:end], sure) for end in ends), default=len(word))


def _distance(one: str, other: str, sure: bool) -> int:
    """The letters to insert, drop, replace or swap with the next; where ``sure``, none may be replaced."""
    away = OSA.distance(one, other)
    replaced = away == 1 and len(one) == len(other) and sorted(one) != sorted(other)
    return 2 if sure and replaced else away


def _candidates(word: str, most: int, vocabulary: Vocabulary, *, begun: bool) -> Iterator[str]:
    """Words of entries that have one near to ``word``.

    The engine tells entries, not words: each round leaves out the words that the last ones found.
    """
    fields = ("typed", "title")
    near = any_of(Query.fuzzy_term_query(schema(), field, word, most, True, begun) for field in fields)
    searcher = vocabulary.searcher
    seen: set[str] = set()
    for _ in range(_ROUNDS):
        left_out = [(Occur.MustNot, in_set(field, seen)) for field in fields]
        query = Query.boolean_query([(Occur.Must, near), *left_out])
        new: set[str] = set()
        for _, address in searcher.search(query, _ENTRIES_A_ROUND, count=False).hits:
            entry, _ = unpacked(searcher.doc(address).get_first("body"))
            for text in (entry.text, *entry.heading, *entry.facets.names):
                new.update(words().analyze(normal(text)))
        new = {one for one in new - seen if _away(word, one, begun=begun) <= most}
        yield from sorted(new)
        if not new:
            return
        seen |= new
