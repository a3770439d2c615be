"""A small map of an entity: a box in the middle, its neighbours at both sides, lines with their relations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual.reactive import Reactive

from screens.drawing.safe_text import EMPTY, TONES, RowPart, Shown, Tone, grouped, piece, row_text, words
from screens.widgets.entry_list import clipped
from screens.widgets.lines import Toned
from workbench.frozen import frozen
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
_REST = "\n"
"""The id of what stands for all the neighbours that there is no line for; no other has a line break."""

_CAPTION = words(" 1 relation away; the list reaches further")
_NO_ROOM = words(" there is not enough room for a map")
_NOTHING = words(" it has no neighbours to draw")

Line = tuple[RowPart, ...]


@frozen
class MapNeighbour:
    """A neighbour: ``forward`` where the relation leads from the entity to it. ``id`` tells it apart."""

    id: str
    label: Shown
    name: Shown
    forward: bool
    tone: Tone = "text"


def draw_map(
    center: Shown, spokes: Sequence[MapNeighbour], width: int, height: int, *, more: int = 0, chosen: str = ""
) -> list[Line]:
    """The map in at most ``height`` lines of exactly ``width`` cells; nothing where there is no room.

    It reads from left to right: what leads to the entity stands at the left, what it leads to at the right,
    so that `Sarah ── works on ─► Atlas` is a sentence. Where one side is empty or full, the other takes some
    of its neighbours, with their arrows turned.

    ``more`` counts neighbours that are not among ``spokes``; ``chosen`` is the one to bring out.
    """
    if width < LEAST_WIDTH or height < LEAST_HEIGHT or not spokes:
        return []
    left, right = (_Side(one, height, chosen) for one in _sides(spokes, height, more))
    tall = max(3, left.tall, right.tall)
    box = min(cell_len(center) + 4, max(10, int(width * _BOX_SHARE)))
    rest = width - box - 2 * (bool(left.tall) + bool(right.tall))
    # Both get what they need; where that is too much, they share alike.
    left_cells = min(left.needs, max(rest // 2, rest - right.needs))
    right_cells = min(right.needs, rest - left_cells)
    margin = rest - left_cells - right_cells
    beside = zip_longest(left.lines(tall, left_cells), right.lines(tall, right_cells), fillvalue=())
    lines = []
    for y, (left_line, right_line) in enumerate(beside):
        parts = [
            _line(" " * (margin // 2)),
            *_mirrored(left_line),
            *_box(center, box, y - tall // 2, left=bool(left.tall), right=bool(right.tall)),
            *right_line,
            _line(" " * (margin - margin // 2)),
        ]
        lines.append(tuple(part for part in parts if part.text))
    return lines


def _sides(spokes: Sequence[MapNeighbour], height: int, more: int) -> list[list[MapNeighbour]]:
    """Who stands at the left and at the right; what there is no line for is counted in the last one."""
    incoming = [spoke for spoke in spokes if not spoke.forward]
    outgoing = [spoke for spoke in spokes if spoke.forward]
    for full, spare in ((incoming, outgoing), (outgoing, incoming)):
        while len(full) > len(spare) + 1 and (not spare or len(full) > height or _moved(spare, full)):
            spare.append(full.pop())
    sides = [incoming, outgoing]
    takes_more = max(sides, key=lambda one: (len(one) if len(one) > height else 0, -len(one)))
    for side in sides:
        beside = more if side is takes_more else 0
        if beside or len(side) > height:
            hidden = max(0, len(side) - height + 1)
            del side[len(side) - hidden :]
            told = words(f" … {grouped(hidden + beside)} more ")
            side.append(MapNeighbour(_REST, EMPTY, told, forward=True, tone="muted"))
    return sides


def _moved(spare: Sequence[MapNeighbour], full: Sequence[MapNeighbour]) -> bool:
    """Whether one of the others stands on this side already: then both sides are to be the same."""
    return any(spoke.forward is full[0].forward for spoke in spare)


class _Side:
    """The neighbours at one side of the box, as they stand at its right."""

    def __init__(self, spokes: Sequence[MapNeighbour], height: int, chosen: str) -> None:
        """A line for each, with one between where there is room."""
        self._spokes, self._chosen = spokes, chosen
        self._step = 2 if 2 * len(spokes) - 1 <= height else 1
        self._labels = max((cell_len(one.label) for one in spokes), default=0)
        self._names = max((cell_len(one.name) for one in spokes if one.id != _REST), default=0)
        rest = [cell_len(one.name) + 1 for one in spokes if one.id == _REST]
        self.tall = (len(spokes) - 1) * self._step + 1 if spokes else 0
        """The lines from the first neighbour to the last."""
        self.needs = max(self._labels + self._names + _AROUND, *rest, 0) if spokes else 0
        """The cells in which nothing is cut off."""

    def lines(self, tall: int, cells: int) -> Iterator[list[RowPart]]:
        """The neighbours around the middle of ``tall`` lines, each in so many cells behind the spine."""
        middle = tall // 2
        top = min(middle - (self.tall - 1) // 2, tall - self.tall)
        at = {top + number * self._step: one for number, one in enumerate(self._spokes)}
        first, last = min((*at, middle)), max((*at, middle))
        # Labels have the same cells, so that names stand under each other; they give way to the names.
        room = cells - _AROUND
        labels = min(self._labels, max(int(room * _LABEL_SHARE), room - self._names))
        labels = labels if room - labels >= min(self._names, _SHORTEST_NAME) else 0
        for y in range(tall if at else 0):
            ways = ("b" if y == middle else "") + ("n" if y in at else "")
            ways += ("u" if first < y <= last else "") + ("d" if first <= y < last else "")
            spine = ("─" if y == middle else " ") + _SPINE.get(ways, " ")
            yield [_line(spine), *self._outside(at.get(y), labels, cells)]

    def _outside(self, spoke: MapNeighbour | None, labels: int, cells: int) -> list[RowPart]:
        """``─ works on ─► Atlas`` in exactly the cells there are."""
        if spoke is None:
            return [_line(" " * cells)]
        before, said, after = _line("─"), "", ""
        if spoke.id != _REST:
            label = clipped(spoke.label, min(labels, cell_len(spoke.label))).strip()
            said = f" {label} " if label else ""
            fill = "─" * (labels - cell_len(label))
            before = _line("─" if spoke.forward else "◄")
            after = f"{fill}─► " if spoke.forward else f"{fill}── "
        room = max(0, cells - cell_len(f"{before.text}{said}{after}"))
        name = clipped(spoke.name, min(room, cell_len(spoke.name)))
        tone = "match" if self._chosen and spoke.id == self._chosen else spoke.tone
        blank = _line(" " * (room - cell_len(name)))
        return [before, piece(said), _line(after), piece(name, tone), blank]


def _line(text: str) -> RowPart:
    return piece(text, "faint")


def _mirrored(parts: Sequence[RowPart]) -> list[RowPart]:
    """The same for the left side: lines are turned around, words stay as they are."""
    return [
        _line(part.text[::-1].translate(_MIRROR)) if part.tone == "faint" else part
        for part in reversed(parts)
    ]


def _box(center: Shown, cells: int, y: int, *, left: bool, right: bool) -> list[RowPart]:
    """A line of the box, ``y`` from its middle."""
    if y in (-1, 1):
        ends = "╭╮" if y < 0 else "╰╯"
        return [piece(f"{ends[0]}{'─' * (cells - 2)}{ends[1]}", "accent")]
    if y:
        return [piece(" " * cells)]
    name = clipped(center, cells - 4)
    return [
        piece("┤ " if left else "│ ", "accent"),
        piece(name, "head"),
        piece(" ├" if right else " │", "accent"),
    ]


class MapView(Toned, can_focus=False):
    """The map of one node."""

    ALLOW_SELECT = False
    SORT = "map"
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"map--{tone}" for tone in TONES}

    chosen: Reactive[str] = Reactive("")
    """The id of the neighbour that is brought out."""

    def __init__(self) -> None:
        super().__init__(id="graph-map")
        self._node: Node | None = None
        self._is_part = False
        """Whether the rows reach further than the map."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to be drawn."""
        return self._node is None or not self._node.children

    def show(self, node: Node | None, hops: int = 1) -> None:
        """Draw this one; where the rows reach further, over ``hops`` relations, say that the map does not."""
        self._node, self._is_part = node, hops > 1
        self.refresh()

    def render(self) -> Text:
        """The map in the middle of the room."""
        width, height = self.size
        if self._is_part and height > LEAST_HEIGHT:
            height -= 1
        lines: list[Line] = []
        if node := self._node:
            name, spokes = row_text(node.name), spokes_of(node)
            lines = draw_map(name, spokes, width, height, more=node.left_out, chosen=self.chosen)
        if not lines:
            why = _NOTHING if self.is_empty else _NO_ROOM
            return Text(why, self.tone("faint"), no_wrap=True, overflow="crop")
        drawn = Text("\n" * ((height - len(lines)) // 2), no_wrap=True, overflow="crop")
        for number, line in enumerate(lines):
            drawn.append("\n" if number else "")
            for part in line:
                drawn.append(part.text, self.tone(part.tone))
        if height < self.size.height:
            drawn.append("\n" * (height - drawn.plain.count("\n")))
            drawn.append(_CAPTION, self.tone("faint"))
        return drawn


def spokes_of(node: Node) -> list[MapNeighbour]:
    """The neighbours of a node as the map takes them."""
    return [
        MapNeighbour(
            id=spoke_id(child),
            label=row_text(child.hop.link.relation.kind.replace("_", " ")),
            name=row_text(child.name),
            forward=child.hop.forward,
            tone="text" if child.entity else "muted",
        )
        for child in node.children
        if child.hop
    ]


def spoke_id(node: Node) -> str:
    """What tells a neighbour apart."""
    return node.entity.path if node.entity else f"[[{node.name}]]"
