"""A screen that paints everything that moved, also where somebody asked in between where it stands.

Textual tells what has changed by comparing a new layout with the map of widgets that it keeps. When a widget
is asked for its place while a change waits to be laid out, that map is made anew at once, and what is laid
out next seems to change nothing: it is not painted, and whoever is shown by it never hears of it. Here the
comparison is with the last layout that was painted.
"""

from __future__ import annotations

# Private, and pinned to one version of Textual: what it compares a layout with is kept nowhere else, and
# without it rows stay on the screen that are not there any more.
from textual._compositor import Compositor, ReflowResult
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget


class _Compositor(Compositor):
    def __init__(self) -> None:
        super().__init__()
        self._laid_out = self._full_map

    def reflow(self, parent: Widget, size: Size) -> ReflowResult:
        """Lay out; what changed since the last time is to be painted."""
        self._full_map = self._laid_out
        result = super().reflow(parent, size)
        self._laid_out = self._full_map
        return result


class LaidOutScreen(Screen[None]):
    """A screen whose layouts are painted to the last cell."""

    def __init__(self, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self._compositor = _Compositor()
