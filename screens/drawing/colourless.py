"""Drawing without colours, for people who set NO_COLOR (https://no-color.org)."""

from __future__ import annotations

from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter


class Colourless(LineFilter):
    """Takes every colour away; bold, dim, underlined and reversed stay, and carry what colours did."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same text without colours."""
        return [Segment(text, _plain(style) if style else None, None) for text, style, _ in segments]


@lru_cache(1024)
def _plain(style: Style) -> Style:
    return style.without_color
