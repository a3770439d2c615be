"""The commonest body of a page, a plain list, without a parser: each line is an item, or blank.

It is as good as always what a page of the graph is made of, and reading ten thousand of them should not take
longer than it must. Whatever could be anything else than a line of its own is left to the parser.
"""

from __future__ import annotations

import re

# An item begins with a letter or a bracket: no marker, quote, fence, table, break or heading can begin so,
# and the item before it ends there whatever it holds, as nothing but a blank or an item can follow. A comment
# on a line of its own belongs to the item above it: it ends the paragraph and is closed in its line.
_BODY = re.compile(
    rb"(?:- [A-Za-z\[\x80-\xff][\x20-\x7e\x80-\xff]*(?:\n  <!-- wb: [\x20-;=?-\x7e\x80-\xff]*-->)?(?:\n|\Z)"
    rb"|\n)*+"
)


def plain_items(data: bytes, body: int) -> list[tuple[int, int]] | None:
    """The lines (from 0, end excluded) of each item in ``data`` from byte ``body`` on.

    None for more than a list. ``body`` is the start of a line.
    """
    if not _BODY.fullmatch(data, body):
        return None
    first = data.count(b"\n", 0, body)
    lines = data[body:].split(b"\n")
    return [
        (first + at, first + at + (2 if lines[at + 1 : at + 2] and lines[at + 1].startswith(b"  ") else 1))
        for at, line in enumerate(lines)
        if line.startswith(b"- ")
    ]
