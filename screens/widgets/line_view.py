"""What lists and the preview share: lines drawn on demand, under a scroll bar that is always there.

Textual lays the whole screen out anew whenever the height of a scrolled area changes. These views always
keep room for their scroll bar, so nothing around them can move, and they only update the bar.
"""

from __future__ import annotations

from textual.geometry import Size
from textual.reactive import Reactive
from textual.scroll_view import ScrollView


class LineView(ScrollView, inherit_bindings=False):
    """A line-API view whose number of lines changes often."""

    ALLOW_SELECT = False
    virtual_size: Reactive[Size] = Reactive(Size(0, 0), layout=False)

    def set_lines(self, count: int) -> None:
        """Have ``count`` lines from now on."""
        size = Size(self.size.width, count)
        if size != self.virtual_size:
            self.virtual_size = size
            self._scroll_update(size)  # what Textual calls after a layout; there is no public name for it

    def jump(self, line: int) -> None:
        """Show ``line`` at the top, at once."""
        self.scroll_to(y=max(0, line), animate=False, force=True, immediate=True)
