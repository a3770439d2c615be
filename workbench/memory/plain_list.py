"""The commonest body of a page, a plain list, without a parser: each line is an item, or blank.

It is as good as always what a page of the graph is made of, and reading ten thousand of them should not take
longer than it must. Whatever could be anything else than a line of its own is left to the parser.
"""

from __future__ import annotations

import re

# An item begins with a letter or a bracket: no marker, quote, fence, table, break or heading can begin so,
# and the item before it ends there whatever it holds, as nothing but a blank or an item can follow.
_BODY = re.compile(rb"(?:- [A-Za-z\[\x80-\xff][\x20-\x7e\x80-\xff]*(?:\n|\Z)|\n)*+")


def plain_items(data: bytes, body: int) -> list[int] | None:
    """The line numbers (from 0) of the items in ``data`` from byte ``body`` on; None for more than a list.

    ``body`` is the start of a line.
    """
    if not _BODY.fullmatch(data, body):
        return None
    first = data.count(b"\n", 0, body)
    return [first + at for at, line in enumerate(data[body:].split(b"\n")) if line]
