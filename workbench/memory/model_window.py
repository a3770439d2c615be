"""Cutting long text into pieces that fit the embedding model's window.

The tokenizer belongs to the index; memory only needs an upper estimate of how many word pieces a text
becomes, so that what a tokenizer would cut off becomes another entry instead of being lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

WINDOW = 250
"""Word pieces an entry may have: the 256 of all-MiniLM-L6-v2, less its two marks and a little air."""

MOST_PARTS = 20
"""Parts of one long line that something is learnt from: more is a file that was pasted. All are searched."""

_LETTERS, _DIGITS = re.compile("[A-Za-z]+"), re.compile(r"\d+")
_CUTS = (
    re.compile(r"\n"),
    re.compile(r"(?<=[.!?…])[\"')\]*_`]*[ \t]+|(?<=[。！？；])"),
    re.compile(r"[ \t]+"),
)
"""Where text is cut: at line ends first, then at sentence ends, then at blanks."""
_SAMPLE = 4096


def word_pieces(text: str) -> int:
    """An estimate from above of the word pieces in ``text`` (English words of up to 7 letters are one)."""
    letters, digits = (list(map(len, run.findall(text))) for run in (_LETTERS, _DIGITS))
    others = len("".join(text.split())) - sum(letters) - sum(digits)
    long = sum((length + 3) // 4 - 1 for length in letters if length > 7)
    return len(letters) + long + sum((length + 1) // 2 for length in digits) + others


def fits(text: str) -> bool:
    """Whether ``text`` is one piece."""
    # A piece has at least one character, and the start of long text may say enough: no counting for these.
    if len(text) <= WINDOW:
        return True
    if len(text) > _SAMPLE and word_pieces(text[:_SAMPLE]) > WINDOW:
        return False
    return word_pieces(text) <= WINDOW


def pieces(text: str) -> list[tuple[int, int]]:
    """Character ranges that divide ``text``, each within the window.

    Cuts at line ends first, then at sentence ends, then at blanks, and in the middle of a word only
    when a word alone is longer than the window.
    """
    out: list[tuple[int, int]] = []
    start, size = 0, 0
    for begin, _, cost in _atoms(text, 0, len(text), 0):
        if size and size + cost > WINDOW:
            out.append((start, begin))
            start, size = begin, 0
        size += cost
    out.append((start, len(text)))
    return out


def _atoms(text: str, start: int, end: int, level: int) -> Iterator[tuple[int, int, int]]:
    """Ranges that are not cut further, with their cost."""
    for begin, stop in _cut(text, start, end, level):
        cost = word_pieces(text[begin:stop])
        if cost <= WINDOW:
            yield begin, stop, cost
        elif level < len(_CUTS):
            yield from _atoms(text, begin, stop, level + 1)


def _cut(text: str, start: int, end: int, level: int) -> Iterator[tuple[int, int]]:
    marks: Iterable[int] = range(WINDOW // 2, end - start, WINDOW // 2)
    if level < len(_CUTS):
        marks = (found.end() for found in _CUTS[level].finditer(text[start:end]))
    at = start
    for mark in marks:
        if start + mark > at:
            yield at, start + mark
            at = start + mark
    if at < end:
        yield at, end
