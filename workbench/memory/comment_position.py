"""Where our comment stands beside the words of an entry, so that other programs read these as they did.

Obsidian takes ``^id`` for the name of a block only at the end of it: the comment goes before it. basic-memory
reads ``- [type] words #tag (context)`` and ``- kind [[Target]]`` to the end of the paragraph, and so do tools
for tasks: there the comment stands on a line of its own below, which Markdown reads as a block apart. ::

    - Likes tea <!-- wb: id=m1 -->
    - Likes tea <!-- wb: id=m1 --> ^tea
    - works_on [[Atlas]]
      <!-- wb: id=r1 -->
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from workbench.memory.markdown import opening_paragraph

BLOCK_ID = re.compile(r"(?<=[^ \t])[ \t]+\^(?P<name>[A-Za-z0-9-]+)(?P<end>[ \t\r]*)\Z")
"""The name that Obsidian gives a block, at the end of its line."""
_LONE_ID = re.compile(r"[ \t]*\^[A-Za-z0-9-]+[ \t\r]*\Z")
_BRACKETS = re.compile(r"\[[^\[\]()\n]{1,200}\]\s")
_TAG = re.compile(r"(?:\A|\s)#")
_RELATION = re.compile(r"\]\](?:\s+\([^()\n]*\))?\s*\Z")


def is_read_to_its_end(paragraph: str) -> bool:
    """Whether others read the words of a list item to their end, so that nothing may follow behind them.

    So they do with typed memories and tasks (``[type] words``), relations and words with a ``#tag``. A block
    that Obsidian has a name for is read by that.
    """
    if BLOCK_ID.search(paragraph):
        return False
    typed = _BRACKETS.match(paragraph.lstrip())
    return bool(typed or _TAG.search(paragraph) or _RELATION.search(paragraph))


def behind(line: str, comment: str) -> str:
    """``line`` with the comment behind its words, before the name of its block and the blanks at its end."""
    named = BLOCK_ID.search(line)
    cut = named.start() if named else len(line.rstrip())
    return f"{line[:cut]} {comment}{line[cut:]}"


def commented(lines: Sequence[str], prose: int, comment: str) -> list[str]:
    """The lines of a list item, at its own margin and without its marker, with the comment in its place.

    ``prose`` counts the lines of the paragraph that they begin with; 0 for none.
    """
    opening = list(lines[:prose])
    if not prose or "<!--" in "".join(opening):
        return [*lines, comment]
    if is_read_to_its_end("\n".join(opening)):
        return [*opening, comment, *lines[prose:]]
    opening[-1] = behind(opening[-1], comment)
    return [*opening, *lines[prose:]]


def without_block_ids(text: str) -> str:
    """``text`` less the names that Obsidian gives its blocks: there is one block of each name."""
    kept = (line for line in text.split("\n") if not _LONE_ID.fullmatch(line))
    return "\n".join(BLOCK_ID.sub(lambda found: found["end"], line) for line in kept).rstrip("\n")


def block_id(text: str) -> str:
    """The name of the block that ``text`` is, at the end of its first paragraph; empty where it has none."""
    lines, prose = text.split("\n"), opening_paragraph(text)
    found = BLOCK_ID.search(lines[prose - 1]) if prose else None
    return found["name"] if found else ""


def with_block_id(text: str, name: str) -> str:
    """``text`` with a name for its block, where it begins with a paragraph that can carry it."""
    lines, prose = text.split("\n"), opening_paragraph(text)
    if name and prose:
        lines[prose - 1] = f"{lines[prose - 1].rstrip()} ^{name}"
    return "\n".join(lines)
