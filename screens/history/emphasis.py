"""Which words of a changed line are others than before: brought out in both of its versions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from screens.drawing.rows import Tone

Ranges = tuple[tuple[int, int, Tone], ...]
_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_LONGEST = 200
"""Words and signs of a line beyond which its versions are not compared, since that takes their product."""
_MOST = 400
"""Pairs of lines that are compared at all."""
_LIKE = 0.4
"""How much of two lines must be the same for the rest to be worth bringing out."""


def emphasised(lines: Sequence[str]) -> dict[int, Ranges]:
    """By the number of each line of a unified diff the ranges of it that changed.

    A run of lines that go, followed by as many that come, is taken for those lines rewritten.
    """
    found: dict[int, Ranges] = {}
    for count, (old, new) in enumerate(_pairs(lines)):
        if count == _MOST:
            break
        before, after = _changed(lines[old], lines[new])
        if before or after:
            found[old], found[new] = before, after
    return {number: ranges for number, ranges in found.items() if ranges}


def _pairs(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    at = 0
    while at < len(lines):
        gone = _run(lines, at, "-")
        came = _run(lines, at + gone, "+")
        if gone and gone == came:
            yield from ((at + n, at + gone + n) for n in range(gone))
        at += max(1, gone + came)


def _run(lines: Sequence[str], start: int, sign: str) -> int:
    at = start
    while at < len(lines) and lines[at].startswith(sign) and not lines[at].startswith(sign * 3 + " "):
        at += 1
    return at - start


def _changed(old: str, new: str) -> tuple[Ranges, Ranges]:
    """The ranges that differ; none where the two have little in common, or are too long."""
    before, after = _WORD.findall(old[1:]), _WORD.findall(new[1:])
    if max(len(before), len(after)) > _LONGEST:
        return (), ()
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    if matcher.ratio() < _LIKE:
        return (), ()
    codes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    return (
        _ranges(before, [(code[1], code[2]) for code in codes]),
        _ranges(after, [(code[3], code[4]) for code in codes]),
    )


def _ranges(words: Sequence[str], spans: Sequence[tuple[int, int]]) -> Ranges:
    starts = [1]
    for word in words:
        starts.append(starts[-1] + len(word))
    return tuple((starts[first], starts[last], "match") for first, last in spans if first < last)
