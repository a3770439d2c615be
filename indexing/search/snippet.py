"""The part of an entry that is shown, and which words in it were asked for."""

from __future__ import annotations

import re

from indexing.lexical.schema import stemmed, words
from indexing.lexical.terms import Terms
from indexing.search.answer import SNIPPET_CHARACTERS
from indexing.words import JOINED, WORD, exact_tokens, normal

_LEAD = 120
_REACH = 40
"""How far to go for a blank at which to begin or to end."""

_VIRAMAS = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca\u1039\u17d2"
_BEGINS = re.compile(f"(?<![\u200d{_VIRAMAS}])(?<![\U0001f1e6-\U0001f1ff])[^\\s{JOINED}]")
"""A character before which a text may be cut."""


def snippet(text: str, terms: Terms) -> str:
    """``text`` itself where it is short, else the part of it with the most of what was asked for.

    At most ``SNIPPET_CHARACTERS`` characters; no word is cut, and where there are no words nothing that is
    seen as one character.
    """
    if len(text) <= SNIPPET_CHARACTERS:
        return text
    start = _start(text, _best(found_in(text, terms)))
    room = SNIPPET_CHARACTERS - 1 - bool(start)
    end = len(text) if start + room >= len(text) else _end(text, start + room)
    return ("…" if start else "") + text[start:end].rstrip() + ("…" if end < len(text) else "")


def found_in(text: str, terms: Terms) -> list[tuple[int, int, str]]:
    """Character ranges of ``text`` in order, each with the term of the question that stands there."""
    wanted = {*terms.stems, *terms.guessed}
    found = []
    known: dict[str, str] = {}
    for match in WORD.finditer(text):
        word = match[0]
        if word not in known:
            known[word] = _asked(word, wanted, terms.beginning)
        if known[word]:
            found.append((*match.span(), known[word]))
    lower = text.lower()
    if len(lower) == len(text):
        for token in dict.fromkeys((*terms.exact, *terms.pairs, *terms.lone, *terms.openings)):
            found += [(*match.span(), token) for match in re.finditer(re.escape(token), lower)]
    return sorted(found)


def exact_in(text: str, terms: Terms) -> list[str]:
    """The exact tokens of the question that stand in ``text``."""
    present = set(exact_tokens(normal(text)))
    return [token for token in terms.exact if token in present]


def _asked(word: str, wanted: set[str], beginning: str) -> str:
    """The term of the question that ``word`` is, or nothing."""
    plain = normal(word)
    for stem in stemmed().analyze(plain):
        if stem in wanted:
            return stem
    if beginning and any(typed.startswith(beginning) for typed in words().analyze(plain)):
        return beginning
    return ""


def _best(found: list[tuple[int, int, str]]) -> int:
    """Where the stretch begins that has the most different terms, and of these the most of all."""
    reach = SNIPPET_CHARACTERS - 2 * _LEAD
    best, at = (0, 0), 0
    last = 0
    for first, (start, _, _) in enumerate(found):
        while last < len(found) and found[last][1] <= start + reach:
            last += 1
        here = found[first:last]
        if (worth := (len({term for _, _, term in here}), len(here))) > best:
            best, at = worth, start
    return at


def _start(text: str, at: int) -> int:
    """Where to begin, so that ``at`` has something before it and no word is cut."""
    if at <= _LEAD:
        return 0
    start = min(at - _LEAD, max(0, len(text) - SNIPPET_CHARACTERS + 2))
    for place in range(start, min(start + _REACH, at)):
        if text[place - 1].isspace() and not text[place].isspace():
            return place
    return next((place for place in range(start, at) if _BEGINS.match(text, place)), at)


def _end(text: str, end: int) -> int:
    """Where to end, at ``end`` or before it, so that no word is cut."""
    if text[end].isspace():
        return end
    for place in range(end, end - _REACH, -1):
        if text[place - 1].isspace():
            return place
    return next((place for place in range(end, 0, -1) if _BEGINS.match(text, place)), end)
