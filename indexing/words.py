"""Which words of a text are searched for, and how: plain, exact, and of scripts without blanks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import date

EXACT_CHARACTERS = 200
"""Longer exact tokens are cut to this length, in documents and in queries alike."""

_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_CHUNK = re.compile(r"\S+")
_AROUND = "\"'“”‘’„«»()[]{}<>,;:!?.…*`|"
_INNER = re.compile(r"[/:=,;()\[\]{}<>\"'`|?&#@]+")
_CODE = re.compile(r"[\w.+~%-]*(?:[_.\d+~%-][\w]|[a-z][A-Z]|[A-Z]{2})[\w.+~%-]*")
_BLANKLESS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3100-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+"
)

# Function words of English carry no topic; in an OR query they only drag in whatever repeats them.
# They are indexed like all others, and searched for when a query has nothing else.
_FUNCTION_WORDS = """
    a an and are as at be been being but by can could d did didn do does doesn doing don done for
    from had has have having he her hers him his how i if in into is isn it its ll m me might must my
    no nor not of on or our re s shall she should so some such t than that the their them then there
    these they this those to too us ve was wasn we were what when where which while who whom whose why
    will with would you your"""
STOP_WORDS = frozenset(_FUNCTION_WORDS.split())


def normal(text: str) -> str:
    """``text`` with compatibility forms (full-width letters, ligatures) made plain."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def date_words(day: date | None) -> str:
    """``14 March 2026``: a date as a person would ask for it."""
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}" if day else ""


def exact_tokens(text: str) -> list[str]:
    """Identifiers, paths, URLs, addresses, versions, codes: lower case, each once, not stemmed.

    A chunk between blanks counts whole, without its scheme, and in its parts, so that
    ``https://example.org/a_b`` is found by itself, by ``example.org/a_b``, ``example.org`` and ``a_b``.
    """
    return list(dict.fromkeys(token.lower()[:EXACT_CHARACTERS] for token in _exact(text)))


def _exact(text: str) -> Iterator[str]:
    for found in _CHUNK.finditer(text):
        chunk = found[0]
        chunk = chunk.strip(_AROUND)
        if chunk[1:].islower() and chunk.isalpha():
            continue  # the usual case: a plain word
        if len(chunk) < 2 or chunk.isalpha() or chunk.isdigit():
            if _CODE.fullmatch(chunk) and not chunk.isdigit():
                yield chunk
            continue
        if not any(character.isalnum() for character in chunk):
            continue
        yield chunk
        scheme, mark, rest = chunk.partition("://")
        if mark and scheme.isalpha():
            yield rest.rstrip("/")
        for part in _INNER.split(chunk):
            bare = part.strip(_AROUND + "-")
            if bare != chunk and len(bare) > 1 and not bare.isdigit() and _CODE.fullmatch(bare):
                yield bare


def bigrams(text: str) -> list[str]:
    """Every two neighbouring characters of the scripts that set no blanks; a lone one by itself."""
    out: dict[str, None] = {}
    if not text.isascii():
        for found in _BLANKLESS.finditer(text):
            run = found[0]
            pairs = [run[at : at + 2] for at in range(len(run) - 1)] or [run]
            out.update(dict.fromkeys(pairs))
    return list(out)


def blankless(word: str) -> bool:
    """Whether ``word`` belongs to a script that is searched for by its bigrams."""
    return bool(_BLANKLESS.fullmatch(word))
