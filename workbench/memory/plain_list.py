"""The commonest bodies of a page without a parser: headings, list items and paragraphs, each of whole lines.

Pages of the graph are such lists, and so are most logs and MEMORY.md; reading ten thousand pages, or a log of
eighty thousand lines, should not take longer than it must. Whatever could be anything else than what it looks
like in its own line is left to the parser.
"""

from __future__ import annotations

import re

from workbench.memory.frontmatter import BOM

# An item begins with a letter or a bracket, a paragraph with a letter: no marker, quote, fence, table, break
# or heading can begin so. An item ends at its line: nothing but a blank, an item or a heading can follow. A
# comment on a line of its own belongs to the item above it: it ends the paragraph and is closed in its line.
# What follows a paragraph begins as a block does here: nothing can make a heading or a table of it. A heading
# has no number sign but those that begin it.
_ITEM = rb"- (?:\*\*)?[A-Za-z\[\x80-\xff][\x20-\x7e\x80-\xff]*(?:\n  <!-- wb: [\x20-;=?-\x7e\x80-\xff]*-->)?"
_HEADING = rb"#{1,6} [A-Za-z0-9\x80-\xff][\x20-\x22\x24-\x7e\x80-\xff]*"
_PARAGRAPH = rb"[A-Za-z\x80-\xff][\x20-\x7e\x80-\xff]*(?:\n[A-Za-z\x80-\xff][\x20-\x7e\x80-\xff]*)*"
_END = rb"(?:\n|\Z)"
_BODY = re.compile(
    rb"(?:"
    + _ITEM
    + _END
    + rb"(?![A-Za-z\x80-\xff])|"
    + _HEADING
    + _END
    + rb"|"
    + _PARAGRAPH
    + _END
    + rb"|\n)*+"
)


def has_plain_lines(data: bytes, body: int) -> bool:
    """Whether ``plain_lines`` reads ``data`` from byte ``body`` on."""
    return not data.startswith(BOM, body) and _BODY.fullmatch(data, body) is not None


def plain_lines(data: bytes, body: int) -> list[tuple[str, int, int]] | None:
    """The lines (from 0, end excluded) of each block in ``data`` from byte ``body`` on.

    Each is an item ``-``, a heading ``#`` or a paragraph ``p``. None where anything else could be among them.
    ``body`` is the start of a line.
    """
    if not has_plain_lines(data, body):
        return None
    found: list[tuple[str, int, int]] = []
    kind = ""
    for at, line in enumerate(data[body:].split(b"\n"), data.count(b"\n", 0, body)):
        if not line:
            kind = ""
        elif line.startswith(b"- "):
            kind = "-"
            found.append((kind, at, at + 1))
        elif line.startswith(b"#"):
            kind = "#"
            found.append((kind, at, at + 1))
        elif kind in ("p", "-"):  # the next line of a paragraph, or the comment below an item
            found[-1] = (kind, found[-1][1], at + 1)
        else:
            kind = "p"
            found.append((kind, at, at + 1))
    return found
