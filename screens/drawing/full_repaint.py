"""A screen that paints everything that moved, also where somebody asked in between where it stands.

Textual tells what has changed by comparing a new layout with the map of widgets that it keeps. When a widget
is asked for its place while a change waits to be laid out, that map is made anew at once, and what is laid
out next seems to change nothing: it is not painted, and whoever is shown by it never hears of it. Here the
comparison is with the last layout that was painted.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine

from textual.geometry import Size
from textual.screen import Screen, ScreenResultType
from textual.worker import Worker

Work = Callable[[], Coroutine[None, None, None]]


class WorkingScreen(Screen[ScreenResultType]):
    """What fails in a worker does not end the program."""

    def work(self, work: Work, group: str, *, exclusive: bool = False) -> None:
        """Start a worker; a newer ``exclusive`` one of its ``group`` ends it."""
        _: Worker[None] = self.run_worker(work, group=group, exclusive=exclusive, exit_on_error=False)


class LaidOutScreen(WorkingScreen[None]):
    """A screen whose layouts are painted to the last cell."""

    def __init__(self, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self._laid_out = self._compositor._full_map

    # Not public: where Textual should call it otherwise one day, layouts are painted as it paints them.
    def _refresh_layout(self, size: Size | None = None, scroll: bool = False) -> None:
        self._compositor._full_map = self._laid_out
        super()._refresh_layout(size, scroll)
        self._laid_out = self._compositor._full_map
