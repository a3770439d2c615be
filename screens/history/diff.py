"""A change as rows: its unified diff, bounded, in the colours of its signs, with changed words marked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import accumulate, groupby, islice, pairwise

from screens.drawing.safe_text import Row, Spans, Tone, line_text, plural, words
from workbench.memory.file_edit import FileEdit, unified_diff
from workbench.safety.secrets import masked, secrets_in

MAX_LINES = 5_000
MAX_FILES = 200
MAX_BYTES = 1_000_000
"""Bytes of one file beyond which its lines are not compared."""
_SHOWN_CHARACTERS = 2_000
_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_LONGEST = 200
"""Words and signs of a line beyond which its versions are not compared, since that takes their product."""
_MOST = 400
"""Pairs of lines that are compared at all."""
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
    """By the number of each line of a unified diff the ranges of it that changed.

    A run of lines that go, followed by as many that come, is taken for those lines rewritten.
    """
    found: dict[int, Spans] = {}
    for old, new in islice(_pairs(lines), _MOST):
        found[old], found[new] = _changed(lines[old], lines[new])
    return found


def _pairs(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The numbers of lines that go, each with that of the line that comes in its place."""
    runs = [(tone, [*numbers]) for tone, numbers in groupby(range(len(lines)), lambda at: tone_of(lines[at]))]
    for (gone, old), (came, new) in pairwise(runs):
        if (gone, came) == ("bad", "good") and len(old) == len(new):
            yield from zip(old, new, strict=True)


def _changed(old: str, new: str) -> tuple[Spans, Spans]:
    """The ranges that differ; none where the two have little in common, or are too long."""
    before, after = _WORD.findall(old[1:]), _WORD.findall(new[1:])
    if max(len(before), len(after)) > _LONGEST:
        return (), ()
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    if matcher.ratio() < _LIKE:
        return (), ()
    codes = [code[1:] for code in matcher.get_opcodes() if code[0] != "equal"]
    return _ranges(before, [code[:2] for code in codes]), _ranges(after, [code[2:] for code in codes])


def _ranges(parts: Sequence[str], spans: Iterable[tuple[int, int]]) -> Spans:
    starts = [*accumulate(map(len, parts), initial=1)]
    return tuple((starts[first], starts[last], "match") for first, last in spans if first < last)
