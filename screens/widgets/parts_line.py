"""A line, or a few, of pieces in tones of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text

from screens.drawing.safe_text import RowPart
from screens.widgets.entry_list import TONES
from screens.widgets.lines import Line


class PartsLine(Line):
    """Pieces one after the other, ``between`` them; cut at the edge, or wrapped where they are ``long``."""

    SORT = "part"
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"part--{tone}" for tone in TONES}

    def __init__(self, id: str, *, between: str = "", right: bool = False, long: bool = False) -> None:
        super().__init__(id=id)
        self.parts: tuple[RowPart, ...] = ()
        self._between = between
        self._right = right
        self._long = long

    def show(self, parts: Sequence[RowPart]) -> None:
        """Show these pieces."""
        if tuple(parts) != self.parts:
            self.parts = tuple(parts)
            self.refresh(layout=self._long)

    def render(self) -> Text:
        """The pieces in their tones."""
        line = self.drawn(self.parts)
        if self._right:
            line.pad_left(max(0, self.size.width - line.cell_len))
        return line

    def drawn(self, parts: Sequence[RowPart]) -> Text:
        """These pieces as a line."""
        line = Text(no_wrap=not self._long)
        for number, part in enumerate(parts):
            line.append(self._between if number else "").append(part.text, self.tone(part.tone))
        if not self._long:
            line.truncate(self.size.width, overflow="ellipsis")
        return line
