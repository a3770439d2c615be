"""A small map of an entity: a box in the middle, its neighbours at both sides, lines with their relations.

Everything reads from left to right: what leads to the entity stands at the left, what it leads to at the
right, so that `Sarah ── works on ─► Atlas` is a sentence. Where one side is empty or full, the other takes
some of its neighbours, and their arrows point the other way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len

from screens.drawing.rows import RowPart, Tone
from screens.drawing.safe_text import Shown, grouped, words
from screens.widgets.row_strip import clipped

LEAST_WIDTH, LEAST_HEIGHT = 36, 5
"""Cells and lines below which nothing is drawn."""
_BOX_SHARE, _LABEL_SHARE = 0.4, 0.45
_SHORTEST_NAME = 6
_AROUND = 7
"""Cells of the arrow, and of the blanks around the words."""
_CORNERS = {  # left, right, up, down
    "lr": "─", "ud": "│", "lrud": "┼", "lud": "┤", "rud": "├", "lru": "┴", "lrd": "┬",
    "lu": "╯", "ld": "╮", "ru": "╰", "rd": "╭", "l": "─", "r": "─", "u": "│", "d": "│",
}  # fmt: skip

Line = tuple[RowPart, ...]


@dataclass(frozen=True, slots=True)
class Spoke:
    """A neighbour: ``forward`` where the relation leads from the entity to it. ``id`` tells it apart."""

    id: str
    label: Shown
    name: Shown
    forward: bool
    tone: Tone = "text"


@dataclass(slots=True)
class _Side:
    """The neighbours at one side, on the lines that they stand on."""

    spokes: list[Spoke]
    left_out: int = 0
    at: dict[int, Spoke] = field(default_factory=dict)
    more_at: int | None = None

    @property
    def lines(self) -> list[int]:
        """The lines that something stands on, from the top."""
        return sorted([*self.at, *([self.more_at] if self.more_at is not None else [])])


def draw_map(
    center: Shown, spokes: Sequence[Spoke], width: int, height: int, *, more: int = 0, chosen: str = ""
) -> list[Line]:
    """The map in at most ``height`` lines of exactly ``width`` cells; nothing where there is no room.

    ``more`` counts neighbours that are not among ``spokes``; ``chosen`` is the one to bring out.
    """
    if width < LEAST_WIDTH or height < LEAST_HEIGHT or not spokes:
        return []
    left, right = _sides(spokes, height, more)
    for side in (left, right):
        _place(side, height)
    tall = max(3, *((side.lines[-1] - side.lines[0] + 1) for side in (left, right) if side.lines))
    middle = tall // 2
    for side in (left, right):
        _centre(side, tall)
    box = min(cell_len(center) + 4, max(10, int(width * _BOX_SHARE)))
    rest = width - box - 2 * (bool(left.lines) + bool(right.lines))
    left_cells, right_cells, margin = _shares(_needs(left), _needs(right), rest)
    lines = []
    for y in range(tall):
        parts = [RowPart(words(" " * (margin // 2)))]
        if left.lines:
            parts += _arm(left, y, left_cells, middle, chosen, mirrored=True)
        parts += _box(center, box, y - middle, left=bool(left.lines), right=bool(right.lines))
        if right.lines:
            parts += _arm(right, y, right_cells, middle, chosen, mirrored=False)
        parts.append(RowPart(words(" " * (margin - margin // 2))))
        lines.append(tuple(part for part in parts if part.text))
    return lines


def _sides(spokes: Sequence[Spoke], height: int, more: int) -> tuple[_Side, _Side]:
    """Who stands where; what there is no line for is counted."""
    incoming = [spoke for spoke in spokes if not spoke.forward]
    outgoing = [spoke for spoke in spokes if spoke.forward]
    for full, spare in ((incoming, outgoing), (outgoing, incoming)):
        while len(full) > len(spare) + 1 and (not spare or len(full) > height or _moved(spare, full)):
            spare.append(full.pop())
    sides = _Side(incoming), _Side(outgoing)
    for side in sides:
        if len(side.spokes) > height:
            side.left_out = len(side.spokes) - (height - 1)
            del side.spokes[height - 1 :]
    if more:
        side = max(sides, key=lambda one: (one.left_out, -len(one.spokes)))
        side.left_out += more
        if len(side.spokes) == height:
            side.left_out += 1
            side.spokes.pop()
    return sides


def _needs(side: _Side) -> int:
    """The cells in which nothing of a side is cut off."""
    labels = max((cell_len(spoke.label) for spoke in side.spokes), default=0)
    names = max((cell_len(spoke.name) for spoke in side.spokes), default=0)
    return max(labels + names + _AROUND, cell_len(_more(side)) if side.left_out else 0) if side.lines else 0


def _shares(left: int, right: int, rest: int) -> tuple[int, int, int]:
    """The cells of both sides, and those that neither needs; where both need more, they share alike."""
    if left + right <= rest:
        return left, right, rest - left - right
    half = rest // 2
    left_cells = max(min(left, half), rest - right) if right else rest
    return left_cells, rest - left_cells, 0


def _more(side: _Side) -> Shown:
    return words(f"─ … {grouped(side.left_out)} more ")


def _moved(spare: Sequence[Spoke], full: Sequence[Spoke]) -> bool:
    """Whether one of the others stands on this side already: then both sides are to be the same."""
    return any(spoke.forward is full[0].forward for spoke in spare)


def _place(side: _Side, height: int) -> None:
    """A line for each, with one between where there is room."""
    count = len(side.spokes) + bool(side.left_out)
    step = 2 if 2 * count - 1 <= height else 1
    side.at = {number * step: spoke for number, spoke in enumerate(side.spokes)}
    side.more_at = (count - 1) * step if side.left_out else None


def _centre(side: _Side, tall: int) -> None:
    """Around the line of the box."""
    if side.lines:
        last = side.lines[-1]
        shift = min(tall // 2 - last // 2, tall - 1 - last)
        side.at = {y + shift: spoke for y, spoke in side.at.items()}
        side.more_at = None if side.more_at is None else side.more_at + shift


def _arm(side: _Side, y: int, cells: int, middle: int, chosen: str, *, mirrored: bool) -> list[RowPart]:
    """One line of a side: the spine beside the box, and the neighbour on this line."""
    lines = side.lines
    first, last = min(lines[0], middle), max(lines[-1], middle)
    ways = ("r" if not mirrored else "l") if y in lines else ""
    ways += ("l" if not mirrored else "r") if y == middle else ""
    ways += ("u" if first < y <= last else "") + ("d" if first <= y < last else "")
    ordered = "".join(way for way in "lrud" if way in ways)
    spine = _CORNERS.get(ordered, " ")
    stub = "─" if y == middle else " "
    spoke = side.at.get(y)
    if spoke is not None:
        bold = bool(chosen) and spoke.id == chosen
        outside = _spoke(spoke, _label_cells(side, cells), cells, mirrored=mirrored, bold=bold)
    elif y == side.more_at:
        said = _more(side)
        if mirrored:
            text = f"{said[2:]}─"
            said = words(" " * (cells - cell_len(text)) + text)
        outside = [RowPart(words(clipped(said, cells)), "faint")]
    else:
        outside = [RowPart(words(" " * cells))]
    if mirrored:
        return [*outside, RowPart(words(spine), "faint"), RowPart(words(stub), "faint")]
    return [RowPart(words(stub), "faint"), RowPart(words(spine), "faint"), *outside]


def _label_cells(side: _Side, cells: int) -> int:
    """The cells of the labels of a side, the same for all, so that names stand under each other."""
    longest = max((cell_len(spoke.label) for spoke in side.spokes), default=0)
    names = max((cell_len(spoke.name) for spoke in side.spokes), default=0)
    room = cells - _AROUND
    if longest + names <= room:
        return longest
    fitting = max(int(room * _LABEL_SHARE), room - names)
    return min(longest, fitting) if room - min(longest, fitting) >= _SHORTEST_NAME else 0


def _spoke(spoke: Spoke, label_cells: int, cells: int, *, mirrored: bool, bold: bool) -> list[RowPart]:
    """``─ works on ─► Atlas``, or its mirror image, in exactly ``cells`` cells."""
    outward = spoke.forward
    label = clipped(spoke.label, min(label_cells, cell_len(spoke.label))).strip() if label_cells else ""
    fill = "─" * (label_cells - cell_len(label))
    arrow = "◄" if mirrored else "►"
    inward = "►" if mirrored else "◄"
    near, far = ("─", f"{fill}─{arrow}") if outward else (inward, f"{fill}──")
    tone: Tone = "match" if bold else spoke.tone
    said = f" {label} " if label else ""
    used = cell_len(near) + cell_len(said) + cell_len(far) + 1
    name = clipped(spoke.name, min(max(0, cells - used), cell_len(spoke.name)))
    blank = " " * max(0, cells - used - cell_len(name))
    parts = [
        RowPart(words(near), "faint"),
        RowPart(words(said), "muted"),
        RowPart(words(far if not mirrored else far[::-1]), "faint"),
        RowPart(words(" ")),
        RowPart(words(name), tone),
        RowPart(words(blank)),
    ]
    return parts[::-1] if mirrored else parts


def _box(center: Shown, cells: int, y: int, *, left: bool, right: bool) -> list[RowPart]:
    """A line of the box, ``y`` from its middle."""
    if y in (-1, 1):
        ends = "╭╮" if y < 0 else "╰╯"
        return [RowPart(words(f"{ends[0]}{'─' * (cells - 2)}{ends[1]}"), "accent")]
    if y:
        return [RowPart(words(" " * cells))]
    name = clipped(center, cells - 4)
    return [
        RowPart(words("┤ " if left else "│ "), "accent"),
        RowPart(words(name), "head"),
        RowPart(words(" ├" if right else " │"), "accent"),
    ]
