"""Where words stand in lines of text: pure functions for the preview's find."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

MOST = 10_000
"""Matches that are counted; nobody steps through more."""


class TextMatch(NamedTuple):
    """Characters ``start`` up to ``end`` of line ``line``."""

    line: int
    start: int
    end: int


def matches_in(lines: Sequence[str], sought: str) -> tuple[TextMatch, ...]:
    """Every place where ``sought`` stands; capitals count only where it has some itself."""
    if not sought.strip():
        return ()
    pattern = re.compile(re.escape(sought), 0 if sought != sought.lower() else re.IGNORECASE)
    found: list[TextMatch] = []
    for at, line in enumerate(lines):
        found += (TextMatch(at, *match.span()) for match in pattern.finditer(line))
        if len(found) >= MOST:
            break
    return tuple(found[:MOST])


def spans_in(
    matches: Sequence[TextMatch], line: int, start: int, length: int
) -> Iterator[tuple[int, int, TextMatch]]:
    """What of these matches stands in a part of a line: its range within the part, and the match."""
    at = bisect_left(matches, TextMatch(line, 0, 0))
    while at < len(matches) and matches[at].line == line:
        match = matches[at]
        begin, end = max(0, match.start - start), min(length, match.end - start)
        if begin < end:
            yield begin, end, match
        at += 1
