"""Whether a commit can have made an entry appear or vanish, told from bytes alone.

Parsing two thousand versions of a file takes a minute; looking for the entry's lines in them takes a
blink. Where its lines stand in both versions between the same neighbours, nothing happened to it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from workbench.memory.entry import entry_hash
from workbench.memory.frontmatter import read_front_matter
from workbench.memory.patch import hunks
from workbench.memory.plain_blocks import plain_blocks
from workbench.memory.provenance import split_provenance

_LINES_BELOW = 2
_MOST_LINES = 8
_MARKER = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)]|>)\s+")


def surroundings(data: bytes, spellings: Iterable[bytes]) -> tuple[bytes, ...]:
    """Each place where one of ``spellings`` stands in ``data``, from the line above to two lines below."""
    found: list[tuple[int, bytes]] = []
    for spelling in spellings:
        at = data.find(spelling) if spelling else -1
        while at >= 0:
            found.append((at, _window(data, at, at + len(spelling))))
            at = data.find(spelling, at + len(spelling))
    return tuple(window for _, window in sorted(found))


def plain_count(data: bytes, spellings: Collection[bytes]) -> int | None:
    """How many blocks of ``data`` are one of ``spellings``, where each block is read from its own lines.

    None for all other bytes: there an entry can change by what stands beside it.
    """
    header = read_front_matter(data)
    body = header.body if header else 0
    plain = plain_blocks(data, body, data.count(b"\n", 0, body))
    if plain.end < len(data):
        return None
    lines = data.split(b"\n")
    return sum(b"\n".join(lines[first:last]).strip() in spellings for _, first, last, *_ in plain.blocks)


def _window(data: bytes, start: int, end: int) -> bytes:
    own_line = data.rfind(b"\n", 0, start) + 1
    above = data.rfind(b"\n", 0, max(own_line - 1, 0)) + 1
    below = end
    for _ in range(_LINES_BELOW + 1):
        newline = data.find(b"\n", below)
        below = len(data) if newline < 0 else newline + 1
    return data[above:below]


def loses(before: bytes, after: bytes, digits: str) -> bool:
    """Whether some lines that ``after`` lacks are, by themselves, an entry whose hash begins so.

    A hash is blind to white space, so the lines of a short entry give it without any parsing; a no is no
    proof for a long one.
    """
    for hunk in hunks(before, after):
        lines = [line.decode("utf-8", "replace") for line in hunk.old]
        for first in range(len(lines)):
            for last in range(first + 1, min(first + _MOST_LINES, len(lines)) + 1):
                text = split_provenance("".join(lines[first:last]))[0]
                if entry_hash(_MARKER.sub("", text, count=1)).startswith(digits):
                    return True
    return False
