"""A question fitted to what the index has: nothing is left out or replaced without a word about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from tantivy import Searcher

from indexing.lexical.exact_match import exactness
from indexing.lexical.filter_query import standing, unmet
from indexing.lexical.schema import stemmed, words
from indexing.lexical.spelling import forgiven, nearest
from indexing.lexical.terms import MAX_CHARACTERS, NO_TERMS, Terms, terms_of
from indexing.lexical.vocabulary import Vocabulary
from indexing.query.question import Question
from indexing.words import STOP_WORDS, blankless_runs, normal

_CHUNK = re.compile(r"\S+")
_PARTS = re.compile(r"[-‐–—/]+")
_AROUND = "\"'“”‘’„«»()[]{}<>,;:!?.…*_`|"
_OWNER = re.compile(r"['’]s?$", re.IGNORECASE)
_MOST_GUESSED = 4


def fitted(question: Question, searcher: Searcher, vocabulary: Vocabulary, *, guess: bool = True) -> Question:
    """``question`` with phrases that stand nowhere as words, and other words for those that no entry has.

    The latter only to ``guess``, where words are looked for and not their meaning alone.
    Each change is in its notes. Raises what the engine raises.
    """
    notes = list(question.notes)
    if len(question.text) > MAX_CHARACTERS:
        notes.append(f"only the first {MAX_CHARACTERS:,} characters were looked at")
    phrases = _found_phrases(question, searcher, vocabulary, notes)
    notes += _doubtful_exclusions(question, vocabulary)
    notes += unmet(question.within, vocabulary)
    instead = _guesses(question, searcher, vocabulary) if guess else ()
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


def _found_phrases(
    question: Question, searcher: Searcher, vocabulary: Vocabulary, notes: list[str]
) -> tuple[str, ...]:
    kept = []
    for phrase in question.phrases:
        query = standing(phrase, vocabulary)
        if query is None:
            notes.append(f"“{phrase}” has nothing in it to look for")
        elif searcher.search(query, 1, count=False).hits:
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


def _guesses(
    question: Question, searcher: Searcher, vocabulary: Vocabulary
) -> tuple[tuple[str, tuple[str, ...]], ...]:
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
        (word, nearest(plain, searcher, vocabulary, begun=begun, sure=familiar))
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
