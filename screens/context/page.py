"""One part of what an agent sees, ready to be drawn: rows, what is behind each, and the text itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from screens.drawing.rows import EMPTY, Row, RowPart, Tone
from screens.drawing.safe_text import Shown, grouped, line_text, row_text, words
from workbench.memory.entry import Entry

_FREE = RowPart(EMPTY)
SCORE = 8
"""Cells of the bar of a score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextPage:
    """``cost`` says in few words what all of it costs, ``raw`` is what the agent reads, as it reads it."""

    rows: Sequence[Row] = ()
    behind: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    raw: str = ""
    cost: RowPart = _FREE
    empty: Shown = EMPTY


def heading(name: str, text: str) -> Row:
    """What the rows under it have in common."""
    return Row(f"head:{name}", words(text), tone="accent", inert=True)


def note(number: int, text: str, tone: Tone = "warn") -> Row:
    """Something to know about all of it, which may hold words of the workspace."""
    return Row(f"note:{number}", row_text(text), tone=tone, inert=True)


def facts(lines: Sequence[tuple[str, Tone]]) -> list[Row]:
    """Lines of text that may hold anything, as rows; empty ones are left out."""
    return [Row(f"fact:{n}", row_text(line), tone=tone) for n, (line, tone) in enumerate(lines) if line]


def raw_rows(text: str) -> Iterator[Row]:
    """The very lines that an agent reads."""
    for number, line in enumerate(text.split("\n") if text else ()):
        yield Row(f"raw:{number}", line_text(line))


def tokens_part(count: int) -> RowPart:
    """What a row costs."""
    return RowPart(words(f"{grouped(count)} tok"), "faint")


def title_of(entry: Entry | None, address: str) -> Shown:
    """The first words of an entry, or its address where it cannot be read any more."""
    return row_text(entry.plain_title if entry is not None else address)


def copied(page: ContextPage, row: Row | None) -> str:
    """What is copied: the text that the agent gets, or the row where the page is a list for a person."""
    if page.raw or row is None:
        return page.raw
    return row.entry.text if row.entry else row.text
