"""A question fitted to what the index has: nothing is left out or replaced without a word about it.

A model of meaning has no notion of ``ERR_POOL_TIMEOUT`` or of a hash: what it finds near to one is chance,
and for such a question its vote takes the first place from the entry that has it. So it is measured how much
of a question is said exactly, and ``ranking`` lets meaning count less, the more that is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from rapidfuzz.distance import OSA
from tantivy import Occur, Query

from indexing.document import unpacked
from indexing.lexical.filter_query import standing, unmet
from indexing.lexical.schema import any_of, in_set, schema, stemmed, words
from indexing.lexical.terms import MAX_CHARACTERS, NO_TERMS, Terms, terms_of
from indexing.lexical.vocabulary import Vocabulary
from indexing.query.question import Question
from indexing.words import (
    AROUND,
    STOP_WORDS,
    bigrams,
    blankless_runs,
    exact_tokens,
    identifies,
    normal,
    without_runs,
)

_CHUNK = re.compile(r"\S+")
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
        notes.append(f"only the first {MAX_CHARACTERS:,} characters were looked at")
    phrases = _found_phrases(question, vocabulary, notes)
    notes += _doubtful_exclusions(question, vocabulary)
    notes += unmet(question.within, vocabulary)
    instead = _guesses(question, vocabulary) if guess else ()
    for word, offered in instead:
        other = " and ".join(f"“{one}”" for one in offered)
        notes.append(f"nothing has “{word}”; looked for {other}")
    if question.text.strip() and not (question.prefix or terms_of(question.text)):
        notes.append("there is nothing in it to look for")
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
            notes.append(f"“{phrase}” has nothing in it to look for")
        elif vocabulary.searcher.search(query, 1, count=False).hits:
            kept.append(phrase)
        else:
            notes.append(f"no entry has “{phrase}” as it stands; its words were looked for")
    return tuple(kept)


def _doubtful_exclusions(question: Question, vocabulary: Vocabulary) -> Iterator[str]:
    for text in question.excluded:
        if standing(text, vocabulary, whole=False) is None:
            yield f"-“{text}” leaves nothing out"
        elif vocabulary.count("exact", f"-{text}".lower()):
            yield f'-{text} leaves out entries with “{text}”; quoted, "-{text}" is looked for as it stands'


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
    return begun and bool(vocabulary.beginning("typed", plain) or vocabulary.beginning("heading", plain))


def _plain_words(text: str) -> Iterator[tuple[str, str, bool]]:
    """The words of ``text`` that are no identifiers: as they stand, in plain form, whether one ends it."""
    for found in _CHUNK.finditer(text):
        chunk = _OWNER.sub("", found[0].strip(_AROUND))
        for part in _PARTS.split(chunk):
            if not part.isalpha() or not (part.islower() or part.isupper() or part.istitle()):
                continue
            plain = words().analyze(normal(part))
            if len(plain) == 1 and plain[0] not in STOP_WORDS:
                yield part, plain[0], text.endswith(part)


def exactness(question: Question, vocabulary: Vocabulary) -> float:
    """The share of what ``question`` says that it says exactly, in [0, 1]; function words do not count.

    An identifier counts as one word, where some entry has it or, of one whose beginning is enough, one that
    begins so. Of quotes all words count. Raises what the engine raises.
    """
    left = question.text
    quoted = 0
    for phrase in (*question.phrases, *question.preferred):
        quoted += topics(phrase)
        left = left.replace(phrase, " ", 1)
    named, spoken = 0, 0
    for found in _CHUNK.finditer(normal(left)):
        if _is_name(found[0].strip(AROUND), vocabulary):
            named += 1
        else:
            spoken += topics(found[0])
    exact = quoted + named
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
    return sum(word not in STOP_WORDS for word in said) + len(bigrams(plain))


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
    fields = ("typed", "heading")
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
        seen |= {stem for one in new for stem in stemmed().analyze(one)}
