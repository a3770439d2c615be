"""Memory files as resources: listed in pages, read as Markdown. Nothing outside of memory has an address."""

from __future__ import annotations

import bisect
from urllib.parse import quote, unquote

from workbench.agent.fenced_memory import as_line, as_text
from workbench.errors import NotMemoryError, UsageError, WorkbenchError
from workbench.memory.provenance import parse_day
from workbench.workspace.layout import MemoryFile, daily_logs
from workbench.workspace.workspace import Workspace

PREFIX = "memory://workspace/"
_LOG = "memory://log/"
DAILY_LOG = _LOG + "{date}"
"""The template of a day's log, wherever it is; ``date`` as 2026-03-14."""
PAGE = 500
"""Resources of one page of the list."""
MOST_BYTES = 5_000_000
MIME = "text/markdown"


def listed(workspace: Workspace, cursor: str | None) -> tuple[list[MemoryFile], str | None]:
    """One page of memory files, and the cursor of the next one; None at the end.

    The page begins behind ``cursor``, which is the path of the last file before. Nothing is opened.
    """
    files = workspace.scan()
    last = unquote(cursor, errors="surrogateescape") if cursor else ""
    start = bisect.bisect_right([file.path for file in files], last)
    page = files[start : start + PAGE]
    return page, quote(page[-1].path, errors="surrogateescape") if start + PAGE < len(files) else None


def uri_of(path: str) -> str:
    """The address of a memory file."""
    return PREFIX + quote(path, errors="surrogateescape")


def read(workspace: Workspace, uri: str) -> str:
    """The text of the file at an address, nothing in it invisible; of a day that of all its logs.

    Raises WorkbenchError.
    """
    if uri.startswith(_LOG):
        day = parse_day(uri.removeprefix(_LOG))
        logs = [path for on, path in daily_logs(workspace.scan()) if on == day]
        if not logs:
            raise NotMemoryError(as_line(uri, 200))
        return "\n".join(read(workspace, uri_of(path)) for path in logs)
    if not uri.startswith(PREFIX):
        raise UsageError(
            f"{as_line(uri, 200)} is no resource of this memory", hint=f"they begin with {PREFIX}"
        )
    path = unquote(uri.removeprefix(PREFIX), errors="surrogateescape")
    try:
        data = workspace.read(path)
    except (OSError, ValueError) as error:
        if isinstance(error, WorkbenchError):
            raise
        raise NotMemoryError(as_line(path, 200)) from None
    if len(data) > MOST_BYTES:
        raise UsageError(f"{path} has {len(data):,} bytes", hint="read a part of it with memory_get")
    return as_text(data.decode("utf-8", "replace"))
