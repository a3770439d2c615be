"""How much of a question is said exactly: identifiers that stand in some entry, and words in quotes.

A model of meaning has no notion of ``ERR_POOL_TIMEOUT`` or of a hash: what it finds near to one is chance,
and for such a question its vote takes the first place from the entry that has it. So ``ranking`` lets
meaning count less, the more of a question is said exactly.
"""

from __future__ import annotations

import re

from indexing.lexical.schema import words
from indexing.lexical.vocabulary import Vocabulary
from indexing.query.question import Question
from indexing.words import AROUND, STOP_WORDS, bigrams, exact_tokens, identifies, normal, without_runs

_CHUNK = re.compile(r"\S+")
_SPOKEN = re.compile(r"(?:[^\W\d_]+(?:[-'’/&][^\W\d_]+)*|(?:[^\W\d_]\.)+[^\W\d_]?)[+]?")
"""Words and their compounds: ``self-care``, ``Nate's``, ``and/or``, ``U.S.``, ``LGBTQ+``."""

_JOINED_CASE = re.compile(r"[a-z][A-Z]")
_COUNTED = re.compile(
    r"\d{1,4}(?:st|nd|rd|th|[a-z])?|\d{1,4}[.:,/-]\d{1,4}(?:[./-]\d{1,4})?%?", re.IGNORECASE
)
"""Numbers, times and days, which people say in words too. ``1.2.3`` is as well a day as a version."""


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
