"""Which session the text of a file says it comes from.

Front matter says it for the whole file. Logs of other tools say it in a heading or a list under it, and
one file may hold several sessions one after the other::

    # Session: 2026-03-14 10:00:00 UTC

    - **Session Key**: agent:main:main
    - **Session ID**: 0c9e2f
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from workbench.frozen import frozen
from workbench.memory.entry import Entry
from workbench.memory.markdown import Document

_KEYS = ("session", "session_id", "session_key")
_HEADING = re.compile(r"#{1,6}[ \t]+Session\b[ \t]*:?[ \t]*(?P<name>.*?)[ \t]*#*", re.IGNORECASE)
_FIELD = re.compile(
    r"(?:[-*+][ \t]+)?(?:\*\*|__)?session (?:id|key)(?:\*\*|__)?[ \t]*:"
    r"[ \t]*(?:\*\*|__)?[ \t]*`?(?P<name>[^`]+?)`?",
    re.IGNORECASE,
)

_HEADER_FIELD = re.compile(r"\*\*[^*\n:]{1,30}(?:\*\*:|:\*\*)")


@frozen
class SessionBlock:
    """Lines ``first`` up to ``last`` (from 1, both included) speak of the session with these ``names``."""

    first: int
    last: int
    names: tuple[str, ...]


def session_blocks(document: Document) -> tuple[SessionBlock, ...]:
    """The sessions that a file is about, in order; the first begins with the file."""
    header = document.front_matter
    if header is not None and (own := tuple(filter(None, map(header.text, _KEYS)))):
        return (SessionBlock(1, len(document.line_starts), own),)
    found: list[tuple[int, list[str]]] = []
    for number, line in enumerate(document.data.decode("utf-8", "surrogateescape").split("\n"), 1):
        text = line.strip()
        if heading := _HEADING.fullmatch(text):
            found.append((number, [heading["name"]] if heading["name"] else []))
        elif field := _FIELD.fullmatch(text):
            if not found:
                found.append((number, []))
            found[-1][1].append(field["name"].strip())
    starts = [1, *(number for number, _ in found[1:])]
    ends = [*(start - 1 for start in starts[1:]), len(document.line_starts)]
    return tuple(
        SessionBlock(first, last, tuple(names))
        for first, last, (_, names) in zip(starts, ends, found, strict=False)
    )


def is_session_field(entry: Entry) -> bool:
    """Whether an entry is a field of a session's header: its key, its id, where it came from."""
    return (
        len(entry.heading) == 1
        and entry.heading[0].casefold().startswith("session")
        and _HEADER_FIELD.match(entry.text) is not None
    )


def session_of(blocks: Sequence[SessionBlock], entry: Entry) -> str | None:
    """The session that an entry's file says it comes from; the id where the file names it several ways.

    ``blocks`` are those of the file.
    """
    at = bisect_right(blocks, entry.start_line, key=lambda block: block.first) - 1
    if at < 0 or entry.start_line > blocks[at].last or not blocks[at].names:
        return None
    return blocks[at].names[-1]
