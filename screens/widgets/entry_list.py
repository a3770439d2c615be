"""The list widget of all panes and screens; also one with wrapped rows, and two side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, Self

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from screens.drawing.cursor import landing, place_of
from screens.drawing.safe_text import CLOSED, CURSOR, EMPTY, MARKED, OPEN, TONES, Row, RowPart, Shown, Tone
from screens.widgets.lines import Toned

_CACHED_STRIPS = 512


class LineView(ScrollView, inherit_bindings=False):
    """A line-API view whose number of lines changes often."""

    ALLOW_SELECT = False
    virtual_size: Reactive[Size] = Reactive(Size(0, 0), layout=False)

    def set_lines(self, count: int) -> None:
        """Have ``count`` lines from now on."""
        size = Size(self.size.width, count)
        if size != self.virtual_size:
            self.virtual_size = size
            self._scroll_update(size)  # what Textual calls after a layout; there is no public name for it

    def jump(self, line: int) -> None:
        """Show ``line`` at the top, at once."""
        self.scroll_to(y=max(0, line), animate=False, force=True, immediate=True)


class EntryList(LineView, Toned, can_focus=True, inherit_bindings=False):
    """Rows with a cursor, marks and a scroll bar, of which those in view are drawn.

    It reports in messages what a person does, and decides nothing. When the rows are exchanged, the cursor
    stays on its row, or goes to the nearest row that is still there.
    """

    SORT = "row"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "row--cursor", "row--resting", *(f"row--{tone}" for tone in TONES)
    }  # fmt: skip

    @dataclass
    class Moved(Message):
        """The cursor stands on another row, or on none."""

        entry_list: EntryList
        row: Row | None

        def __post_init__(self) -> None:
            super().__post_init__()
            self.set_sender(self.entry_list)  # else it ends at a parent that shows rows

    @dataclass
    class Opened(Message):
        """A row was double-clicked."""

        entry_list: EntryList
        row: Row

    @dataclass
    class Folded(Message):
        """The arrow of a row was clicked: it is to be closed, or opened."""

        entry_list: EntryList
        row: Row

    @dataclass
    class InView(Message):
        """Other rows came into view."""

        entry_list: EntryList
        rows: Sequence[Row]

    def __init__(self, *, empty: str = "", id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows: Sequence[Row] = ()
        self.cursor = 0
        self.marked: set[str] = set()
        self.narrowed = False
        """Whether a filter hides rows."""
        self.out_of_sight: set[str] = set()
        """Marks on rows that a filter hides: they come back with their rows; no action applies to them."""
        self.empty = empty
        self._anchor: str | None = None
        self._before_range: set[str] = set()
        self._look: RowStyles | None = None
        self._restyled = False
        self.staying = False
        """Whether what happens now to the frame changes no row: none is drawn anew for it."""
        self._strips: dict[tuple[int, int, bool, bool], tuple[Row, Strip]] = {}
        self._viewed: tuple[int, int, int] = (-1, -1, -1)

    # -- what is asked of it ---------------------------------------------------------------------

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    @property
    def of(self) -> Any | None:
        """What the row under the cursor stands for, to the screen that made it; None without a row."""
        return self.row.of if self.row else None

    @property
    def place(self) -> str:
        """Which row the cursor is on, of how many: ``3/1,200``; empty without rows."""
        return f"{self.cursor + 1:,}/{len(self.rows):,}" if self.rows else ""

    def marked_rows(self) -> list[Row]:
        """The marked rows, in order."""
        return [row for row in self.rows if row.id in self.marked] if self.marked else []

    def show(self, rows: Sequence[Row], *, go_to: str | None = None) -> None:
        """Show these rows; the cursor goes to the row ``go_to``, else stays with the row it is on.

        What was in view stays in view, also where the cursor was scrolled out of it.
        """
        before, top = self.row, self.scroll_offset.y
        offset, scrolled = self.cursor - top, not self.in_view()
        target = place_of(self.rows, self.cursor, rows, go_to)
        head = place_of(self.rows, min(top, len(self.rows) - 1), rows, None) if scrolled else 0
        self.rows = rows
        self.cursor = target
        if self.marked or self.out_of_sight:
            shown, every = {row.id for row in rows}, self.marked | self.out_of_sight
            self.marked, self.out_of_sight = every & shown, every - shown if self.narrowed else set()
        self.set_lines(len(rows))
        if scrolled and go_to is None:
            self.jump(head)
        else:
            if before and go_to is None:
                self.jump(target - offset)  # what a person reads does not jump
            self.into_view()
        self.refresh()
        self._report_view()
        if before != self.row:
            self.post_message(self.Moved(self, self.row))

    def move(self, steps: int) -> None:
        """Move the cursor, over inert rows, as far as there are rows."""
        step = 1 if steps > 0 else -1
        at, left = self.cursor, abs(steps)
        found = at
        while left and 0 <= at + step < len(self.rows):
            at += step
            if not self.rows[at].inert:
                found = at
                left -= 1
        self.go(found)

    def go(self, index: int) -> None:
        """Put the cursor on a row, or on the nearest one that takes it."""
        if not self.rows:
            return
        index = landing(self.rows, max(0, min(index, len(self.rows) - 1)))
        if index != self.cursor:
            self.refresh_line(self.cursor)
            self.cursor = index
            self.refresh_line(index)
            if self.ranging:
                self._follow_range()
            self.post_message(self.Moved(self, self.row))
        self.into_view()

    def go_up(self) -> None:
        """To the row that the one under the cursor is under."""
        above = range(self.cursor - 1, -1, -1)
        depth = self.row.depth if self.row else 0
        self.go(next((at for at in above if self.rows[at].depth < depth), self.cursor))

    def page(self, pages: float) -> None:
        """Move by a share of the height."""
        self.move(round(pages * max(2, self._height - 1)))

    def mark(self, ids: Iterable[str], *, on: bool) -> None:
        """Mark or unmark rows; a range that follows the cursor stays as it is from now on."""
        self._anchor = None
        self.marked = self.marked | set(ids) if on else self.marked - set(ids)
        self.refresh()

    def unmark(self) -> None:
        """Take all marks away."""
        self.mark(self.marked, on=False)

    @property
    def ranging(self) -> bool:
        """Whether a range of marks follows the cursor."""
        return self._anchor is not None

    def begin_range(self) -> None:
        """Mark the row under the cursor, and from now on all rows between it and the cursor."""
        if self.row:
            self._anchor, self._before_range = self.row.id, set(self.marked)
            self._follow_range()

    def end_range(self, *, keep: bool) -> None:
        """Stop following; ``keep`` what was marked, or put the marks back as they were."""
        self._anchor = None
        if not keep:
            self.marked = self._before_range & {row.id for row in self.rows}
            self.refresh()

    def _follow_range(self) -> None:
        anchor = next((at for at, row in enumerate(self.rows) if row.id == self._anchor), None)
        if anchor is None:  # the row is gone: the marks stay where they are
            self._anchor = None
            return
        first, last = sorted((anchor, self.cursor))
        between = (row.id for row in self.rows[first : last + 1] if row.address and not row.inert)
        self.marked = self._before_range | set(between)
        self.refresh()

    # -- drawing ---------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """Line ``y`` of the view."""
        look = self._read_look() if self._restyled or self._look is None else self._look
        width = self.scrollable_content_region.width
        index = self.scroll_offset.y + y
        if index >= len(self.rows):
            if not self.rows and y < len(said := self._said(width)):
                return row_strip(said[y], width, look, cursor=False, marked=False)
            return Strip.blank(width, look.ground)
        row = self.rows[index]
        cursor, marked = index == self.cursor, row.id in self.marked
        key = (index, width, cursor, marked)
        kept = self._strips.get(key)
        if kept and kept[0] is row:
            return kept[1]
        strip = row_strip(row, width, look, cursor=cursor, marked=marked)
        if len(self._strips) > _CACHED_STRIPS:
            self._strips.clear()
        self._strips[key] = row, strip
        return strip

    def _said(self, width: int) -> list[Row]:
        """What stands where rows would be: its first line above, the others fainter, all of them whole."""
        rows: list[Row] = []
        for number, line in enumerate(self.empty.split("\n")):
            tone: Tone = "faint" if number else "muted"
            parts = Content(line).wrap(max(1, width - GUTTER - 1)) or [Content("")]
            rows += [Row("", Shown(part.plain), tone=tone) for part in parts]
        return rows

    def notify_style_update(self) -> None:
        """Look at the colours again before the next line is drawn."""
        super().notify_style_update()
        self._restyled = True

    def watch_has_focus(self, _has_focus: bool) -> None:
        """The focus changes the cursor's line alone: no rule of a style sheet has to be matched anew."""
        self._restyled = True

    def refresh(
        self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> Self:
        """Draw what changed; nothing where a parent alone changed its colours."""
        if self.staying and not (regions or layout or recompose):
            return self
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def _read_look(self) -> RowStyles:
        tones: dict[str, Style] = {name: self.tone(name) for name in TONES}
        cursor = self.tone("cursor" if self.has_focus else "resting")
        ground = Style.from_color(self.rich_style.color, self.rich_style.bgcolor)
        look, before = RowStyles(ground, cursor, tones), self._look
        if before is None or (before.ground, before.tones) != (ground, tones):
            self._strips.clear()
        elif before.cursor != cursor:  # the focus came or went: only the cursor's line differs
            self._strips = {key: kept for key, kept in self._strips.items() if not key[2]}
        self._look, self._restyled = look, False
        return look

    # -- events ----------------------------------------------------------------------------------

    def on_focus(self, event: events.Focus) -> None:
        """Draw the cursor's line anew: for all of them, as Textual would, it takes ten times as long."""
        self._focus_changed(event, events.DescendantFocus(self), has_focus=True)

    def on_blur(self, event: events.Blur) -> None:
        """Draw the cursor's line anew."""
        self._focus_changed(event, events.DescendantBlur(self), has_focus=False)

    def _focus_changed(self, event: Message, told: Message, *, has_focus: bool) -> None:
        event.prevent_default()
        self.has_focus = has_focus
        self.refresh_line(self.cursor)
        if self.parent is not None:
            self.parent.post_message(told)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Report what came into view."""
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self._report_view()

    def on_resize(self) -> None:
        """Keep the cursor in view, if it was, and report what is."""
        top, height, _ = self._viewed
        self.set_lines(len(self.rows))
        if height <= 0 or top <= self.cursor < top + height:
            self.into_view()
        self._report_view()

    def on_click(self, event: events.Click) -> None:
        """Put the cursor where the mouse is; a double click opens, a click on an arrow folds."""
        at = event.get_content_offset(self)
        if at is None:
            return
        index = self.scroll_offset.y + at.y
        if index < len(self.rows) and not self.rows[index].inert:
            self.go(index)
            row = self.rows[index]
            if row.fold is not None and 0 <= at.x - GUTTER - 2 * row.depth < 2:
                self.post_message(self.Folded(self, row))
            elif event.chain == 2:
                self.post_message(self.Opened(self, row))

    # -- places ----------------------------------------------------------------------------------

    @property
    def _height(self) -> int:
        return self.scrollable_content_region.height

    def in_view(self) -> bool:
        """Whether the row under the cursor is in view; so it is where there is none."""
        return self.row is None or 0 <= self.cursor - self.scroll_offset.y < max(1, self._height)

    def into_view(self) -> None:
        """Scroll as little as needed to see the row under the cursor."""
        top, height = self.scroll_offset.y, self._height
        if height <= 0:
            return
        if self.cursor < top:
            above = self.cursor
            while above > 0 and self.rows[above - 1].inert:
                above -= 1  # a heading comes into view with its first entry
            self.jump(above if self.cursor - above < height else self.cursor)
        elif self.cursor >= top + height:
            self.jump(self.cursor - height + 1)

    def _report_view(self) -> None:
        top, height = self.scroll_offset.y, self._height
        viewed = (top, height, id(self.rows))
        if height > 0 and viewed != self._viewed:
            self._viewed = viewed
            self.post_message(self.InView(self, self.rows[top : top + height]))


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
class RowStyles:
    """The styles of a list at this moment: its ground, its cursor line, and each tone."""

    ground: Style
    cursor: Style
    tones: Mapping[str, Style]

    @property
    def reversed(self) -> Mapping[str, Style]:
        """Each tone in a reversed line, where colours would become grounds, and what is dim a stain."""
        return {name: Style(bold=tone.bold, underline=tone.underline) for name, tone in self.tones.items()}


def row_strip(row: Row, width: int, look: RowStyles, *, cursor: bool, marked: bool) -> Strip:
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


_LEAST = 20


class ChangeList(EntryList):
    """An EntryList whose plain rows are wrapped to its width, so that long lines can be read in full."""

    def __init__(self, *, empty: str = "", id: str | None = None, hanging: bool = False) -> None:
        """``hanging``: rows with a lead are wrapped too, to the right of it."""
        super().__init__(empty=empty, id=id)
        self._hanging = hanging
        self._whole: Sequence[Row] = ()
        self._wrapped_to = 0

    def show(self, rows: Sequence[Row], *, go_to: str | None = None) -> None:
        """Show these rows, the long ones over several lines."""
        self._whole = rows
        self._wrapped_to = self.scrollable_content_region.width
        super().show(list(wrapped(rows, self._wrapped_to, hanging=self._hanging)), go_to=go_to)

    def on_resize(self) -> None:
        """Wrap anew."""
        if self.scrollable_content_region.width != self._wrapped_to:
            self.show(self._whole)
        super().on_resize()


@lru_cache(1024)
def wrap(text: str, width: int) -> tuple[tuple[int, str], ...]:
    """The parts of a line, each with where it begins: the same lines are laid out at every step in a file."""
    parts: list[tuple[int, str]] = []
    end = 0
    for part in Content(text).wrap(width):
        start = max(end, text.find(part.plain, end))
        end = start + len(part.plain)
        parts.append((start, part.plain))
    return tuple(parts)


def wrapped(rows: Sequence[Row], cells: int, *, hanging: bool = False) -> Iterator[Row]:
    """The rows, those that hold only text in as many parts as they need; a part is named ``id/n``.

    ``hanging``: those with a lead too, below it where there is no room at its right. What hangs is inert.
    """
    for row in rows:
        indent = sum(cell_len(part.text) + 1 for part in row.lead)
        room = cells - GUTTER - 1 - 2 * row.depth - indent
        if (row.lead and not hanging) or row.tail or _fits(row.text, room):
            yield row
            continue
        if room < _LEAST:
            if row.lead and cells:  # without cells it is not laid out yet
                yield replace(row, text=EMPTY, emphasis=())
                row = replace(row, id=f"{row.id}/", lead=(), depth=row.depth + 1, inert=True)  # noqa: PLW2901
                yield from wrapped([row], cells)
            else:
                yield row
            continue
        for number, (at, part) in enumerate(wrap(row.text, room)):
            text = Shown(part)
            marks = tuple(
                (max(start - at, 0), min(end - at, len(text)), tone)
                for start, end, tone in row.emphasis
                if start < at + len(text) and end > at
            )
            one = replace(row, text=text, emphasis=marks)
            if number:
                lead = (RowPart(Shown(" " * (indent - 1)), "text"),) if indent else ()
                one = replace(one, id=f"{row.id}/{number}", lead=lead, inert=row.inert or bool(indent))
            yield one


def _fits(text: str, cells: int) -> bool:
    return len(text) * 2 <= cells or cell_len(text) <= cells


class SideBySide(Container):
    """Two lists beside each other, each in a frame with a title; they are scrolled together."""

    def __init__(self) -> None:
        super().__init__(classes="sides")
        self.lists = ChangeList(), ChangeList()

    def compose(self) -> ComposeResult:
        """The frames."""
        for one in self.lists:
            with Vertical(classes="side"):
                yield one

    def entitle(self, *titles: str) -> None:
        """What each of the two is; the program's own words."""
        for frame, title in zip(self.query(".side"), titles, strict=True):
            frame.border_title = Content(title)

    def show(self, left: Sequence[Row], right: Sequence[Row]) -> None:
        """Show both, each from its first row that is brought out, or from its beginning."""
        for one, rows in zip(self.lists, (left, right), strict=True):
            one.show(rows)
            first = next((at for at, row in enumerate(one.rows) if row.tone == "match"), 0)
            one.go(first)
            one.jump(first - 2)

    def scroll(self, lines: int) -> None:
        """Both together."""
        for one in self.lists:
            one.jump(one.scroll_offset.y + lines)
