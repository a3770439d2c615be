"""A change as rows: its unified diff, coloured by its signs, what changed in a line brought out, bounded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import groupby, islice, pairwise, takewhile

from screens.drawing.safe_text import Row, Spans, Tone, line_text, plural, words
from workbench.memory.file_edit import FileEdit, unified_diff
from workbench.safety.secrets import masked, secrets_in

MAX_LINES = 5_000
MAX_FILES = 200
MAX_BYTES = 1_000_000
"""Bytes of one file beyond which its lines are not compared."""
_SHOWN_CHARACTERS = 2_000
_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_LIKE = 0.4
"""How much of two lines must be the same for the rest to be worth bringing out."""


def diff_rows(edits: Iterable[FileEdit]) -> list[Row]:
    """The rows of a change, file by file; what is left out is said."""
    edits = list(edits)
    rows: list[Row] = []
    for edit in edits[:MAX_FILES]:
        rows += _file(edit)
        if len(rows) > MAX_LINES:
            break
    if len(edits) > MAX_FILES or len(rows) > MAX_LINES:
        rows = [*rows[:MAX_LINES], Row("", words("… the rest is not shown"), tone="warn")]
    return [replace(row, id=f"line:{number}") for number, row in enumerate(rows)]


def changed_rows(edits: Sequence[FileEdit]) -> list[Row]:
    """Only what comes and goes, for where there is little room: files are named where there are several."""
    shown = ("good", "bad", "warn", *(("head",) if len(edits) > 1 else ()))
    return [row for row in diff_rows(edits) if row.tone in shown]


def _file(edit: FileEdit) -> Iterable[Row]:
    size = max(len(edit.before or b""), len(edit.after or b""))
    if size > MAX_BYTES:
        yield Row("", line_text(f"+++ {edit.path}"), tone="head", path=edit.path)
        yield Row("", words(f"… {plural(size, 'byte')}: too many to compare here"), tone="warn")
        return
    lines = [line for line in islice(unified_diff(edit).split("\n"), MAX_LINES + 2) if line]
    blocks = {line for data in (edit.before, edit.after) if data for line in _secret_lines(data)}
    shown = [line_text(_masked(line, blocks)[:_SHOWN_CHARACTERS]) for line in lines]
    marks = emphasised(shown)
    for number, (line, text) in enumerate(zip(lines, shown, strict=True)):
        yield Row("", text, tone=tone_of(line), emphasis=marks.get(number, ()), path=edit.path)


def _masked(line: str, blocks: Set[str]) -> str:
    """A line of a diff, its secrets as they may be shown; ``blocks`` are lines of secrets that have more."""
    return f"{line[:1]}…" if line[1:] in blocks else masked(line)


def _secret_lines(data: bytes) -> Iterator[str]:
    """The lines of secrets that stand in several: a diff shows some of them without the others."""
    text = data.decode("utf-8", "surrogateescape")
    for found in secrets_in(text):
        first, *others = text[found.start : found.end].split("\n")
        if others:
            yield from (line for line in (first, *others) if line)


def tone_of(line: str) -> Tone:
    """How a line of a diff is coloured."""
    if line.startswith(("+++", "---")):
        return "head"
    if line.startswith("@@"):
        return "faint"
    if line.startswith("+"):
        return "good"
    return "bad" if line.startswith("-") else "muted"


def emphasised(lines: Sequence[str]) -> dict[int, Spans]:
    """By the number of each line of a unified diff the range of it that changed.

    A run of lines that go, followed by as many that come, is taken for those lines rewritten.
    """
    found: dict[int, Spans] = {}
    runs = [(sign, [*numbers]) for sign, numbers in groupby(range(len(lines)), lambda at: _sign(lines[at]))]
    for (gone, old), (came, new) in pairwise(runs):
        if (gone, came) == ("-", "+") and len(old) == len(new):
            for one, other in zip(old, new, strict=True):
                found[one], found[other] = _changed(lines[one], lines[other])
    return found


def _sign(line: str) -> str:
    """``+`` or ``-`` of a line that comes or goes; empty for the names of files."""
    return "" if line.startswith(("+++ ", "--- ")) else line[:1]


def _changed(old: str, new: str) -> tuple[Spans, Spans]:
    """What is between the words that both begin and end with; nothing where these are few."""
    begin = 1 + _alike(_WORD.findall(old[1:]), _WORD.findall(new[1:]))
    end = _alike(_WORD.findall(old[begin:])[::-1], _WORD.findall(new[begin:])[::-1])
    if begin + end <= 1 + _LIKE * max(len(old), len(new)):
        return (), ()
    return ((begin, len(old) - end, "match"),), ((begin, len(new) - end, "match"),)


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """Characters of the words that both begin with."""
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return sum(len(word) for word, _ in pairs)
