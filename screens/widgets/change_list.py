"""A list of lines that must be read whole: what does not fit into a row goes on in the next one.

Two texts beside each other, which are scrolled together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content

from screens.drawing.safe_text import Row, RowPart, Shown
from screens.widgets.entry_list import EntryList
from screens.widgets.row_strip import GUTTER

_LEAST = 20


class ChangeList(EntryList):
    """An EntryList whose plain rows are wrapped to its width, anew when that changes."""

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


def wrapped(rows: Sequence[Row], cells: int, *, hanging: bool = False) -> Iterator[Row]:
    """The rows, those that hold only text in as many parts as they need; a part is named ``id/n``.

    ``hanging``: those with a lead too; a part that hangs below it is inert.
    """
    for row in rows:
        indent = sum(cell_len(part.text) + 1 for part in row.lead)
        room = cells - GUTTER - 1 - 2 * row.depth - indent
        if room < _LEAST or (row.lead and not hanging) or row.tail or _fits(row.text, room):
            yield row
            continue
        at = 0
        for number, part in enumerate(Content(row.text).wrap(room)):
            text = Shown(part.plain)
            at = max(at, row.text.find(text, at))
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
            at += len(text)


def _fits(text: str, cells: int) -> bool:
    return len(text) * 2 <= cells or cell_len(text) <= cells


class SideBySide(Container):
    """Two lists, each in a frame with a title of its own."""

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
            one.jump(max(0, first - 2))

    def scroll(self, lines: int) -> None:
        """Both together."""
        for one in self.lists:
            one.jump(one.scroll_offset.y + lines)
