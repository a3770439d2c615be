"""How alike two versions of an entry or a file are, by which plain commits are read as edits and renames."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from workbench.memory.entry import Entry
from workbench.memory.file_edit import hunks
from workbench.memory.markdown import Document

SAME_ENTRY = 0.5
SAME_FILE = 0.6
_WORD = re.compile(r"[\u2e80-\U0003ffff]|[^\W\u2e80-\U0003ffff]+")
_MOST_WORDS = 400


def entry_likeness(one: str, other: str) -> float:
    """How much of two entries' text is the same, in [0, 1]; judged by the first words of long ones.

    It is the share of words that both have in the same order, ``2 m / (a + b)`` (Indel over words; characters
    of scripts without blanks count as words). From ``SAME_ENTRY`` on one is the other, edited.
    """
    words, others = (_WORD.findall(text.casefold())[:_MOST_WORDS] for text in (one, other))
    if not words and not others:
        return 1.0 if one.split() == other.split() else 0.0
    from rapidfuzz.distance import Indel  # noqa: PLC0415 - few questions of the history need it

    return Indel.normalized_similarity(words, others, score_cutoff=SAME_ENTRY)


def file_likeness(one: bytes, other: bytes) -> float:
    """How many of two files' lines are the same, in [0, 1].

    It is the share of lines with words that both have, ``2 m / (a + b)`` over multisets. Above ``SAME_FILE``
    one is the other, renamed.
    """
    lines = [Counter(line.strip() for line in data.split(b"\n") if line.strip()) for data in (one, other)]
    total = sum(lines[0].values()) + sum(lines[1].values())
    return 2 * sum((lines[0] & lines[1]).values()) / total if total else 0.0


def counterpart(entry: Entry, here: Document, there: Document) -> Entry | None:
    """Which entry of another version ``entry`` was, or became: the likest that stands in the same change.

    Only what the other version has more often than this one can be it.
    """
    places = [
        range(hunk.was, hunk.was + len(hunk.old))
        for hunk in hunks(there.data, here.data)
        if _meet(range(hunk.at, hunk.at + len(hunk.new)), _lines(entry))
    ]
    gone = Counter(one.hash for one in there.entries) - Counter(one.hash for one in here.entries)
    near = [e for e in there.entries if e.hash in gone and any(_meet(place, _lines(e)) for place in places)]
    return likest(entry, near)


def likest(entry: Entry, candidates: Iterable[Entry]) -> Entry | None:
    """The candidate that is most like ``entry``, if any is like it enough."""
    ranked = [(entry_likeness(entry.text, one.text), one) for one in candidates]
    best = max(ranked, key=lambda pair: pair[0], default=(0.0, entry))
    return best[1] if best[0] >= SAME_ENTRY else None


def _lines(entry: Entry) -> range:
    return range(entry.start_line - 1, entry.end_line)


def _meet(one: range, other: range) -> bool:
    return one.start < other.stop and other.start < one.stop
