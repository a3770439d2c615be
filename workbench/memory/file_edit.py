"""One file's bytes before and after an action, and the difference for people."""

from __future__ import annotations

import difflib
import re

from workbench.frozen import frozen
from workbench.memory.entry import RelPath
from workbench.memory.patch import alike, split_lines

_CONTEXT = 3
"""Unchanged lines around a change."""
_HUNK = re.compile(r"@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@$")


@frozen
class FileEdit:
    """One file's bytes before and after; None where the file does not exist.

    ``mode`` holds the permission bits of a file that comes into being here, or would when this edit is
    rolled back; None asks for what the person's umask gives.
    """

    path: RelPath
    before: bytes | None
    after: bytes | None
    mode: int | None = None


def unified_diff(edit: FileEdit) -> str:
    """One file's unified diff, as git writes it."""
    before, after = _lines(edit.before), _lines(edit.after)
    old = f"a/{edit.path}" if edit.before is not None else "/dev/null"
    new = f"b/{edit.path}" if edit.after is not None else "/dev/null"
    # What both begin and end with is left out of the comparison: of a long log that is nearly all of it.
    top = max(0, alike(before, after) - _CONTEXT)
    before, after = before[top:], after[top:]
    if end := max(0, alike(before[::-1], after[::-1]) - _CONTEXT):
        before, after = before[:-end], after[:-end]
    out: list[str] = []
    for line in difflib.unified_diff(before, after, old, new, n=_CONTEXT):
        if hunk := _HUNK.match(line):
            from_line, to_line = int(hunk[1]) + top, int(hunk[3]) + top
            line = f"@@ -{from_line}{hunk[2] or ''} +{to_line}{hunk[4] or ''} @@\n"  # noqa: PLW2901
        out.append(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n")
    return "".join(out)


def _lines(data: bytes | None) -> list[str]:
    return [line.decode("utf-8", "surrogateescape") for line in split_lines(data or b"")]
