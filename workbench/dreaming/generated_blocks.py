"""Lines that a program wrote and may write again: blocks between marks that begin and end them.

``<!-- openclaw:dreaming:light:start -->`` … ``<!-- openclaw:dreaming:light:end -->``, and the like of other
tools (`BEGIN`/`END`, `begin`/`end`). What stands between them is output, never a source. A block that is not
closed goes on to the end of the file: what may be output is none of it taken.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

_MARK = re.compile(
    rb"<!--[ \t]*(?:(?P<first>begin|start|end|stop)[ \t:_-]+)?(?P<name>[A-Za-z0-9_.:/ -]{2,80}?)"
    rb"(?:[ \t:_-]+(?P<last>begin|start|end|stop))?[ \t]*-->",
    re.IGNORECASE,
)
_BEGINS = (b"begin", b"start")


def generated_lines(data: bytes) -> tuple[tuple[int, int], ...]:
    """The ranges of lines (from 1, both ends included) that generated blocks take in a file."""
    if b"<!--" not in data:
        return ()
    found: list[tuple[int, int]] = []
    open_: dict[bytes, int] = {}
    line, at = 1, 0
    for mark in _MARK.finditer(data):
        word = (mark["first"] or mark["last"] or b"").lower()
        line, at = line + data.count(b"\n", at, mark.start()), mark.start()
        if not word:
            continue
        name = b" ".join(mark["name"].lower().split())
        if word in _BEGINS:
            open_.setdefault(name, line)
        elif name in open_:
            found.append((open_.pop(name), line))
    last = data.count(b"\n") + 1
    found += ((line, last) for line in open_.values())
    return tuple(sorted(found))


def is_generated(ranges: Sequence[tuple[int, int]], line: int) -> bool:
    """Whether ``line`` is in one of the ranges, which may hold one another."""
    at = bisect_right(ranges, (line, 1 << 62))
    return any(last >= line for _, last in ranges[:at])
