"""Rows: what lists draw. Cheap, frozen, and identified by what they stand for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from screens.drawing.safe_text import Shown, row_text
from workbench.memory.entry import Entry

Tone = Literal[
    "text", "muted", "faint", "accent", "good", "warn", "bad", "head", "match", "em", "code", "link", "title"
]

KINDS: Mapping[str, tuple[str, Tone]] = {
    "log": ("L", "accent"), "memory": ("M", "good"), "note": ("N", "muted"),
    "episode": ("E", "match"), "entity": ("G", "text"),
}  # fmt: skip
"""The letter of each kind of memory, and its tone."""
PROMOTED = Shown("✓")
PINNED = Shown("⚑")
MARKED = Shown("•")
SOURCE = Shown("←")
HIDDEN = Shown("‽")
CURSOR = Shown("▎")
OPEN = Shown("▾")
CLOSED = Shown("▸")
EMPTY = Shown("")
GAP = "\n"
"""An empty line among others; see ``line_rows``."""


class RowPart(NamedTuple):
    """A piece of a row with its tone."""

    text: Shown
    tone: Tone = "muted"


def piece(text: str, tone: Tone = "muted") -> RowPart:
    """A piece of a row. What comes from a file has been through ``row_text``: nothing is cleaned here."""
    return RowPart(Shown(text), tone)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a list.

    ``id`` stays the same through refreshes. ``fold`` is None for a leaf, else whether the row is open.
    ``lead`` stands before the text, ``tail`` at the right edge: its first parts are the first to go
    when room is short. ``emphasis`` are character ranges of ``text`` with a tone of their own. An
    ``inert`` row is passed over by the cursor. ``address`` is what actions take; ``entry`` is there
    when the row is one entry.
    """

    id: str
    text: Shown
    tone: Tone = "text"
    depth: int = 0
    fold: bool | None = None
    lead: tuple[RowPart, ...] = ()
    tail: tuple[RowPart, ...] = ()
    emphasis: tuple[tuple[int, int, Tone], ...] = ()
    inert: bool = False
    path: str | None = None
    line: int = 1
    address: str | None = None
    entry: Entry | None = None
    done: bool = False
    """Whether the entry already stands in long-term memory."""
    pinned: bool = False
    section: tuple[str, ...] = ()
    """The headings down to the one that the row stands for, in the file ``path``."""
    past: Shown = EMPTY
    """As of when the row is, where that is not today; then it can only be read."""
    root: str = ""
    """The folder of the workspace that ``path`` is in, where that is not today's of the one that is shown."""
    workspace: Shown = EMPTY
    """The name of that workspace, where it is another one; then it can only be read from here."""
    of: Any = field(default=None, compare=False)
    """What it stands for, to the screen that made it."""

    def at(self, entry: Entry) -> Row:
        """The same row, for this entry in its place."""
        return replace(
            self,
            path=entry.path,
            line=entry.start_line,
            address=entry.address,
            entry=entry,
            pinned=entry.pinned,
        )


def line_rows(lines: Iterable[tuple[str, Tone]], name: str = "fact") -> list[Row]:
    """Lines of text that may hold anything, as rows called ``name:0`` and so on; empty ones are left out."""
    rows = (
        Row(f"{name}:{number}", row_text(line), tone=tone, inert=line == GAP)
        for number, (line, tone) in enumerate(lines)
        if line
    )
    return list(rows)


def text_lines(text: str, most: int) -> Iterator[tuple[str, Tone]]:
    """The first lines of a text, for ``line_rows``."""
    return ((line or GAP, "text") for line in text.split("\n")[:most])


class Folds:
    """Which rows a person opened or closed, over what each is by default."""

    def __init__(self) -> None:
        self._said: dict[str, bool] = {}

    def is_open(self, row_id: str, *, default: bool = False) -> bool:
        """Whether the row with this id shows what is under it."""
        return self._said.get(row_id, default)

    def set(self, row_id: str, value: bool) -> None:
        """Open or close a row."""
        self._said[row_id] = value
