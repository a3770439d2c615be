"""When two claims fill the same slot with different values: the newer one may replace the older.

A rule sees little, and says only what it sees: two texts of the same words that differ in their numbers
alone (`the staging port is 8443`, `… 8444`), a statement of one thing with two values (`X is Y`), and a
text beside its own negation (`uses Redis`, `no longer uses Redis`).
"""

from __future__ import annotations

import re

from workbench.memory.claims import claim_words
from workbench.memory.near_duplicates import distinction

_LEAST = 2
"""Words beside the value that a slot must be named by."""
_DIGIT = re.compile(r"\d")
_IS = frozenset({"is", "=", "are", "→", "equals"})
_NOW = frozenset({"now", "currently", "today", "actually", "meanwhile", "anymore", "more", "longer", "any"})
_ARTICLES = frozenset({"a", "an", "the", "our", "my", "does", "do", "did", "to", "it", "s", "we", "i"})
_MOST = 4
"""Words that a value has at most."""


def contradicts(newer: str, older: str) -> bool:
    """Whether ``newer`` gives a slot of ``older`` another value."""
    one, other = _telling(newer), _telling(older)
    return _other_number(one, other) or _other_value(one, other) or _negates(newer, older, one, other)


def _telling(text: str) -> tuple[str, ...]:
    return tuple(word for word in claim_words(text) if word not in _NOW)


def _other_number(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """The same words in the same order, but for one number: two that differ are of two things."""
    if one == other or len(one) != len(other):
        return False
    pairs = list(zip(one, other, strict=True))
    apart = [(a, b) for a, b in pairs if a != b]
    named = [a for a, b in pairs if a == b and a not in _ARTICLES and a not in _IS]
    return len(named) >= _LEAST and len(apart) == 1 and all(map(_DIGIT.search, apart[0]))


def _other_value(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """`S is V` beside `S is W`: the same subject of at least two words, values of a few words."""
    said, before = _statement(one), _statement(other)
    if said is None or before is None or said[0] != before[0]:
        return False
    values = set(said[1]), set(before[1])
    return bool(values[0]) and not (values[0] <= values[1] or values[1] <= values[0])


def _statement(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    at = next((n for n, word in enumerate(words) if word in _IS), 0)
    subject = tuple(word for word in words[:at] if word not in _ARTICLES)
    value = tuple(word for word in words[at + 1 :] if word not in _ARTICLES)
    if len(subject) < _LEAST or not 0 < len(value) <= _MOST:
        return None
    return subject, value


def _negates(newer: str, older: str, one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """The same words but for what turns one of them round."""
    turned, before = distinction(newer), distinction(older)
    if bool(turned.turns) == bool(before.turns) or turned.numbers != before.numbers:
        return False
    bare, bare_before = (
        frozenset(_stem(word) for word in words if word not in turns and word not in _ARTICLES)
        for words, turns in ((one, turned.turns), (other, before.turns))
    )
    return bare == bare_before and len(bare) >= _LEAST


def _stem(word: str) -> str:
    """`uses` and `use` alike: negation takes the ending away."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
