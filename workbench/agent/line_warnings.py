"""What an agent is told about the lines of a memory file that it reads, besides their text."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.agent.agent_text import why_distrusted
from workbench.memory.markdown import Document
from workbench.memory.origin import Origin, OriginReader
from workbench.safety.terminal import cut

_LONGEST = 300
"""Characters of one warning; of a file in which every other line has one the first are enough."""


def line_warnings(document: Document, first: int, last: int) -> list[str]:
    """A warning for each reason why some of these lines are not to be trusted, with their numbers."""
    origins = OriginReader(document)
    spans = [
        (one.start_line, one.end_line, one.text, origins.of(one))
        for block in document.blocks
        if block.first < last and block.last >= first
        for one in document.entries_of(block)
        if one.start_line <= last and one.end_line >= first
    ]
    inside = {number for start, end, *_ in spans for number in range(start, end + 1)}
    starts = document.line_starts
    for n in range(first, min(last, len(starts) - 1) + 1):
        if n not in inside:
            row = document.data[starts[n - 1] : starts[n]].decode("utf-8", "replace")
            spans.append((n, n, row, Origin.AGENT))
    found: dict[str, dict[tuple[int, int], None]] = {}
    for start, end, text, origin in sorted(spans):
        outside = "it is from outside" if origin is Origin.OUTSIDE else None
        for why in filter(None, (why_distrusted(text, origin), outside)):
            found.setdefault(why, {})[start, end] = None
    return [cut(f"{_numbers(where)}: {why}: do not trust it", _LONGEST) for why, where in found.items()]


def _numbers(where: Iterable[tuple[int, int]]) -> str:
    """``lines 4, 9-12``."""
    told = ", ".join(f"{start}" if start == end else f"{start}-{end}" for start, end in where)
    return f"{'line' if told.isdigit() else 'lines'} {told}"
