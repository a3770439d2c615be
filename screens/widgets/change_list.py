"""A list of lines that must be read whole: what does not fit into a row goes on in the next one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.cells import cell_len
from textual.content import Content

from screens.rows import Row
from screens.shown import Shown
from screens.widgets.entry_list import EntryList
from screens.widgets.row_strip import GUTTER

_LEAST = 20


class ChangeList(EntryList):
    """An EntryList whose plain rows are wrapped to its width, anew when that changes."""

    def __init__(self, *, empty: str = "", id: str | None = None) -> None:
        super().__init__(empty=empty, id=id)
        self._whole: Sequence[Row] = ()
        self._wrapped_to = 0

    def show(self, rows: Sequence[Row], *, go_to: str | None = None) -> None:
        """Show these rows, the long ones over several lines."""
        self._whole = rows
        self._wrapped_to = self.scrollable_content_region.width
        super().show(list(wrapped(rows, self._wrapped_to)), go_to=go_to)

    def on_resize(self) -> None:
        """Wrap anew."""
        if self.scrollable_content_region.width != self._wrapped_to:
            self.show(self._whole)
        super().on_resize()


def wrapped(rows: Sequence[Row], cells: int) -> Iterator[Row]:
    """The rows, those that hold only text in as many parts as they need; a part is named ``id/n``."""
    for row in rows:
        room = cells - GUTTER - 1 - 2 * row.depth
        if room < _LEAST or row.lead or row.tail or row.emphasis or _fits(row.text, room):
            yield row
            continue
        for number, part in enumerate(Content(row.text).wrap(room)):
            yield replace(row, id=f"{row.id}/{number}" if number else row.id, text=Shown(part.plain))


def _fits(text: str, cells: int) -> bool:
    return len(text) * 2 <= cells or cell_len(text) <= cells
