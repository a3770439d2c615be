"""The commonest blocks of Markdown without a parser: headings, items, paragraphs, quotes, fences.

Pages of the graph are made of such blocks, and so are most logs and MEMORY.md; reading ten thousand pages, or
a log of eighty thousand lines, should not take longer than it must. Whatever could be anything else than what
it looks like is left to the parser, which reads on from there (``memory.markdown``).
"""

from __future__ import annotations

import re

from workbench.frozen import frozen
from workbench.memory.entry import Form

_LINE = rb"[\t\x20-\x7e\x80-\xff]*+"
_END = rb"(?:\n|\Z)"
# What a line begins with that is words, and neither marker, quote, fence, table, HTML, break nor underline.
_WORDS = rb"(?:[A-Za-z\x80-\xff\"'($@%&/\\.,;!?{}\[]|[0-9]++(?![.)])|\*\*[A-Za-z0-9\x80-\xff]|`(?!``))"
# Below the words of an item such a line would go on with them.
_NO_WORDS = rb"(?![A-Za-z\x80-\xff\"'($@%&/\\.,;!?{}\[`]|\*\*|[0-9](?![0-9]?[.)] ))"
_HEADING = rb"#{1,6} [\x21\x22\x24-\x7e\x80-\xff][\t\x20-\x22\x24-\x7e\x80-\xff]*+" + _END
_PARAGRAPH = (
    # Only a list that begins with 1 ends a paragraph; and what underlines one makes it a heading.
    _WORDS + _LINE + rb"(?:\n" + _WORDS + _LINE + rb")*+" + _END + rb"(?![0-9])"
)
# With such a line below it, a line may be the head of a table, whatever it begins with.
_NO_TABLE = rb"(?!\n {0,3}(?:[|:]|-[-|:]))"
# All that is indented as the words of an item are is inside of it, whatever it is.
_ITEMS = rb"|".join(
    marker + _LINE + _NO_TABLE + rb"(?:\n++" + indent + _LINE + rb")*+" + _END + _NO_WORDS
    for marker, indent in (
        (rb"- (?=[^ \t\n-])", rb"(?:  |\t)"),
        (rb"\* (?=[^ \t\n*]|\*\*[A-Za-z0-9\x80-\xff])", rb"(?:  |\t)"),
        (rb"\+ (?=[^ \t\n+])", rb"(?:  |\t)"),
        (rb"[0-9][.)] (?=[^ \t\n])", rb"(?:   |\t)"),
        (rb"[0-9]{2}[.)] (?=[^ \t\n])", rb"(?:    |\t)"),
    )
)
_QUOTE = rb">" + _LINE + rb"(?:\n>" + _LINE + rb")*+(?:\n(?=\n|\Z)|\Z)"
_FENCE = rb"```[\t\x20-\x5f\x61-\x7e\x80-\xff]*+\n(?:(?! {0,3}```)" + _LINE + rb"\n)*+``` *+" + _END
_RULE = rb"(?<=\n\n)---" + _END
_BLOCK = re.compile(
    rb"|".join(
        rb"(?P<" + name + rb">" + pattern + rb")"
        for name, pattern in (
            (b"item", _ITEMS), (b"blank", rb"\n++"), (b"heading", _HEADING), (b"paragraph", _PARAGRAPH),
            (b"quote", _QUOTE), (b"fence", _FENCE), (b"rule", _RULE),
        )
    )
)  # fmt: skip
_NEWLINE = ord("\n")
_FORMS = {"item": Form.ITEM, "paragraph": Form.PARAGRAPH, "quote": Form.QUOTE, "fence": Form.CODE}
_RESTART = re.compile(rb"(?m)^(?:#{1,6} [A-Za-z0-9]|- [A-Za-z0-9][^\n]*+" + _NO_TABLE + rb")")


FoundBlock = tuple[Form, int, int, int, str]
"""A block with its lines (from 0, end excluded); of a heading also its level, and its words as written."""


@frozen
class PlainBlocks:
    """Blocks in order, and the byte and line where something else begins."""

    blocks: list[FoundBlock]
    end: int
    line: int


def plain_blocks(data: bytes, start: int, line: int) -> PlainBlocks:
    """The plain blocks of ``data`` from byte ``start`` on, which begins the given line, as far as they go.

    The last block before something else is not among them: what it is can depend on what follows.
    """
    found: list[FoundBlock] = []
    at, last = start, (start, line)
    match = _BLOCK.match
    while block := match(data, at):
        kind, end = block.lastgroup, block.end()
        below = line + data.count(b"\n", at, end)
        # The last line of a file may have no end.
        bottom = below if data[end - 1] == _NEWLINE else below + 1
        if kind in _FORMS:
            last = at, line
            found.append((_FORMS[kind], line, bottom, 0, ""))
        elif kind != "blank":
            last = at, line
            if kind == "heading":
                hashes, _, words = data[at:end].decode("utf-8", "replace").partition(" ")
                found.append((Form.HEADING, line, bottom, len(hashes), words.strip()))
        at, line = end, below
        if end == len(data):
            return PlainBlocks(found, end, line)
    if found and found[-1][1] == last[1]:
        found.pop()
    return PlainBlocks(found, *last)


def restart(data: bytes, at: int) -> int:
    """The next line after byte ``at`` that begins a block whatever is above it, unless that is not closed."""
    found = _RESTART.search(data, at)
    return found.start() if found else len(data)
