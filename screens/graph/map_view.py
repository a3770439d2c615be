"""A small map of an entity: a box in the middle, its neighbours at both sides, lines with their relations.

Everything reads from left to right: what leads to the entity stands at the left, what it leads to at the
right, so that `Sarah ── works on ─► Atlas` is a sentence. Where one side is empty or full, the other takes
some of its neighbours, and their arrows point the other way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.widget import Widget

from screens.drawing.rows import EMPTY, RowPart, Tone
from screens.drawing.safe_text import Shown, grouped, row_text, words
from screens.widgets.entry_list import TONES
from screens.widgets.row_strip import clipped
from workbench.graph.search import Node

LEAST_WIDTH, LEAST_HEIGHT = 36, 5
"""Cells and lines below which nothing is drawn."""
_BOX_SHARE, _LABEL_SHARE = 0.4, 0.45
_SHORTEST_NAME = 6
_AROUND = 7
"""Cells of the arrow, and of the blanks around the words."""
_SPINE = {  # from the box, to a neighbour, up, down
    "bn": "─", "ud": "│", "bnud": "┼", "bud": "┤", "nud": "├", "bnu": "┴", "bnd": "┬",
    "bu": "╯", "bd": "╮", "nu": "╰", "nd": "╭", "b": "─", "n": "─", "u": "│", "d": "│",
}  # fmt: skip
_MIRROR = str.maketrans("◄►├┤╭╮╰╯", "►◄┤├╮╭╯╰")

_NO_ROOM = words(" there is no room for a map here")
_NOTHING = words(" it has no neighbours: nothing to be drawn")

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
            parts += _mirrored(_arm(left, y, left_cells, middle, chosen))
        parts += _box(center, box, y - middle, left=bool(left.lines), right=bool(right.lines))
        if right.lines:
            parts += _arm(right, y, right_cells, middle, chosen)
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
    more = cell_len(_more(side)) + 1 if side.left_out else 0
    return max(labels + names + _AROUND, more) if side.lines else 0


def _shares(left: int, right: int, rest: int) -> tuple[int, int, int]:
    """The cells of both sides, and those that neither needs; where both need more, they share alike."""
    if left + right <= rest:
        return left, right, rest - left - right
    half = rest // 2
    left_cells = max(min(left, half), rest - right) if right else rest
    return left_cells, rest - left_cells, 0


def _more(side: _Side) -> Shown:
    return words(f" … {grouped(side.left_out)} more ")


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


def _arm(side: _Side, y: int, cells: int, middle: int, chosen: str) -> list[RowPart]:
    """One line of the right side: the spine beside the box, and the neighbour on this line."""
    lines = side.lines
    first, last = min(lines[0], middle), max(lines[-1], middle)
    ways = ("b" if y == middle else "") + ("n" if y in lines else "")
    ways += ("u" if first < y <= last else "") + ("d" if first <= y < last else "")
    spine = ("─" if y == middle else " ") + _SPINE.get(ways, " ")
    spoke = side.at.get(y)
    if spoke is not None:
        outside = _spoke(spoke, _label_cells(side, cells), cells, bold=bool(chosen) and spoke.id == chosen)
    elif y == side.more_at:
        more = clipped(_more(side), min(cells - 1, cell_len(_more(side))))
        blank = " " * (cells - 1 - cell_len(more))
        outside = [_line("─"), RowPart(words(more), "muted"), _line(blank)]
    else:
        outside = [_line(" " * cells)]
    return [_line(spine), *outside]


def _line(text: str) -> RowPart:
    return RowPart(words(text), "faint")


def _mirrored(parts: Sequence[RowPart]) -> list[RowPart]:
    """The same for the left side: lines are turned around, words stay as they are."""
    return [
        _line(part.text[::-1].translate(_MIRROR)) if part.tone == "faint" else part
        for part in reversed(parts)
    ]


def _label_cells(side: _Side, cells: int) -> int:
    """The cells of the labels of a side, the same for all, so that names stand under each other."""
    longest = max((cell_len(spoke.label) for spoke in side.spokes), default=0)
    names = max((cell_len(spoke.name) for spoke in side.spokes), default=0)
    room = cells - _AROUND
    if longest + names <= room:
        return longest
    fitting = max(int(room * _LABEL_SHARE), room - names)
    return min(longest, fitting) if room - min(longest, fitting) >= _SHORTEST_NAME else 0


def _spoke(spoke: Spoke, label_cells: int, cells: int, *, bold: bool) -> list[RowPart]:
    """``─ works on ─► Atlas`` in exactly ``cells`` cells."""
    label = clipped(spoke.label, min(label_cells, cell_len(spoke.label))).strip() if label_cells else ""
    said = f" {label} " if label else ""
    fill = "─" * (label_cells - cell_len(label))
    near, far = ("─", f"{fill}─►") if spoke.forward else ("◄", f"{fill}──")
    room = max(0, cells - cell_len(f"{near}{said}{far} "))
    name = clipped(spoke.name, min(room, cell_len(spoke.name)))
    return [
        _line(near),
        RowPart(words(said), "muted"),
        _line(f"{far} "),
        RowPart(words(name), "match" if bold else spoke.tone),
        _line(" " * (room - cell_len(name))),
    ]


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


class MapView(Widget, can_focus=False):
    """The map of one node."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"map--{tone}" for tone in TONES}

    def __init__(self) -> None:
        super().__init__(id="graph-map")
        self._center: Shown = EMPTY
        self._spokes: Sequence[Spoke] = ()
        self._more = 0
        self._chosen = ""
        self.caption: Shown = EMPTY

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to be drawn."""
        return not self._spokes

    def show(self, node: Node | None, hops: int = 1) -> None:
        """Draw this one; where the rows reach further, over ``hops`` relations, say that the map does not."""
        self.caption = words(" 1 relation away; the list reaches further") if hops > 1 else EMPTY
        self._center = row_text(node.name) if node else EMPTY
        self._spokes = spokes_of(node) if node else ()
        self._more = node.left_out if node else 0
        self.refresh()

    def choose(self, neighbour: str) -> None:
        """Bring the neighbour with this id out."""
        if neighbour != self._chosen:
            self._chosen = neighbour
            self.refresh()

    def render(self) -> Text:
        """The map in the middle of the room."""
        width, height = self.size.width, self.size.height
        if self.caption and height > LEAST_HEIGHT:
            height -= 1
        lines = draw_map(self._center, self._spokes, width, height, more=self._more, chosen=self._chosen)
        drawn = Text("\n" * ((height - len(lines)) // 2 if lines else 0), no_wrap=True, overflow="crop")
        if not lines:
            drawn.append(_NO_ROOM if self._spokes else _NOTHING, self._tone("faint"))
        for number, line in enumerate(lines):
            drawn.append("\n" if number else "")
            for part in line:
                drawn.append(part.text, self._tone(part.tone))
        if lines and height < self.size.height:
            drawn.append("\n" * (height - drawn.plain.count("\n")))
            drawn.append(self.caption, self._tone("faint"))
        return drawn

    def _tone(self, tone: str) -> Style:
        return self.get_component_rich_style(f"map--{tone}", partial=True)


def spokes_of(node: Node) -> list[Spoke]:
    """The neighbours of a node as the map takes them."""
    return [
        Spoke(
            id=spoke_id(child),
            label=row_text(child.hop.link.relation.kind.replace("_", " ")),
            name=row_text(child.name),
            forward=child.hop.forward,
            tone="text" if child.entity else "muted",
        )
        for child in node.children
        if child.hop is not None
    ]


def spoke_id(node: Node) -> str:
    """What tells a neighbour apart."""
    return node.entity.path if node.entity else f"[[{node.name}]]"
