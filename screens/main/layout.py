"""The layout of the main screen: which panes are shown, how large, and whether the preview is being read."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from textual.containers import Container

if TYPE_CHECKING:
    from screens.main.screen import MainScreen


class PaneLayout:
    """Shows as many panes as fit, and the preview where there is room."""

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen
        self._plan: Arrangement | None = None
        self.current = self.zoom = 0
        self.reading = False

    def action_next_pane(self) -> None:
        """To the pane behind this one."""
        self._step_pane(1)

    def action_previous_pane(self) -> None:
        """To the pane before it."""
        self._step_pane(-1)

    def _step_pane(self, step: int) -> None:
        self._screen.go_to_pane((self.current + step) % len(self._screen.panes))

    def action_zoom_in(self) -> None:
        """More room for this pane."""
        self.set_zoom(self.zoom + 1)

    def action_zoom_out(self) -> None:
        """Less room for it."""
        self.set_zoom(self.zoom - 1)

    def action_zoom_reset(self) -> None:
        """All panes the same again."""
        self.set_zoom(0)

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
        empty = [at for at, pane in enumerate(screen.panes) if pane.vacant]
        plan = arrange(width, height, current=self.current, zoom=self.zoom, reading=self.reading, empty=empty)
        screen.tabs.current = self.current
        screen.strip.display = width >= _STRIP_FROM[0] and height >= _STRIP_FROM[1]
        screen.show_hints()
        if plan == self._plan:
            return
        first, self._plan = self._plan is None, plan
        classes = {f"-{shape}": plan.shape is shape for shape in PaneShape}
        classes |= {"-reading": self.reading, "-right": plan.right}
        screen.update_classes(classes, update=not first)  # a screen that begins is given its styles anyway
        for at, pane in enumerate(screen.panes):
            pane.display = at in plan.panes
            pane.set_class(at in plan.strips, "-strip")
        for pair, share in zip(screen.pairs, plan.shares, strict=True):
            pair.display = bool(share)
            pair.styles.width = f"{share}fr" if plan.shape is PaneShape.WIDE else "1fr"
            pair.set_class(share == 2 * STRIP_WIDTH and plan.shape is PaneShape.SQUARE, "-low")
        screen.tabs.display = plan.tabs
        screen.preview.display = plan.preview

    def cover_panes(self) -> None:
        """The search stands exactly over the panes, so that the preview below shows the hit."""
        overlay, region = self._screen.overlay, self._screen.frame.region
        if overlay.is_open and region.height:
            overlay.styles.offset = (0, region.y)
            overlay.styles.width = region.width
            overlay.styles.height = max(6, region.height)


class PanesFrame(Container):
    """Holds the panes, and tells when it has got another size."""

    def __init__(self, *pairs: Container, resized: Callable[[], None]) -> None:
        super().__init__(*pairs, id="panes")
        self._resized = resized

    def on_resize(self) -> None:
        """It is laid out: what lies over it can be."""
        self._resized()


MAX_ZOOM = 2
STRIP_WIDTH = 18
"""Columns of a pane without rows, where another pane has some."""
_PREVIEW_FROM = 18
_STRIP_FROM = 60, 20
"""Columns and lines from which on the other screens are named."""
_RIGHT_FROM = 180
"""Columns from which on there is room for the preview beside two panes."""
_SQUARE_FROM = 20
"""Lines from which on there is room for two rows of panes."""


class PaneShape(StrEnum):
    """How the panes stand."""

    WIDE = "wide"
    SQUARE = "square"
    PAIR = "pair"
    SINGLE = "single"


@dataclass(frozen=True, slots=True)
class Arrangement:
    """What is shown: the panes by index, and whether there are tabs and a preview.

    ``strips`` are those of them that are narrow, since nothing is in them. ``shares`` are the columns of each
    pair of panes where all four stand side by side; 0 hides the pair.
    """

    shape: PaneShape
    panes: tuple[int, ...]
    tabs: bool
    preview: bool
    strips: tuple[int, ...] = ()
    shares: tuple[int, ...] = (1, 1)
    right: bool = False
    """Whether the preview stands right of the panes, and not below."""


def arrange(
    width: int, height: int, *, current: int, zoom: int, reading: bool, empty: Collection[int] = ()
) -> Arrangement:
    """The arrangement for a terminal of ``width`` x ``height`` cells; ``empty`` panes leave their room."""
    shape = _shape(width)
    preview = height >= _PREVIEW_FROM
    alone = bool(zoom or reading) or shape is PaneShape.SINGLE
    flat = shape is PaneShape.SQUARE and height < _SQUARE_FROM
    first = current // 2 * 2
    panes: tuple[int, ...] = (0, 1, 2, 3)
    if alone:
        panes = (current,)
        preview = reading or (preview and zoom < MAX_ZOOM)
    elif shape is PaneShape.PAIR or flat:
        panes = (first, first + 1)
        preview = preview and not flat
    strips = tuple(at for at in panes if at in empty)
    if len(strips) == len(panes):
        strips = ()
    full = len(panes) - len(strips)
    right = preview and shape is PaneShape.WIDE and (alone or (full <= 2 and width >= _RIGHT_FROM))
    each = (width - STRIP_WIDTH * len(strips)) / full
    cells = [STRIP_WIDTH if at in strips else each for at in panes]
    placed = list(zip(panes, cells, strict=True))
    shares = tuple(round(sum(cell for at, cell in placed if at // 2 == pair)) for pair in (0, 1))
    return Arrangement(shape, panes, len(panes) < 4, preview, strips, shares, right)


def _shape(width: int) -> PaneShape:
    if width >= 140:
        return PaneShape.WIDE
    if width >= 100:
        return PaneShape.SQUARE
    return PaneShape.PAIR if width >= 60 else PaneShape.SINGLE
