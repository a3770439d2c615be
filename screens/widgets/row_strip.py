"""Drawing one row into a strip of cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from screens.drawing.safe_text import CLOSED, CURSOR, MARKED, OPEN, Row, RowPart

GUTTER = 2
_ROOMY = 50
"""Cells from which on the parts of a tail stand further apart."""
_JOINER = "\u200d"
_SKINS = frozenset(map(chr, range(0x1F3FB, 0x1F400)))
_FLAGS = frozenset(map(chr, range(0x1F1E6, 0x1F200)))
"""Letters that make a flag, two by two."""
_TAIL_SHARE, _LAST_SHARE = 0.42, 0.62
_CLIPPED_CELLS = 12
"""Cells of a part below which what is left of it says nothing."""


@dataclass(frozen=True, slots=True)
class Look:
    """The styles of a list at this moment: its ground, its cursor line, and each tone."""

    ground: Style
    cursor: Style
    tones: Mapping[str, Style]

    @property
    def reversed(self) -> Mapping[str, Style]:
        """Each tone in a reversed line, where colours would become grounds, and what is dim a stain."""
        return {name: Style(bold=tone.bold, underline=tone.underline) for name, tone in self.tones.items()}


def row_strip(row: Row, width: int, look: Look, *, cursor: bool, marked: bool) -> Strip:
    """``row`` in exactly ``width`` cells. The tail keeps at most half of them; the text takes the rest."""
    base = look.ground + (look.cursor if cursor else Style.null())
    tones = look.reversed if cursor and look.cursor.reverse else look.tones
    segments = [
        Segment(CURSOR if cursor else " ", base + tones["accent"]),
        Segment(MARKED, base + tones["match"]) if marked else Segment(" ", base),
    ]
    indent = "  " * row.depth
    if row.fold is not None:
        indent += (OPEN if row.fold else CLOSED) + " "
    if indent:
        segments.append(Segment(indent, base + tones["faint"]))
    used = GUTTER + cell_len(indent)
    for part in row.lead:
        text = part.text + " "
        text = set_cell_size(text, max(0, min(cell_len(text), width - used)))  # crop would halve a character
        segments.append(Segment(text, base + tones[part.tone]))
        used += cell_len(text)
    spare = width - used - cell_len(row.text[:width])
    tail, tail_cells = _fitting(row.tail, width, spare)
    room = width - used - tail_cells
    if room < 0:
        return Strip(segments).crop(0, width).extend_cell_length(width, base)
    segments += _text(row, room, base, tones)
    segments += [Segment(text, base + tones[tone]) for text, tone in tail]
    return Strip(segments, width)


def clipped(text: str, cells: int) -> str:
    """``text`` in exactly ``cells`` cells, with an ellipsis where something was left out."""
    if cells <= 0:
        return ""
    if len(text) <= cells and cell_len(text) <= cells:
        return set_cell_size(text, cells)
    return set_cell_size(set_cell_size(text, cells - 1).rstrip() + "…", cells)


def _text(row: Row, room: int, base: Style, tones: Mapping[str, Style]) -> list[Segment]:
    text = clipped(row.text, room)
    style = base + tones[row.tone]
    if not row.emphasis:
        return [Segment(text, style)]
    out, at = [], 0
    for first, last, tone in row.emphasis:
        start, end = _whole(text, first), _whole(text, last)
        if start >= len(text) or start < at:
            continue
        out.append(Segment(text[at:start], style))
        out.append(Segment(text[start:end], base + tones[tone]))
        at = min(end, len(text))
    out.append(Segment(text[at:], style))
    return [segment for segment in out if segment.text]


def _whole(text: str, at: int) -> int:
    """The first place from ``at`` on where no character is cut: halves of one are wider than it is."""
    while 0 < at < len(text) and (
        cell_len(text[at]) == 0
        or text[at - 1] == _JOINER
        or text[at] in _SKINS
        or (text[at] in _FLAGS and text[at - 1] in _FLAGS)
    ):
        at += 1
    return at


def _fitting(tail: tuple[RowPart, ...], width: int, spare: int) -> tuple[list[tuple[str, str]], int]:
    """The last parts of ``tail`` that a row of ``width`` cells has room for, and the cells they take.

    They may take a share of the row, or ``spare``, which the text does not need. The very last one, the
    most important, may take more than all of them together; what is too long even so is cut to ``spare``.
    """
    gap = "  " if width >= _ROOMY else " "
    kept: list[tuple[str, str]] = []
    used = 1
    for part in reversed(tail):
        text: str = part.text
        cells = cell_len(text) + len(gap)
        if used + cells > max(spare, width * (_TAIL_SHARE if kept else _LAST_SHARE)):
            if kept or (room := spare - used - len(gap)) < _CLIPPED_CELLS:
                break
            text, cells = clipped(text, room), room + len(gap)
        kept.append((gap + text, part.tone))
        used += cells
    kept.reverse()
    return [*kept, (" ", "text")], used
