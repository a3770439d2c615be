"""When two names of entities may be one, and when automation must never take them for one."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

_WORD = re.compile(r"[^\W_]+")
_DIGITS = re.compile(r"\d")
_ROMAN = re.compile(r"[ivx]{1,5}")
_APART = (
    ("north", "south", "east", "west"),
    ("old", "new"),
    ("internal", "external"),
    ("frontend", "backend", "front", "back"),
    ("client", "server"),
    ("production", "prod", "staging", "stage", "dev", "development", "test", "testing"),
    ("upper", "lower"),
    ("senior", "junior", "sr", "jr"),
    ("first", "second", "third"),
    ("left", "right"),
    ("alpha", "beta", "gamma", "delta"),
)
"""Words of which a name has one, and another name the other: they are two of a kind."""


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name, blind to case, accents and punctuation."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    return tuple(_WORD.findall("".join(c for c in plain if not unicodedata.combining(c))))


def likeness(one: str, other: str) -> float:
    """The Jaro-Winkler similarity of two names in [0, 1], blind to case, accents and punctuation."""
    from rapidfuzz.distance import JaroWinkler  # noqa: PLC0415 - for those who look for duplicates alone

    return float(JaroWinkler.similarity(" ".join(words_of(one)), " ".join(words_of(other))))


def why_apart(one: str, other: str, kind: str) -> str:
    """Why two names must never be taken for one without a person; empty where nothing says so.

    Numbers that differ (`Atlas v1`, `Atlas v2`), words of a series (`staging`, `production`), and of people
    any name that differs: `Anna` and `Anne` are two, and so may `Sarah` and `Sarah Chen` be.
    """
    first, second = words_of(one), words_of(other)
    if sorted(filter(_is_number, first)) != sorted(filter(_is_number, second)):
        return "their numbers differ"
    lost, won = Counter(first) - Counter(second), Counter(second) - Counter(first)
    for series in _APART:
        if any(word in series for word in (*lost, *won)):
            return "they are named as two of a kind"
    if kind == "person" and (lost or won):
        return "people with other names are other people until somebody says so"
    return ""


def numbered_apart(one: str, other: str) -> bool:
    """Whether both names have numbers in digits, and others: `gauge 7` and `gauge 12` are two of a row."""
    first, second = (sorted(word for word in words_of(name) if _DIGITS.search(word)) for name in (one, other))
    return bool(first) and bool(second) and first != second


def _is_number(word: str) -> bool:
    return bool(_DIGITS.search(word)) or bool(_ROMAN.fullmatch(word)) or (len(word) == 1 and word.isalpha())
