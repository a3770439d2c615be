"""Two texts beside each other, which are scrolled together."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content

from screens.drawing.rows import Row
from screens.widgets.change_list import ChangeList


class SideBySide(Container):
    """Two lists, each in a frame with a title of its own."""

    def __init__(self) -> None:
        super().__init__(classes="sides")
        self.lists = ChangeList(), ChangeList()

    def compose(self) -> ComposeResult:
        """The frames."""
        for one in self.lists:
            with Vertical(classes="side"):
                yield one

    def entitle(self, *titles: str) -> None:
        """What each of the two is; the program's own words."""
        for frame, title in zip(self.query(".side"), titles, strict=True):
            frame.border_title = Content(title)

    def show(self, left: Sequence[Row], right: Sequence[Row]) -> None:
        """Show both, each from its first row that is brought out, or from its beginning."""
        for one, rows in zip(self.lists, (left, right), strict=True):
            one.show(rows)
            first = next((at for at, row in enumerate(one.rows) if row.tone == "match"), 0)
            one.go(first)
            one.jump(max(0, first - 2))

    def scroll(self, lines: int) -> None:
        """Both together."""
        for one in self.lists:
            one.jump(one.scroll_offset.y + lines)
