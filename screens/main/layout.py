"""What of the main screen is seen: which panes, how large, and whether the preview is being read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from screens.main.movement import Command

if TYPE_CHECKING:
    from screens.main.screen import MainScreen


class Laying:
    """Shows what fits."""

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen
        self._plan: Arrangement | None = None
        self.current = self.zoom = 0
        self.reading = False

    def commands(self) -> dict[str, Command]:
        """The commands by action id."""
        return {
            "zoom_in": lambda: self.set_zoom(self.zoom + 1),
            "zoom_out": lambda: self.set_zoom(self.zoom - 1),
            "zoom_reset": lambda: self.set_zoom(0),
        }

    def set_zoom(self, zoom: int) -> None:
        """Give the current pane more room, or less."""
        self.zoom = max(0, min(MAX_ZOOM, zoom))
        self.lay_out()

    def read(self, *, on: bool) -> None:
        """Give the preview most of the screen, or take it back."""
        self.reading = on
        self.lay_out()

    def lay_out(self) -> None:
        """Show what fits."""
        screen = self._screen
        width, height = screen.app.size
        plan = arrange(width, height, current=self.current, zoom=self.zoom, reading=self.reading)
        screen.tabs.show(self.current)
        screen.show_hints()
        if plan == self._plan:
            return
        first, self._plan = self._plan is None, plan
        classes = {f"-{shape}": plan.shape is shape for shape in Shape}
        classes |= {"-alone": len(plan.panes) == 1, "-reading": self.reading}
        screen.update_classes(classes, update=not first)  # a screen that begins is given its styles anyway
        for at, pane in enumerate(screen.panes):
            pane.display = at in plan.panes
        screen.tabs.display = plan.tabs
        screen.preview.display = plan.preview
        screen.call_after_refresh(self.cover_panes)

    def cover_panes(self) -> None:
        """The search stands exactly over the panes, so that the preview below shows the hit."""
        screen = self._screen
        region = screen.query_one("#panes").region
        if screen.overlay.is_open and region.height:
            screen.overlay.styles.offset = (0, region.y)
            screen.overlay.styles.height = max(6, region.height)


MAX_ZOOM = 2
_PREVIEW_FROM = 18


class Shape(StrEnum):
    """How the panes stand."""

    WIDE = "wide"
    SQUARE = "square"
    PAIR = "pair"
    SINGLE = "single"


@dataclass(frozen=True, slots=True)
class Arrangement:
    """What is shown: the panes by index, and whether there are tabs and a preview."""

    shape: Shape
    panes: tuple[int, ...]
    tabs: bool
    preview: bool


def arrange(width: int, height: int, *, current: int, zoom: int, reading: bool) -> Arrangement:
    """The arrangement for a terminal of ``width`` x ``height`` cells."""
    shape = _shape(width)
    preview = height >= _PREVIEW_FROM
    if zoom or reading:
        shown = zoom < MAX_ZOOM and preview
        return Arrangement(shape, (current,), tabs=True, preview=shown or reading)
    if shape is Shape.SINGLE:
        return Arrangement(shape, (current,), tabs=True, preview=preview)
    if shape is Shape.PAIR:
        first = current // 2 * 2
        return Arrangement(shape, (first, first + 1), tabs=True, preview=preview)
    if shape is Shape.SQUARE and height < 20:
        first = current // 2 * 2
        return Arrangement(shape, (first, first + 1), tabs=True, preview=False)
    return Arrangement(shape, (0, 1, 2, 3), tabs=False, preview=preview)


def _shape(width: int) -> Shape:
    if width >= 140:
        return Shape.WIDE
    if width >= 100:
        return Shape.SQUARE
    return Shape.PAIR if width >= 60 else Shape.SINGLE
