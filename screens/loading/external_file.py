"""The preview of a hit in a file beside the workspace: an extra path, or what was said in a session."""

from __future__ import annotations

from collections import OrderedDict

from indexing.sync.sources import SourcePage, Sources, page
from screens.drawing.rows import Row
from screens.drawing.safe_text import line_text
from screens.loading.snapshots import PreviewLine
from workbench.errors import EntryNotFoundError, NotMemoryError
from workbench.memory.address import find_entry
from workbench.memory.entry import Entry
from workbench.workspace.workspace import Workspace

SIZE_LIMIT = 32_000_000
"""Bytes of a file that are read to show one place in it."""
_AROUND = 12
_LINE_LIMIT = 2_000
_LINES_LIMIT = 200
_KEPT = 2
_pages: OrderedDict[tuple[str, int, int], SourcePage] = OrderedDict()
"""What was read last, by path, size and time of change: one reading thread uses it."""


def entry_beside(workspace: Workspace, row: Row) -> tuple[Entry, tuple[PreviewLine, ...], int]:
    """The entry that a hit names, the lines around it, and which of these is its first.

    Raises EntryNotFoundError when it is there no more, NotMemoryError, OSError.
    """
    path, address = row.path or "", row.address or ""
    found = _page(Sources(workspace), path)
    if "#" not in address:
        raise EntryNotFoundError(address)
    entry = find_entry(found.document, address)
    lines: list[PreviewLine] = []
    focus = 0
    for number in range(max(1, entry.start_line - _AROUND), len(found.lines) + 1):
        text = found.lines[number - 1]
        if text is None:
            continue
        if number == entry.start_line:
            focus = len(lines)
        role = "entry" if entry.start_line <= number <= entry.end_line else "context"
        for at, line in enumerate(text.split("\n")):
            lines.append(PreviewLine(None if at else number, line_text(line[:_LINE_LIMIT]), role))
        if len(lines) - focus > _LINES_LIMIT:
            break
    return entry, tuple(lines), focus


def _page(sources: Sources, path: str) -> SourcePage:
    size, changed_ns = sources.look(path)
    if size > SIZE_LIMIT:
        raise NotMemoryError(path)
    key = (path, size, changed_ns)
    if key not in _pages:
        _pages[key] = page(sources, path)
        while len(_pages) > _KEPT:
            _pages.popitem(last=False)
    return _pages[key]
