"""Which panes are seen at which size: a pure function of the size, the current pane and the zoom."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

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
