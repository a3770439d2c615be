"""The map in its place: drawn anew for whatever room there is, the neighbour under the cursor brought out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.widget import Widget

from screens.drawing.safe_text import Shown, row_text, words
from screens.graph.map_layout import LEAST_HEIGHT, Spoke, draw_map
from screens.widgets.entry_list import TONES
from workbench.graph.search import Node

_NO_ROOM = words(" there is no room for a map here")
_NOTHING = words(" it has no neighbours: nothing to be drawn")


class MapView(Widget, can_focus=False):
    """The map of one node."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"map--{tone}" for tone in TONES}

    def __init__(self) -> None:
        super().__init__(id="graph-map")
        self._center: Shown = words("")
        self._spokes: Sequence[Spoke] = ()
        self._more = 0
        self._chosen = ""
        self.caption: Shown = words("")

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to be drawn."""
        return not self._spokes

    def show(self, node: Node | None, hops: int = 1) -> None:
        """Draw this one; where the rows reach further, over ``hops`` relations, say that the map does not."""
        self.caption = words(" 1 relation away; the list reaches further") if hops > 1 else words("")
        self._center = row_text(node.name) if node else words("")
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
