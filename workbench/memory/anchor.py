"""The place of a block by its neighbour, so that what was taken away can come back to where it stood.

A place is written as ``7d86a1f02b3c+1``: behind the block with this hash (``~2``: the second one of its file)
under the same heading, with one line between them. ``-`` stands for the heading itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from workbench.memory.entry import Entry
from workbench.memory.invariants import Block, blocks, plain, span_of
from workbench.memory.markdown import Document
from workbench.memory.move import Destination, Passage, find_path

FIRST = "-"
_SAID = re.compile(r"(?P<name>-|[0-9a-f]{12}(?:~[0-9]{1,9})?)(?:\+(?P<gap>[0-9]{1,4}))?")


def neighbour(document: Document, passage: Passage) -> str:
    """Behind what in its section, and how many lines behind it, a passage of ``document`` stands."""
    start = span_of(passage.entries).start
    opening = max((end for end in _openings(document) if end <= start), default=0)
    before = [block for block in blocks(document) if opening <= span_of(block).start < start]
    gap = document.data.count(b"\n", span_of(before[-1]).end if before else opening, start)
    return (name_of(before[-1][0]) if before else FIRST) + (f"+{gap}" if gap else "")


def name_of(entry: Entry) -> str:
    """What an entry is called beside its neighbours: its hash, with ``~n`` for the nth of its file."""
    return entry.address.rpartition("#")[2]


def behind(document: Document, path: Sequence[str], said: str) -> Destination | None:
    """The place that ``said`` names under the heading ``path``; None when what it names is not there."""
    found = _SAID.fullmatch(said)
    start = _end_of(document, path, found["name"]) if found else None
    if found is None or start is None:
        return None
    starts = [document.line_starts[heading.first] for heading in document.headings]
    starts += [span_of(block).start for block in blocks(document)]
    limit = min((at for at in starts if at >= start), default=len(document.data))
    at = start
    for _ in range(int(found["gap"] or 0)):
        newline = document.data.find(b"\n", at, limit)
        if newline < 0:
            break
        at = newline + 1
    return Destination(tuple(path), tuple(dict.fromkeys((at, start))), as_it_stood=True)


def _end_of(document: Document, path: Sequence[str], name: str) -> int | None:
    """The byte after the block of that name under that heading, or after the heading itself."""
    if name == FIRST:
        heading = find_path(document, path) if path else None
        if path and heading is None:
            return None
        return _openings(document)[document.headings.index(heading) + 1 if heading else 0]
    under = plain(path)
    digits = name.partition("~")[0]
    same = [b for b in blocks(document) if b[0].hash == digits and plain(b[0].heading) == under]
    block: Block | None = next((b for b in same if name_of(b[0]) == name), same[-1] if same else None)
    return span_of(block).end if block else None


def _openings(document: Document) -> list[int]:
    """Where what stands under a heading begins: before the first heading, then under each."""
    header, lines = document.front_matter, document.line_starts
    top = header.body if header else lines[0]
    return [top, *(lines[min(heading.last, len(lines) - 1)] for heading in document.headings)]
