"""Marks in the dream review: one, a range, all that can be marked."""

from __future__ import annotations

from collections.abc import Callable

from screens.main.movement import Command
from screens.widgets.entry_list import EntryList


class Marking:
    """The commands that mark rows of a list; ``changed`` hears of it."""

    def __init__(self, rows: EntryList, changed: Callable[[], None]) -> None:
        self._list = rows
        self._changed = changed

    def commands(self) -> dict[str, Command]:
        """The commands by action id."""
        return {"mark": self._mark, "range": self._range, "mark_all": self._mark_all}

    def _mark(self) -> None:
        here = self._list
        if here.row is not None:
            here.mark([here.row.id], on=here.row.id not in here.marked)
            here.move(1)
            self._changed()

    def _range(self) -> None:
        if self._list.ranging:
            self._list.end_range(keep=True)
        else:
            self._list.begin_range()
        self._changed()

    def _mark_all(self) -> None:
        every = {row.id for row in self._list.rows if row.address and not row.inert}
        self._list.mark(every, on=not every <= self._list.marked)
        self._changed()
