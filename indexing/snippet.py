"""The part of an entry that is shown, and which words in it were asked for."""

from __future__ import annotations

import re

from indexing.answer import SNIPPET_CHARACTERS
from indexing.lexical.schema import stemmed, words
from indexing.lexical.terms import Terms
from indexing.words import exact_tokens

_WORD = re.compile(r"[^\W_]+")
_LEAD = 120


def snippet(text: str, terms: Terms) -> str:
    """``text`` itself where it is short, else the part of it around the first words asked for."""
    if len(text) <= SNIPPET_CHARACTERS:
        return text
    marks = highlights(text, terms)
    start = max(0, marks[0][0] - _LEAD) if marks else 0
    start = min(start, len(text) - SNIPPET_CHARACTERS + 2)
    while 0 < start < len(text) and not text[start - 1].isspace() and start % 40:
        start -= 1
    lead = "…" if start else ""
    room = SNIPPET_CHARACTERS - len(lead) - 1
    tail = "…" if start + room < len(text) else ""
    return lead + text[start : start + room] + tail


def highlights(text: str, terms: Terms) -> list[tuple[int, int]]:
    """Character ranges of ``text`` whose words were asked for, in order, without overlaps."""
    wanted, found = set(terms.stems), []
    for match in _WORD.finditer(text):
        word = match[0]
        stems = stemmed().analyze(word)
        beginning = bool(terms.beginning) and any(
            plain.startswith(terms.beginning) for plain in words().analyze(word)
        )
        if beginning or not wanted.isdisjoint(stems):
            found.append(match.span())
    lower = text.lower()
    if len(lower) == len(text):
        for token in (*terms.exact, *terms.pairs):
            found += [m.span() for m in re.finditer(re.escape(token), lower)]
    return _merged(found)


def exact_in(text: str, terms: Terms) -> list[str]:
    """The exact tokens of the question that stand in ``text``."""
    present = set(exact_tokens(text))
    return [token for token in terms.exact if token in present]


def _merged(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return out
