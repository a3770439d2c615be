"""A change as rows: its unified diff, coloured by its signs, bounded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice

from screens.rows import Row, Tone
from screens.shown import line_text, plural, words
from workbench.memory.file_edit import FileEdit, unified_diff

MAX_LINES = 5_000
MAX_FILES = 200
MAX_BYTES = 1_000_000
"""Bytes of one file beyond which its lines are not compared."""
_SHOWN_CHARACTERS = 2_000


def diff_rows(edits: Iterable[FileEdit], *, prefix: str = "line") -> list[Row]:
    """The rows of a change, file by file; what is left out is said."""
    edits = list(edits)
    rows: list[Row] = []
    for edit in edits[:MAX_FILES]:
        rows += _file(edit)
        if len(rows) > MAX_LINES:
            break
    if len(edits) > MAX_FILES or len(rows) > MAX_LINES:
        rows = [*rows[:MAX_LINES], Row("", words("… the rest is not shown"), tone="warn")]
    return [replace(row, id=f"{prefix}:{number}") for number, row in enumerate(rows)]


def changed_rows(edits: Sequence[FileEdit]) -> list[Row]:
    """Only what comes and goes, for where there is little room: files are named where there are several."""
    shown = ("good", "bad", "warn", *(("head",) if len(edits) > 1 else ()))
    return [row for row in diff_rows(edits) if row.tone in shown]


def _file(edit: FileEdit) -> Iterable[Row]:
    size = max(len(edit.before or b""), len(edit.after or b""))
    if size > MAX_BYTES:
        yield Row("", line_text(f"+++ {edit.path}"), tone="head")
        yield Row("", words(f"… {plural(size, 'byte')}: too many to be compared here"), tone="warn")
        return
    for line in islice(unified_diff(edit).split("\n"), MAX_LINES + 2):
        if line:
            yield Row("", line_text(line[:_SHOWN_CHARACTERS]), tone=tone_of(line))


def tone_of(line: str) -> Tone:
    """How a line of a diff is coloured."""
    if line.startswith(("+++", "---")):
        return "head"
    if line.startswith("@@"):
        return "faint"
    if line.startswith("+"):
        return "good"
    return "bad" if line.startswith("-") else "muted"
