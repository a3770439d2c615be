"""Moving about: within a list, between panes, zoom, folds, marks, the preview."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from screens.drawing.rows import Row
from screens.widgets.entry_list import EntryList

if TYPE_CHECKING:
    from screens.main.screen import MainScreen

_PREVIEW_STEP = 3
Command = Callable[[], None]


def list_commands(here: Callable[[], EntryList]) -> dict[str, Command]:
    """The commands that move in the list which ``here`` answers, by action id."""
    return {
        "down": lambda: here().move(1),
        "up": lambda: here().move(-1),
        "top": lambda: here().go(0),
        "bottom": lambda: here().go(len(here().rows) - 1),
        "half_down": lambda: here().page(0.5),
        "half_up": lambda: here().page(-0.5),
        "page_down": lambda: here().page(1),
        "page_up": lambda: here().page(-1),
    }


def mark_commands(here: Callable[[], EntryList], changed: Callable[[], None]) -> dict[str, Command]:
    """The commands that mark rows of the list which ``here`` answers; ``changed`` hears of it."""

    def mark() -> None:
        rows = here()
        if rows.row:
            rows.mark([rows.row.id], on=rows.row.id not in rows.marked)
            rows.move(1)
            changed()

    def mark_range() -> None:
        rows = here()
        if rows.ranging:
            rows.end_range(keep=True)
        else:
            rows.begin_range()
        changed()

    def mark_all() -> None:
        rows = here()
        ids = {row.id for row in rows.rows if row.address and not row.inert}
        rows.mark(ids, on=not ids <= rows.marked)
        changed()

    return {"mark": mark, "range": mark_range, "mark_all": mark_all}


class Moving:
    """The commands that change where a person is and nothing else."""

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen

    def commands(self) -> dict[str, Command]:
        """The commands by action id."""
        screen = self._screen
        return {
            **list_commands(lambda: screen.here),
            **mark_commands(lambda: screen.here, screen.marks_changed),
            "down": lambda: self._move(1),
            "up": lambda: self._move(-1),
            "unfold": self._unfold,
            "fold": self._fold,
            "pane_logs": lambda: screen.go_to_pane(0),
            "pane_memory": lambda: screen.go_to_pane(1),
            "pane_episodes": lambda: screen.go_to_pane(2),
            "pane_graph": lambda: screen.go_to_pane(3),
            "next_pane": lambda: self._step_pane(1),
            "previous_pane": lambda: self._step_pane(-1),
            "switch": self._switch,
            "preview_down": lambda: screen.preview.scroll_by(_PREVIEW_STEP),
            "preview_up": lambda: screen.preview.scroll_by(-_PREVIEW_STEP),
        }

    def toggle(self, row: Row) -> None:
        """Open a closed row, close an open one."""
        self._screen.pane.set_fold(row, not row.fold)

    def _move(self, steps: int) -> None:
        """To another row; to another match where somebody types what to find."""
        if self._screen.finding.finding:
            self._screen.finding.step(steps)
        else:
            self._screen.here.move(steps)

    def _unfold(self) -> None:
        row = self._screen.here.row
        if row and row.fold is False and not self._screen.overlay.is_open:
            self._screen.pane.set_fold(row, True)
        elif row and row.fold:
            self._screen.here.move(1)

    def _fold(self) -> None:
        """Close the row, or go up to the one that it is under."""
        here = self._screen.here
        if self._screen.overlay.is_open or not (row := here.row):
            return
        if row.fold:
            self._screen.pane.set_fold(row, False)
            return
        above = range(here.cursor - 1, -1, -1)
        parent = (at for at in above if here.rows[at].fold is not None and here.rows[at].depth < row.depth)
        here.go(next(parent, here.cursor))

    def _step_pane(self, step: int) -> None:
        screen = self._screen
        screen.go_to_pane((screen.current + step) % len(screen.panes))

    def _switch(self) -> None:
        screen, overlay = self._screen, self._screen.overlay
        screen.set_focus(overlay.hits if screen.focused is overlay.input else overlay.input)
